package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var glob = define(Tool{
	Name:       "glob",
	Title:      "Find paths",
	Doc:        "Find files and directories by a pattern with *, **, ?, {a,b} and [a-z], sorted. Ignored and protected ones are left out. Refuses a bad pattern.",
	Example:    `{"pattern":"src/**/*.{ts,tsx}"}`,
	Idempotent: true,
	data:       api.GlobData{}, Form: TextOnly,
	fields: map[string]field{"maxResults": {min: 1, max: 10_000, byDefault: 1000}},
}, (*emend.Workspace).Glob)
