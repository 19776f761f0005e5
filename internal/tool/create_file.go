package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var createFile = define(Tool{
	Name:       "create_file",
	Title:      "Create a file",
	Doc:        "Make one new file; for several use apply_patch. Refuses a path that exists (use edit_file), and a missing directory.",
	Example:    `{"path":"src/port.ts","content":"export const PORT = 3000;\n"}`,
	Op:         patch.Add,
	Mutates:    true,
	Idempotent: true,
	data:       api.CreateData{},
}, (*emend.Workspace).Create)
