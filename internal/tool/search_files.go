package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var searchFiles = define(Tool{
	Name:  "search_files",
	Title: "Search files",
	Doc: "Find lines that have a text or match a regex, or files by path. Gives path:line:text, sorted. " +
		"Ignored, binary and protected files are left out. Refuses a bad pattern.",
	Example:    `{"query":"PORT = \\d+","mode":"regex","includeGlobs":["src/**/*.ts"]}`,
	Idempotent: true,
	data:       api.SearchData{}, Form: TextOnly,
	fields: map[string]field{
		"mode":          {enum: []string{"path", "text", "regex"}},
		"contextLines":  {max: 100},
		"maxResults":    {min: 1, max: 10_000, byDefault: 100},
		"caseSensitive": {byDefault: true, description: "A is not a"},
	},
}, (*emend.Workspace).Search)
