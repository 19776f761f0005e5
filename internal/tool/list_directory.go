package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var listDirectory = define(Tool{
	Name:       "list_directory",
	Title:      "List a directory",
	Doc:        "List a directory, with recursive also what is below. Hidden, ignored and protected names are left out. Refuses a file (use read_file).",
	Example:    `{"path":"src","recursive":true,"maxDepth":2}`,
	Idempotent: true,
	data:       api.ListData{}, Form: TextOnly,
	fields: map[string]field{"maxDepth": {min: 1, max: 32, byDefault: 8}},
}, (*emend.Workspace).List)
