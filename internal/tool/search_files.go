package tool

import "github.com/emend-dev/emend"

var searchFiles = define("search_files", words{
	title: "Search files",
	doc: "Find lines that have a text or match a regex, or files by path. Gives path:line:text, sorted. " +
		"Ignored, binary and protected files are left out. Refuses a bad pattern.",
	example:    `{"query":"PORT = \\d+","mode":"regex","includeGlobs":["src/**/*.ts"]}`,
	idempotent: true,
	output:     emend.SearchData{}, tell: Text,
	fields: map[string]field{
		"mode":          {enum: []string{"path", "text", "regex"}},
		"contextLines":  {max: 100},
		"maxResults":    {min: 1, max: 10_000, standard: 100},
		"caseSensitive": {standard: true, words: "A is not a"},
	},
}, (*emend.Workspace).Search)
