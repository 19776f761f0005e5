package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var editFile = define(Tool{
	Name:  "edit_file",
	Title: "Edit a file",
	Doc: "Replace exact texts in one file, or lines by anchors of read_file, all or none. For several files use apply_patch. " +
		"Refuses an oldText that is not there (the nearest is shown) or there more often than expected, overlapping edits, and a file that changed since it was read.",
	Example: `{"path":"src/server.ts","expectedSha256":"` + exampleHash + `","edits":[{"oldText":"PORT = 3000","newText":"PORT = 4000"}]}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Idempotent: true,
	fields: map[string]field{
		"edits":                     {min: 1},
		"edits.expectedOccurrences": {min: 1, byDefault: 1, description: "how often oldText must occur"},
		"tolerance":                 {enum: tolerances, byDefault: "exact", description: "how loosely oldText may match"},
	},
	data: api.EditData{},
}, (*emend.Workspace).Edit)
