package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var moveFile = define(Tool{
	Name:    "move_file",
	Title:   "Move a file",
	Doc:     "Move or rename a file. Refuses a toPath that exists without overwrite, a missing directory, and a file that changed since it was read.",
	Example: `{"fromPath":"src/a.ts","toPath":"src/b.ts","expectedSha256":"` + exampleHash + `"}`,
	Op:      patch.Move,
	Mutates: true, Destructive: true, Idempotent: true,
	data: api.MoveData{},
}, (*emend.Workspace).Move)
