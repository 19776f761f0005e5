package tool

import (
	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

var writeFile = define("write_file", words{
	title: "Write a file",
	doc: "Replace the whole text of a file; newline style and BOM are kept. For a part of it use edit_file. " +
		"Refuses a file that changed since it was read.",
	example: `{"path":"VERSION","content":"2.0.0\n","expectedSha256":"` + exampleHash + `"}`,
	op:      patch.Update,
	mutates: true, destructive: true, idempotent: true,
	output: emend.WriteData{},
}, (*emend.Workspace).Write)

// exampleHash is the sha256 of nothing.
const exampleHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
