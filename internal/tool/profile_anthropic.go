package tool

import (
	"context"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
)

// Anthropic is the text editor tool and the memory tool of Anthropic's Messages API. Their results are text.
var Anthropic = &Profile{Name: "anthropic", System: "Anthropic's Messages API", Doc: "the text editor and the memory tool of Anthropic's Messages API",
	LeaveOut: []string{"node_modules"}, Absolute: true, words: editorWords, names: map[string]string{"oldText": "old_str", "newText": "new_str"},
	Instructions: "str_replace_based_edit_tool works on the files of the workspace, memory on those below /memories.",
	Tools:        []*Tool{textEditor, memoryTool}}

var textEditor = build(Tool{
	Name:  "str_replace_based_edit_tool",
	Title: "Edit text files",
	Doc: "View, create and edit text files of the workspace. view: a file with its line numbers, or a directory; create: a new file; " +
		"str_replace: puts new_str in the place of old_str; insert: puts insert_text after line insert_line. " +
		"Refuses an old_str that is not there exactly once, and shows the places, and a new file where one is.",
	Example: `{"command":"str_replace","path":"primes.py","old_str":"for num in range(2, limit + 1)","new_str":"for num in range(2, limit + 1):"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Form: TextOnly, adapt: adaptEditor,
	fields: map[string]field{"command": {enum: []string{"view", "create", "str_replace", "insert"}}},
}, func(ctx context.Context, ws *emend.Workspace, _ Options, r editorRequest) (api.Result, error) {
	return editor{ws, r, editorStyle}.do(ctx)
})

// editorRequest are the arguments of the text editor. Which of them there are depends on the command.
type editorRequest struct {
	Command    string  `json:"command" jsonschema:"what to do"`
	Path       string  `json:"path" jsonschema:"of the file or directory"`
	ViewRange  []int   `json:"view_range,omitempty" jsonschema:"view: first and last line, from 1; -1 is the end"`
	FileText   *string `json:"file_text,omitempty" jsonschema:"create: all of the text"`
	OldStr     *string `json:"old_str,omitempty" jsonschema:"str_replace: the exact text to replace"`
	NewStr     *string `json:"new_str,omitempty" jsonschema:"str_replace: what takes its place; nothing if left out"`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"insert: after this line; 0 is the beginning"`
	InsertText *string `json:"insert_text,omitempty" jsonschema:"insert: the lines"`
}

var memoryTool = build(Tool{
	Name:  "memory",
	Title: "Keep a memory",
	Doc: "View, create, edit, delete and rename text files below /memories, which stay between conversations. " +
		"The commands view, create, str_replace and insert are those of the text editor; delete and rename also take a directory with everything in it. Refuses what would overwrite something.",
	Example: `{"command":"insert","path":"/memories/todo.txt","insert_line":2,"insert_text":"- Review the notes\n"}`,
	Op:      patch.Update,
	Mutates: true, Destructive: true, Form: TextOnly, adapt: adaptEditor,
	fields: map[string]field{"command": {enum: []string{"view", "create", "str_replace", "insert", "delete", "rename"}}},
}, func(ctx context.Context, ws *emend.Workspace, _ Options, r memoryRequest) (api.Result, error) {
	return memory(ctx, ws, r)
})

// memoryRequest are the arguments of the memory tool.
type memoryRequest struct {
	Command    string  `json:"command" jsonschema:"what to do"`
	Path       string  `json:"path,omitempty" jsonschema:"begins with /memories"`
	ViewRange  []int   `json:"view_range,omitempty" jsonschema:"view: first and last line; -1 is the end"`
	FileText   *string `json:"file_text,omitempty" jsonschema:"create: all of the text"`
	OldStr     *string `json:"old_str,omitempty" jsonschema:"str_replace: the exact text"`
	NewStr     *string `json:"new_str,omitempty" jsonschema:"str_replace: what takes its place"`
	InsertLine *int    `json:"insert_line,omitempty" jsonschema:"insert: after this line"`
	InsertText *string `json:"insert_text,omitempty" jsonschema:"insert: the lines"`
	OldPath    string  `json:"old_path,omitempty" jsonschema:"rename: what"`
	NewPath    string  `json:"new_path,omitempty" jsonschema:"rename: its new path"`
}
