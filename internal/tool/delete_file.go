package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

var deleteFile = define("delete_file", words{
	title:   "Delete a file",
	doc:     "Delete a file, or a link itself, into the trash; restore_file brings it back. Refuses directories.",
	example: `{"path":"src/old.ts"}`,
	op:      patch.Delete,
	mutates: true, destructive: true, idempotent: true,
	output: emend.DeleteData{},
}, (*emend.Workspace).Delete)
