// Package emendtest has what the tests of several packages share: workspaces with files, stories in which things happen to
// them, and short forms of answers. It uses emend as a program does that embeds it. No package of the product imports it.
package emendtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
)

// Workspace makes a tree of files in a temporary directory, each given by name and content, and opens it.
func Workspace(t *testing.T, files ...string) *emend.Workspace {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		name := filepath.Join(dir, filepath.FromSlash(files[i]))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(files[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

// Envelope puts the lines of a patch between *** Begin Patch and *** End Patch.
func Envelope(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// Open opens the workspace in dir, and closes it at the end of the test.
func Open(t *testing.T, dir string) *emend.Workspace {
	t.Helper()
	ws, err := emend.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

// StoreHas returns the files of the store that contain a text.
func StoreHas(t *testing.T, ws *emend.Workspace, text string) []string {
	t.Helper()
	var out []string
	store := filepath.Join(ws.Root(), ".emend")
	err := filepath.WalkDir(store, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		if bytes.Contains(data, []byte(text)) {
			rel, _ := filepath.Rel(store, p)
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
