package tool

import "github.com/emend-dev/emend"

var deny = define("deny", words{
	title:   "Deny a waiting call",
	doc:     "Refuse a call that waits for a person, with a reason that the agent reads. Refused where it was answered, withdrawn or has expired.",
	example: `{"id":"q7h2k3m4n5p6","reason":"the migration is frozen until Monday"}`,
	person:  true, mutates: true,
	output: emend.AnsweredData{},
}, (*emend.Workspace).Deny)
