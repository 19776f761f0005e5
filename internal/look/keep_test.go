package look

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// TestCopyBounds: no more files and bytes are copied than the bounds say, together with the copies of settled directories; what
// is over a bound is named with its reason, and a smaller file may still have room.
func TestCopyBounds(t *testing.T) {
	root, store := t.TempDir(), t.TempDir()
	g, err := guard.Open(root, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	copies, err := vfs.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	defer copies.Close()
	files, err := vfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	for _, tt := range []struct {
		name          string
		have          copied
		kept          int // so many of the files are copied already
		sizes         []int
		copied, wants string
		old           bool // the files did not change since the first look
	}{
		{"room for all", copied{maxCopies - 3, maxCopyBytes - 9}, 0, []int{3, 3, 3}, "f0 f1 f2", "", false},
		{"files", copied{maxCopies - 1, 0}, 0, []int{1, 1, 1}, "f0", "20000 files are copied already: 1 file, 1 byte; 20000 files are copied already: 1 file, 1 byte", false},
		{"no files", copied{maxCopies, 0}, 0, []int{0}, "", "20000 files are copied already: 1 file, 0 byte", false},
		{"bytes", copied{0, maxCopyBytes - 5}, 0, []int{4, 2, 1}, "f0 f2", "256 MiB are copied already: 1 file, 2 byte", false},
		{"no bytes", copied{0, maxCopyBytes}, 0, []int{1, 0}, "f1", "256 MiB are copied already: 1 file, 1 byte", false},
		{"files, with one that is copied", copied{maxCopies - 1, 0}, 1, []int{1, 1}, "f0", "20000 files are copied already: 1 file, 1 byte", false},
		{"bytes, with one that is copied", copied{0, maxCopyBytes - 5}, 1, []int{4, 2}, "f0", "256 MiB are copied already: 1 file, 2 byte", false},
		{"files that never changed", copied{maxCopies*3/4 - 1, 0}, 0, []int{1, 1}, "f0", "15000 files are copied already: 1 file, 1 byte", true},
		{"bytes that never changed", copied{0, maxCopyBytes*3/4 - 5}, 0, []int{4, 2, 1}, "f0 f2", "192 MiB are copied already: 1 file, 2 byte", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var all []*file
			for i, size := range tt.sizes {
				text := strings.Repeat("x", size)
				f := &file{path: fmt.Sprint("f", i), mode: 0o644, changed: !tt.old, size: int64(size), sum: sumOf(text)}
				if err := os.WriteFile(filepath.Join(root, f.path), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				is, err := files.Stat(f.path)
				if err != nil {
					t.Fatal(err)
				}
				f.ino, f.ctime = is.ID.Ino, is.ChangeTime.UnixNano()
				if i < tt.kept {
					f.copy = 1
				}
				all = append(all, f)
			}
			_, not := keepAll(t.Context(), g, copies, &tree{dirs: []dir{{was: &dirIndex{copies: tt.have}, settled: true}, {}}}, all, 1)
			var done, failed []string
			for _, f := range all {
				if f.copy != 0 {
					done = append(done, f.path)
				}
			}
			for _, n := range not {
				failed = append(failed, fmt.Sprintf("%s: %d file, %d byte", n.Why, n.Files, n.Bytes))
			}
			if got := strings.Join(done, " "); got != tt.copied {
				t.Errorf("copied %q, want %q", got, tt.copied)
			}
			if got := strings.Join(failed, "; "); got != tt.wants {
				t.Errorf("not kept: %q, want %q", got, tt.wants)
			}
		})
	}
}

// TestCopiesAreCounted: the copies of settled directories count, once.
func TestCopiesAreCounted(t *testing.T) {
	a, b := &dirIndex{copies: copied{2, 20}}, &dirIndex{copies: copied{3, 300}}
	tr := &tree{dirs: []dir{{was: a, settled: true}, {path: "b", was: b}, {path: "c", was: a, settled: true}}}
	if got := tr.copies(); got != (copied{4, 40}) {
		t.Errorf("%+v", got)
	}
}

// TestSharedCopies: where the file system can share contents, a copy has that of the file as it was seen, and a file that was
// written to since gets none.
func TestSharedCopies(t *testing.T) {
	root := t.TempDir()
	dir, err := vfs.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	g, err := guard.Open(root, guard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("seen"), 0o640); err != nil {
		t.Fatal(err)
	}
	is, err := dir.Stat("a")
	if err != nil {
		t.Fatal(err)
	}
	f := &file{path: "a", mode: is.Mode, size: 4, ino: is.ID.Ino, ctime: is.ChangeTime.UnixNano(), mtime: is.ModTime.UnixNano(), sum: sumOf("seen")}
	in, err := dir.Open("a")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	to, err := dir.Create("shared", 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	if err := vfs.Reflink(to, in); err != nil {
		t.Skip("NOT RUN: this file system shares no contents: ", err)
	}
	r := reader{guard: g}
	defer r.close()
	if err := r.copyTo(f, dir, "copy"); err != nil {
		t.Fatal(err)
	}
	// The clock may not have gone on: so the file is replaced, not only written to.
	for _, step := range []error{os.WriteFile(filepath.Join(root, "b"), []byte("late"), 0o640), os.Rename(filepath.Join(root, "b"), filepath.Join(root, "a"))} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if err := r.copyTo(f, dir, "late"); !errors.Is(err, errOtherContent) {
		t.Errorf("a file that was replaced: %v", err)
	}
	for name, want := range map[string]string{"shared": "seen", "copy": "seen", "late": ""} {
		if got, _ := os.ReadFile(filepath.Join(root, name)); string(got) != want {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
	if is, err := dir.Stat("copy"); err != nil || is.Mode != f.mode || is.ModTime.UnixNano() != f.mtime {
		t.Errorf("the copy is %+v, %v", is, err)
	}
}
