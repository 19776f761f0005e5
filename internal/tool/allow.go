package tool

import "github.com/emend-dev/emend"

var allow = define("allow", words{
	title: "Allow a waiting call",
	doc: "Let a call happen that waits for a person: what was shown, once. With session, also what the same rules ask about, until its session or its server ends. " +
		"Refused where it was answered, withdrawn or has expired.",
	example: `{"id":"q7h2k3m4n5p6"}`,
	person:  true, mutates: true,
	output: emend.AnsweredData{},
}, (*emend.Workspace).Allow)
