package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

var undo = define("undo", words{
	title: "Undo",
	doc: "Take back the last change, an entry of history, or all of a session. Unsure? Send dryRun. " +
		"Later edits in the same file stay; refuses when one is in the way.",
	example: `{"entry":"0199d6a4c5f0a1b2c3d4e5f6","dryRun":true}`,
	op:      patch.Update,
	mutates: true, destructive: true,
	output: report.Data{},
}, (*emend.Workspace).Undo)
