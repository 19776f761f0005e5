package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

var editFile = define("edit_file", words{
	title: "Edit a file",
	doc: "Replace exact texts in one file, all or none; for several files use apply_patch. " +
		"Refuses an oldText that is not there (the nearest is shown) or there more often than expected, overlapping edits, and a file that changed since it was read.",
	example: `{"path":"src/server.ts","expectedSha256":"` + exampleHash + `","edits":[{"oldText":"PORT = 3000","newText":"PORT = 4000"}]}`,
	op:      patch.Update,
	mutates: true, destructive: true, idempotent: true,
	fields: map[string]field{
		"edits":                     {min: 1},
		"edits.expectedOccurrences": {min: 1, standard: 1, words: "how often oldText must occur"},
		"tolerance":                 {enum: rungs, standard: "exact", words: "how loosely oldText may match"},
	},
	output: emend.EditData{},
}, (*emend.Workspace).Edit)
