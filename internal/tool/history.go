package tool

import "github.com/emend-dev/emend"

var history = define("history", words{
	title:      "Show the history",
	doc:        "List what was changed or refused, the newest first: a line a file, with the entry that undo takes. Protected files are left out.",
	example:    `{"path":"src","since":"2h","limit":20}`,
	idempotent: true,
	output:     emend.HistoryData{}, tell: Text,
	fields: map[string]field{"limit": {min: 1, max: 1000, standard: 50}},
}, (*emend.Workspace).History)
