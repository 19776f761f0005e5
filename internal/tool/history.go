package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var history = define(Tool{
	Name:       "history",
	Title:      "Show the history",
	Doc:        "List what was changed or refused, the newest first: a line a file, with the entry that undo takes. Protected files are left out.",
	Example:    `{"path":"src","since":"2h","limit":20}`,
	Idempotent: true,
	data:       api.HistoryData{}, Form: TextOnly,
	fields: map[string]field{"limit": {min: 1, max: 1000, byDefault: 50}},
}, (*emend.Workspace).History)
