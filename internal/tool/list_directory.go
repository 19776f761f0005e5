package tool

import "github.com/emend-dev/emend"

var listDirectory = define("list_directory", words{
	title:      "List a directory",
	doc:        "List a directory, with recursive also what is below. Hidden, ignored and protected names are left out. Refuses a file (use read_file).",
	example:    `{"path":"src","recursive":true,"maxDepth":2}`,
	idempotent: true,
	output:     emend.ListData{}, tell: Text,
	fields: map[string]field{"maxDepth": {min: 1, max: 32, standard: 8}},
}, (*emend.Workspace).List)
