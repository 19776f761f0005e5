package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

var undo = define(Tool{
	Name:  "undo",
	Title: "Undo",
	Doc: "Undo your last change, an entry of history, or all of a session. Unsure? Send dryRun. " +
		"Later edits in the same file stay; refuses when one is in the way.",
	Example: `{"entry":"0199d6a4c5f0a1b2c3d4e5f6","dryRun":true}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true,
	data: report.Data{},
}, (*emend.Workspace).Undo)
