package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

var moveFile = define("move_file", words{
	title:   "Move a file",
	doc:     "Move or rename a file. Refuses a toPath that exists without overwrite, a missing directory, and a file that changed since it was read.",
	example: `{"fromPath":"src/a.ts","toPath":"src/b.ts","expectedSha256":"` + exampleHash + `"}`,
	op:      patch.Move,
	mutates: true, destructive: true, idempotent: true,
	output: emend.MoveData{},
}, (*emend.Workspace).Move)
