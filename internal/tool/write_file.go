package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

var writeFile = define(Tool{
	Name:  "write_file",
	Title: "Write a file",
	Doc: "Replace the whole text of a file; newline style and BOM are kept. For a part of it use edit_file. " +
		"Refuses a file that changed since it was read.",
	Example: `{"path":"VERSION","content":"2.0.0\n","expectedSha256":"` + exampleHash + `"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Idempotent: true,
	data: api.WriteData{},
}, (*emend.Workspace).Write)

// exampleHash is the sha256 of an empty file.
const exampleHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
