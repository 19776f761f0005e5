package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var deny = define(Tool{
	Name:       "deny",
	Title:      "Deny a waiting call",
	Doc:        "Refuse a call that waits for a person, with a reason that the agent reads. Refused where it was answered, withdrawn or has expired.",
	Example:    `{"id":"q7h2k3m4n5p6","reason":"the migration is frozen until Monday"}`,
	PersonOnly: true, Mutates: true,
	data: api.AnsweredData{},
}, (*emend.Workspace).Deny)
