package look

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/guard"
)

// TestFresh: a file is fresh if it was written within the resolution of the clock, by either of its times, or if its time lies ahead.
func TestFresh(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := guard.Open(dir, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	walkAt := func(now time.Time) file {
		t.Helper()
		tree, err := walk(t.Context(), g, now, nil)
		if err != nil || len(tree.dirs) != 1 || len(tree.dirs[0].files) != 1 {
			t.Fatalf("%v: %+v", err, tree)
		}
		return tree.dirs[0].files[0]
	}
	f := walkAt(time.Now())
	written := time.Unix(0, max(f.ctime, f.mtime))
	for _, tt := range []struct {
		after time.Duration
		want  bool
	}{{-time.Hour, true}, {0, true}, {clockStep, true}, {clockStep + 1, false}, {time.Hour, false}} {
		if f := walkAt(written.Add(tt.after)); f.has(fresh) != tt.want {
			t.Errorf("%v after it was written it is fresh: %v", tt.after, f.has(fresh))
		}
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, long, long); err != nil {
		t.Fatal(err)
	}
	if f := walkAt(time.Unix(0, f.ctime)); f.ctime != f.mtime && !f.has(fresh) {
		t.Error("a file whose modification time was put back is not fresh")
	}
}
