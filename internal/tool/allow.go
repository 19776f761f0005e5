package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

var allow = define(Tool{
	Name:  "allow",
	Title: "Allow a waiting call",
	Doc: "Let a call happen that waits for a person: what was shown, once. With session, also what the same rules ask about, until its session or its server ends. " +
		"Refused where it was answered, withdrawn or has expired.",
	Example:    `{"id":"q7h2k3m4n5p6"}`,
	PersonOnly: true, Mutates: true,
	data: api.AnsweredData{},
}, (*emend.Workspace).Allow)
