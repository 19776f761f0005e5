package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var deleteFile = define(Tool{
	Name:    "delete_file",
	Title:   "Delete a file",
	Doc:     "Delete a file, or a link itself, into the trash; restore_file restores it. Refuses directories.",
	Example: `{"path":"src/old.ts"}`,
	Op:      patch.Delete,
	Mutates: true, Destructive: true, Idempotent: true,
	data: api.DeleteData{},
}, (*emend.Workspace).Delete)
