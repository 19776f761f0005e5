package tool

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/text"
)

// TestHintsAreTrue checks that read-only tools change nothing, that idempotent tools change nothing the second time,
// and that tools that are not destructive keep every file.
func TestHintsAreTrue(t *testing.T) {
	sum := "2c8b08da5ce60398e1f19af0e5dccc744df274b826abe585eaba68c525434806" // of "one\n"
	two := "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a" // of "two\n"
	calls := map[string]string{
		"read_file": `{"path":"a"}`, "list_directory": `{"path":"."}`, "search_files": `{"query":"one","mode":"text"}`, "glob": `{"pattern":"*"}`, "history": `{}`,
		"create_file": `{"path":"new","content":"x\n"}`, "write_file": `{"path":"a","content":"x\n","expectedSha256":"` + sum + `"}`,
		"edit_file":   `{"path":"a","expectedSha256":"` + sum + `","edits":[{"oldText":"one","newText":"one one"}]}`,
		"edit_cell":   `{"path":"n.ipynb","expectedSha256":"` + text.Sum(notebook) + `","cell":"0","source":"x"}`,
		"delete_file": `{"path":"a"}`, "restore_file": `{"trashedPath":"ID"}`, "move_file": `{"fromPath":"a","toPath":"b","expectedSha256":"` + sum + `"}`,
		"apply_patch": `{"patch":"*** Begin Patch\n*** Update File: a\n@@\n one\n+more\n*** End Patch"}`,
		"undo":        `{}`,
		"put_back":    `{"path":"a","version":"ID","expectedSha256":"` + two + `"}`,
		"undo_pieces": `{"entry":"ID","path":"a","hunks":[1]}`,
		"clear_trash": `{}`, "purge": `{"path":"a"}`, "recover": `{}`,
	}
	for _, p := range []*Profile{Emend, Comma, People} {
		for _, tool := range p.Tools {
			if tool == allow || tool == deny || tool == undoTurn {
				continue // they need a call that waits, or a session with turns, and are tested with the workspace and the pages
			}
			ws := open(t, map[string]string{"a": "one\n", "empty": ""})
			call := func(name, args string) reply {
				return replied(t, Options{Profile: p}.Call(t.Context(), ws, name, json.RawMessage(args)))
			}
			args := calls[tool.Name]
			if !tool.Mutates && tool.Name != "history" {
				if r := call(tool.Name, args); !r.OK || len(files(t, ws.Root(), true)) != 2 {
					t.Errorf("%s: %+v, %q", tool.Name, r, files(t, ws.Root(), true))
				}
				continue
			}
			args = prepare(call, tool.Name, args)
			before := files(t, ws.Root(), false)
			if r := call(tool.Name, args); !r.OK {
				t.Errorf("%s %s: %+v", p.Name, tool.Name, r)
			}
			once := files(t, ws.Root(), false)
			call(tool.Name, args)
			if twice := files(t, ws.Root(), false); tool.Idempotent && !maps.Equal(once, twice) {
				t.Errorf("%s %s once: %q, twice: %q", p.Name, tool.Name, once, twice)
			}
			for name, content := range before {
				if !tool.Destructive && once[name] != content {
					t.Errorf("%s %s: %s was %q and is %q", p.Name, tool.Name, name, content, once[name])
				}
			}
		}
	}
}

const notebook = `{"cells":[{"cell_type":"code","source":[],"outputs":[]}],"nbformat":4,"nbformat_minor":4}`

// prepare makes what a call needs: a file to restore, or two changes to undo.
func prepare(call func(name, args string) reply, name, args string) string {
	switch name {
	case "edit_cell":
		b, _ := json.Marshal(map[string]string{"path": "n.ipynb", "content": notebook})
		call("create_file", string(b))
	case "restore_file":
		var gone struct{ TrashedTo string }
		json.Unmarshal(call("delete_file", `{"path":"a"}`).Data, &gone) //nolint:errcheck // the next call fails if it does not decode
		return strings.Replace(args, "ID", gone.TrashedTo, 1)
	case "put_back", "undo_pieces":
		var a struct{ Entry string }
		r := call("apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch"}`)
		json.Unmarshal(r.Meta, &struct{ Tx *string }{&a.Entry}) //nolint:errcheck // the next call fails if it does not decode
		if name == "put_back" {
			a.Entry += ".0"
		}
		return strings.Replace(args, "ID", a.Entry, 1)
	case "clear_trash", "purge":
		call("delete_file", `{"path":"empty"}`)
		call("apply_patch", `{"patch":"*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch"}`)
	case "undo":
		call("create_file", `{"path":"b","content":""}`)
		call("create_file", `{"path":"c","content":""}`)
	}
	return args
}

// files returns the files in a directory, with those of the store on request.
func files(t *testing.T, dir string, store bool) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".emend" && !store {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(name)
		out[filepath.Base(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
