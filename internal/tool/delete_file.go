package tool

import "github.com/emend-dev/emend"

var deleteFile = define("delete_file", words{
	title:   "Delete a file",
	doc:     "Delete a file, or a link itself, into the trash: restore_file with trashedTo brings it back. Refuses directories, and a file that is not what expectedSha256 says.",
	example: `{"path":"src/old.ts"}`,
	mutates: true, destructive: true, idempotent: true,
	output: emend.DeleteData{},
}, (*emend.Workspace).Delete)
