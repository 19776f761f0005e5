package look

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
)

// endsAfter is a context that ends when it was asked so many times whether it has.
type endsAfter struct {
	context.Context
	asked int
}

func (c *endsAfter) Err() error {
	if c.asked--; c.asked < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// TestNoTimeToRead: what was read in time is known, a large file that was not is given up, and a small one is left for the next look.
func TestNoTimeToRead(t *testing.T) {
	root := t.TempDir()
	g, err := guard.Open(root, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var files []*file
	for _, f := range []struct {
		name string
		size int64
	}{{"first", 10}, {"large", maxOneCopy + 1}, {"small", 10}, {"large too", maxOneCopy + 1}} {
		name := filepath.Join(root, f.name)
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, f.size); err != nil {
			t.Fatal(err)
		}
		files = append(files, &file{path: f.name, mode: 0o644, size: f.size})
	}
	if err := readAllOf(&endsAfter{t.Context(), 20}, g, nil, files); err == nil {
		t.Error("all was read")
	}
	for i, want := range []struct{ known, unread bool }{{true, false}, {false, true}, {false, false}, {false, true}} {
		if f := files[i]; (f.sum != "") != want.known || f.has(unread) != want.unread {
			t.Errorf("%s: known %v, given up %v", f.path, f.sum != "", f.has(unread))
		}
	}
}
