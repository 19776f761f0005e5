package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

var restoreFile = define("restore_file", words{
	title:      "Restore a file",
	doc:        "Bring a file back from the trash, to where it was or to targetPath. Refuses a path that exists.",
	example:    `{"trashedPath":"0199d6a4c5f0a1b2c3d4e5f6.0"}`,
	op:         patch.Add,
	mutates:    true,
	idempotent: true,
	output:     emend.RestoreData{},
}, (*emend.Workspace).Restore)
