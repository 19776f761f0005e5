//go:build linux || darwin

package gitobjects

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/emend-dev/emend/internal/vfs"
)

func lstat(t testing.TB, file string) vfs.Info {
	t.Helper()
	var st unix.Stat_t
	must(t, unix.Lstat(file, &st))
	return vfs.Info{ID: vfs.ID{Dev: uint64(st.Dev), Ino: st.Ino}, Mode: vfs.FileMode(uint32(st.Mode)), Size: st.Size,
		ModTime: time.Unix(st.Mtim.Unix()), ChangeTime: time.Unix(st.Ctim.Unix())}
}

// writeIndexLater gives the index a time at which no file has changed.
func writeIndexLater(t *testing.T, dir string) {
	t.Helper()
	later := time.Now().Add(time.Hour)
	must(t, os.Chtimes(filepath.Join(dir, ".git", "index"), later, later))
}

func TestClean(t *testing.T) {
	t.Parallel()
	dir := newRepo(t, 20)
	must(t, os.Symlink("noise", filepath.Join(dir, "link")))
	must(t, os.Chmod(filepath.Join(dir, "long.txt"), 0o755))
	git(t, dir, "add", "-A")
	writeIndexLater(t, dir)
	x, err := open(t, dir).Index()
	must(t, err)
	if len(x.Entries) < 6 {
		t.Fatal(x.Entries)
	}
	for _, e := range x.Entries {
		if !e.Clean(lstat(t, filepath.Join(dir, e.Path))) {
			t.Errorf("%s is not clean", e.Path)
		}
	}
	e := *x.Find("noise")
	was := lstat(t, filepath.Join(dir, "noise"))
	for name, change := range map[string]func(e *Entry, info *vfs.Info){
		"size":              func(_ *Entry, i *vfs.Info) { i.Size++ },
		"modified":          func(_ *Entry, i *vfs.Info) { i.ModTime = i.ModTime.Add(1) },
		"changed":           func(_ *Entry, i *vfs.Info) { i.ChangeTime = i.ChangeTime.Add(1) },
		"replaced":          func(_ *Entry, i *vfs.Info) { i.ID.Ino++ },
		"link":              func(_ *Entry, i *vfs.Info) { i.Mode |= os.ModeSymlink },
		"directory":         func(_ *Entry, i *vfs.Info) { i.Mode |= os.ModeDir },
		"entry of a link":   func(e *Entry, _ *vfs.Info) { e.Mode = 0o120000 },
		"submodule":         func(e *Entry, _ *vfs.Info) { e.Mode = 0o160000 },
		"conflict":          func(e *Entry, _ *vfs.Info) { e.Stage = 2 },
		"assumed unchanged": func(e *Entry, _ *vfs.Info) { e.AssumeValid = true },
		"skipped":           func(e *Entry, _ *vfs.Info) { e.SkipWorktree = true },
		"intended":          func(e *Entry, _ *vfs.Info) { e.IntentToAdd = true },
	} {
		entry, info := e, was
		change(&entry, &info)
		if entry.Clean(info) {
			t.Errorf("%s: clean", name)
		}
	}
	// An index that is older than its files proves nothing.
	old := time.Unix(1700000000, 0)
	must(t, os.Chtimes(filepath.Join(dir, ".git", "index"), old, old))
	x, err = open(t, dir).Index()
	must(t, err)
	for _, e := range x.Entries {
		if e.Clean(lstat(t, filepath.Join(dir, e.Path))) {
			t.Errorf("%s is clean, by an index that is older", e.Path)
		}
	}
	// Permissions are no content.
	entry, info := e, was
	info.Mode |= 0o111
	if !entry.Clean(info) {
		t.Error("an executable file is not clean")
	}
}

// TestRacy: an index that is as old as the file proves nothing, nor one that is a little younger where times are in seconds.
func TestRacy(t *testing.T) {
	t.Parallel()
	at := func(sec, nsec int64) Time { return TimeOf(time.Unix(sec, nsec)) }
	for _, tc := range []struct {
		mtime, ctime, written Time
		size                  uint32
		want                  bool
	}{
		{at(10, 5), at(10, 5), at(10, 6), 1, false},
		{at(10, 5), at(10, 5), at(10, 5), 1, true},
		{at(10, 5), at(10, 5), at(10, 4), 1, true},
		{at(10, 5), at(10, 6), at(10, 6), 1, true},
		{at(9, 0), at(10, 6), at(10, 7), 1, false},
		{at(10, 0), at(10, 0), at(11, 9), 1, true},
		{at(10, 0), at(10, 0), at(12, 0), 1, true},
		{at(10, 0), at(10, 0), at(12, 1), 1, false},
		{at(10, 5), at(10, 5), at(10, 6), 0, true}, // git writes no size where it knows that
	} {
		p := indexParser{written: tc.written, empty: "empty"}
		if got := p.isUnsure(&Entry{MTime: tc.mtime, CTime: tc.ctime, Size: tc.size, ID: "x"}); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
	p := indexParser{written: at(20, 0), empty: "empty"}
	if p.isUnsure(&Entry{ID: "empty"}) {
		t.Error("an empty file is unsure")
	}
}

// TestCleanIsTrue: whatever people and git do one after the other, a file that is clean has the content of the blob.
func TestCleanIsTrue(t *testing.T) {
	t.Parallel()
	for _, split := range []bool{false, true} {
		dir := newRepo(t, 21)
		r := open(t, dir)
		if split {
			git(t, dir, "config", "core.splitIndex", "true")
			git(t, dir, "config", "splitIndex.maxPercentChange", "100")
		}
		rnd := rand.New(rand.NewPCG(22, 23))
		content := func() string { return fmt.Sprintf("%03d\n", rnd.IntN(1000)) } // of one size
		clean := 0
		check := func() {
			t.Helper()
			x, err := r.Index()
			must(t, err)
			for _, e := range x.Entries {
				file := filepath.Join(dir, e.Path)
				if _, err := os.Lstat(file); err != nil || !e.Clean(lstat(t, file)) {
					continue
				}
				clean++
				if id := r.BlobID(read(t, file)); id != e.ID {
					t.Fatalf("%s is clean, and has another content", e.Path)
				}
			}
		}
		for range 60 {
			name := fmt.Sprintf("f%d", rnd.IntN(4))
			file := filepath.Join(dir, name)
			switch rnd.IntN(9) {
			case 0, 1, 2:
				write(t, dir, name, content())
			case 3: // with the old times
				write(t, dir, name, content())
				old := time.Unix(1700000000, 0)
				must(t, os.Chtimes(file, old, old))
			case 4:
				write(t, dir, name+".new", content())
				must(t, os.Rename(file+".new", file))
			case 5:
				git(t, dir, "add", "-A")
				write(t, dir, name, content())
			case 6:
				git(t, dir, "add", "-A")
			case 7:
				git(t, dir, "status")
			case 8:
				git(t, dir, "checkout", "-q", "--", ".")
			}
			check()
		}
		writeIndexLater(t, dir)
		check()
		if clean == 0 {
			t.Error("nothing was clean")
		}
	}
}
