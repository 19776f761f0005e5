//go:build npm

package interop

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/tool"
)

var entryIn = regexp.MustCompile(`\S+Z  (\S+)  `)

// TestInspectorCalls calls every tool with the inspector, over both transports and with both generations of the protocol.
func TestInspectorCalls(t *testing.T) {
	for transport, era := range map[string]string{"stdio": "legacy", "http": "modern"} {
		t.Run(transport, func(t *testing.T) {
			t.Parallel()
			dir := workspace(t, map[string]string{"a.txt": "one\ntwo\n"})
			i := inspect(t, transport, dir)
			i.target = append(i.target, "--protocol-era", era)
			i.tools(t, dir)
		})
	}
}

func (i *inspector) tools(t *testing.T, dir string) {
	used := map[string]bool{}
	call := func(name string, args map[string]any) called {
		used[name] = true
		return i.call(t, name, args)
	}
	disk := func(name, want string) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(dir, name))
		if string(got) != want || (err == nil) != (want != "") {
			t.Fatalf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	hash := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%x", sha256.Sum256(data))
	}
	call("create_file", map[string]any{"path": "b.txt", "content": "b\n"})
	disk("b.txt", "b\n")
	call("write_file", map[string]any{"path": "b.txt", "content": "B\n", "expectedSha256": hash("b.txt")})
	disk("b.txt", "B\n")
	call("edit_file", map[string]any{"path": "a.txt", "expectedSha256": hash("a.txt"), "edits": []any{map[string]any{"oldText": "one", "newText": "uno"}}})
	disk("a.txt", "uno\ntwo\n")
	notebook := func(source string) string {
		return `{"cells":[{"cell_type":"code","source":` + source + `}],"nbformat":4}`
	}
	call("create_file", map[string]any{"path": "n.ipynb", "content": notebook(`"1"`)})
	call("edit_cell", map[string]any{"path": "n.ipynb", "expectedSha256": hash("n.ipynb"), "cell": "0", "source": "2"})
	disk("n.ipynb", notebook(`"2"`))
	trashed := call("delete_file", map[string]any{"path": "b.txt"}).StructuredContent.Data["trashedTo"]
	disk("b.txt", "")
	call("restore_file", map[string]any{"trashedPath": trashed})
	disk("b.txt", "B\n")
	call("move_file", map[string]any{"fromPath": "b.txt", "toPath": "c.txt", "expectedSha256": hash("b.txt")})
	disk("c.txt", "B\n")
	call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+due\n*** Add File: d.txt\n+d\n*** End Patch\n"})
	disk("a.txt", "uno\ndue\n")
	disk("d.txt", "d\n")
	entry := entryIn.FindStringSubmatch(call("history", map[string]any{"limit": 1}).Content[0].Text)[1]
	call("undo", map[string]any{"entry": entry})
	disk("a.txt", "uno\ntwo\n")
	disk("d.txt", "")
	if text := call("read_file", map[string]any{"path": "a.txt"}).Content[0].Text; !strings.HasSuffix(text, "\nuno\ntwo\n") {
		t.Errorf("read_file: %s", text)
	}
	for name, args := range map[string]map[string]any{
		"list_directory": {"path": "."}, "glob": {"pattern": "*.txt"}, "search_files": {"query": "uno", "mode": "text"},
	} {
		if text := call(name, args).Content[0].Text; !strings.Contains(text, "a.txt") {
			t.Errorf("%s: %s", name, text)
		}
	}
	for _, name := range tool.Names() {
		if !used[name] {
			t.Errorf("%s was not called", name)
		}
	}
	t.Logf("inspector: called %d tools of %d", len(used), len(tool.Names()))
}
