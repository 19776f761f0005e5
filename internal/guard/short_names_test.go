//go:build unix

package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shortTree is a tree whose files have short names too, as on FAT. Directories do not list them.
type shortTree struct{ tree }

type shortHandle struct{ handle }

func long(name string) string {
	switch strings.ToUpper(strings.TrimRight(name, ".")) {
	case "ENV~1":
		return ".env"
	case "NOTESF~1.TXT":
		return "notes for all.txt"
	case "CLAUDE~1":
		return ".claude"
	}
	return name
}

func (t shortTree) openDir(names []string) (handle, error) {
	names = slices.Clone(names)
	for i := range names {
		names[i] = long(names[i])
	}
	h, err := t.tree.openDir(names)
	return shortHandle{h}, err
}

func (h shortHandle) stat(name string) (fileInfo, error) { return h.handle.stat(long(name)) }

// TestShortNames checks that a short name reaches nothing, and that a file which really has such a name is a file like any other.
func TestShortNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".env", ".claude/settings.json", "notes for all.txt", "real~1", "sub/a~1.txt"} {
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		check(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	g, err := Open(dir, Options{})
	check(t, err)
	defer g.Close()
	g.tree = shortTree{g.tree}
	for path, refused := range map[string]bool{
		"ENV~1": true, "env~1": true, "env~1.": true, "NOTESF~1.TXT": true, "CLAUDE~1/settings.json": true, "CLAUDE~1/new.json": true,
		"real~1": false, "sub/a~1.txt": false, "new~1": false, "none/new~1": false, "notes for all.txt": false, "sub/b": false,
	} {
		for _, write := range []bool{false, true} {
			_, err := g.Resolve(path, Request{Write: write})
			if got := err != nil && strings.Contains(err.Error(), "short name"); got != refused {
				t.Errorf("%s, write %v: %v, want refused: %v", path, write, err, refused)
			}
		}
	}
	for name, short := range map[string]bool{"GIT~1": true, "a~12.tar": true, "~1": false, "a~": false, "a~b": false, "long-name~1": false,
		"a~1~": false, "a.go~1": false, "x~1.html": false, "a~1": true} {
		if looksShort(name) != short {
			t.Errorf("%s looks short: %v", name, !short)
		}
	}
}
