package tool

import "github.com/emend-dev/emend"

var glob = define("glob", words{
	title:      "Find paths",
	doc:        "Find files and directories by a pattern with *, **, ?, {a,b} and [a-z], sorted. Ignored and protected ones are left out. Refuses a bad pattern.",
	example:    `{"pattern":"src/**/*.{ts,tsx}"}`,
	idempotent: true,
	output:     emend.GlobData{}, tell: Text,
	fields: map[string]field{"maxResults": {min: 1, max: 10_000, standard: 1000}},
}, (*emend.Workspace).Glob)
