package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

var createFile = define("create_file", words{
	title:      "Create a file",
	doc:        "Make one new file; for several use apply_patch. Refuses a path that exists (use edit_file), and a missing directory.",
	example:    `{"path":"src/port.ts","content":"export const PORT = 3000;\n"}`,
	op:         patch.Add,
	mutates:    true,
	idempotent: true,
	output:     emend.CreateData{},
}, (*emend.Workspace).Create)
