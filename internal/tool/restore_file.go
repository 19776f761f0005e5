package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var restoreFile = define(Tool{
	Name:       "restore_file",
	Title:      "Restore a file",
	Doc:        "Restore a file from the trash, to where it was or to targetPath. Refuses a path that exists.",
	Example:    `{"trashedPath":"0199d6a4c5f0a1b2c3d4e5f6.0"}`,
	Op:         patch.Add,
	Mutates:    true,
	Idempotent: true,
	data:       api.RestoreData{},
}, (*emend.Workspace).Restore)
