package tool

import "github.com/emend-dev/emend"

var readFile = define("read_file", words{
	title: "Read a file",
	doc: "Read a text file, or some of its lines. The first line of the result is about the file: path, sha256 of all of it, lines, size, newline style; " +
		"the text follows, with LF line ends. Keep the sha256: write_file, edit_file and move_file ask for it. " +
		"Refuses directories, protected files, and binary ones without allowBinary.",
	example:    `{"path":"src/server.ts","startLine":1,"endLine":80}`,
	idempotent: true,
	fields: map[string]field{
		"startLine": {min: 1},
		"endLine":   {min: 1},
		"maxBytes":  {min: 1, max: 64 << 20, standard: emend.DefaultReadBytes},
	},
}, (*emend.Workspace).Read)
