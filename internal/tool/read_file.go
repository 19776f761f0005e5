package tool

import "github.com/emend-dev/emend"

var readFile = define("read_file", words{
	title: "Read a file",
	doc: "Read a text file, or some of its lines. The first line of the result has path, sha256, lines, size and newline style; " +
		"the text follows. Keep the sha256 for changing the file. Refuses directories, protected and binary files.",
	example:    `{"path":"src/server.ts","startLine":1,"endLine":80}`,
	idempotent: true,
	output:     emend.ReadData{}, tell: Text,
	fields: map[string]field{
		"startLine": {min: 1},
		"endLine":   {min: 1},
		"maxBytes":  {min: 1, max: 64 << 20, standard: emend.DefaultReadBytes},
	},
}, (*emend.Workspace).Read)
