package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var readFile = define(Tool{
	Name:  "read_file",
	Title: "Read a file",
	Doc: "Read a text file, or some of its lines. The first line of the result has path, sha256, lines, size and newline style; " +
		"the text follows. Keep the sha256 for changing the file. Refuses directories, protected and binary files.",
	Example:    `{"path":"src/server.ts","startLine":1,"endLine":80}`,
	Idempotent: true,
	data:       api.ReadData{}, Form: TextOnly,
	fields: map[string]field{
		"startLine": {min: 1},
		"endLine":   {min: 1},
		"maxBytes":  {min: 1, max: 64 << 20, byDefault: api.DefaultReadBytes},
	},
}, (*emend.Workspace).Read)
