//go:build linux || darwin

package commit

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// onDisk opens a store in a directory of the operating system.
func onDisk(t *testing.T, top string) *Store {
	t.Helper()
	store := filepath.Join(top, storeName)
	if err := os.Mkdir(store, 0o700); err != nil {
		t.Fatal(err)
	}
	dir, err := vfs.Open(store)
	if err != nil {
		t.Fatal(err)
	}
	if err := Create(dir, ".."); err != nil {
		t.Fatal(err)
	}
	s, err := Open(dir, tree(func() vfs.Dir {
		root, err := vfs.Open(top)
		if err != nil {
			t.Fatal(err)
		}
		return root
	}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// On a real disk: a file with another hard link, one that nobody may read, and a symbolic link go, and the very same
// come back; the directory that they were in goes and is made again.
func TestBringBackOnDisk(t *testing.T) {
	top := t.TempDir()
	s := onDisk(t, top)
	at := func(name string) string { return filepath.Join(top, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(at("d"), 0o755))
	must(os.WriteFile(at("d/f"), []byte("content\n"), 0o640))
	must(os.Link(at("d/f"), at("other")))
	must(os.WriteFile(at("d/secret"), []byte("nobody\n"), 0o000))
	must(os.Symlink("f", at("d/l")))
	names := []string{"d/f", "d/secret", "d/l"}

	top1, err := vfs.Open(top)
	must(err)
	defer top1.Close()
	d, err := top1.Dir("d")
	must(err)
	defer d.Close()
	up, err := top1.Stat(".")
	must(err)
	parent, err := d.Stat(".")
	must(err)
	var gone []Change
	was := map[string]os.FileInfo{}
	for _, name := range names {
		is, err := d.Stat(filepath.Base(name))
		must(err)
		old := &Old{Info: is}
		switch name {
		case "d/l":
			old.Link = "f"
		case "d/f":
			old.Sum = sum("content\n")
		case "d/secret":
			if old.Sum = sum("nobody\n"); os.Getuid() != 0 {
				old.Sum = ""
			}
		}
		gone = append(gone, Change{Path: name, Parent: parent.ID, Old: old})
		was[name], err = os.Lstat(at(name))
		must(err)
	}
	done, err := s.Run(context.Background(), Tx{Changes: gone, RemoveDirs: []string{"d"}, Record: audit.Record{Kind: audit.Commit}})
	must(err)
	if _, err := os.Lstat(at("d")); !os.IsNotExist(err) {
		t.Fatalf("the directory is there: %v", err)
	}
	var back []Change
	for i, c := range gone {
		back = append(back, Change{Path: c.Path, Parent: up.ID, Missing: 1, New: &New{FromSlot: done.Slots[i], Sum: c.Old.sum(), From: -1}})
	}
	_, err = s.Run(context.Background(), Tx{Changes: back, Record: audit.Record{Kind: audit.Undo}})
	must(err)
	for i, name := range names {
		is, err := os.Lstat(at(name))
		must(err)
		if !os.SameFile(is, was[name]) || is.Mode() != was[name].Mode() || !is.ModTime().Equal(was[name].ModTime()) {
			t.Errorf("%s is %v, was %v", name, is, was[name])
		}
		if _, err := os.Lstat(filepath.Join(top, storeName, "slots", done.Slots[i])); !os.IsNotExist(err) {
			t.Errorf("%s is still kept: %v", name, err)
		}
	}
	if link, err := os.Readlink(at("d/l")); link != "f" || err != nil {
		t.Errorf("the link says %q, %v", link, err)
	}
}
