//go:build linux && (amd64 || arm64)

package overlay

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/vfs"
)

// realTree opens directories below a root.
type realTree string

func (r realTree) OpenDir(p string) (vfs.Dir, error) { return vfs.Open(filepath.Join(string(r), p)) }

// TestLand: files and links of a layer, put in place by a commit, are what the command would have made of the tree itself: contents,
// modes, times, attributes and hard links, and no mark of the overlay.
func TestLand(t *testing.T) {
	need(t, "python3")
	const script = `
set -e
echo more >> a; echo new > d/new; chmod 640 d/new; ln -s ../a d/l; ln -sf nowhere link
chmod 755 tool; rm gone; mv moved sub; truncate -s 5M sparse; echo x >> sparse
echo twin > t1; ln t1 t2; chmod 444 readonly; sed -i s/1/2/ readonly
mkdir -p n/e/w; echo deep > n/e/w/f
python3 -c 'import os; os.setxattr("a", "user.k", b"v")'
touch -h -d 2001-02-03 a d/new d/l link tool sparse t1 readonly n/e/w/f sub/moved`
	files := map[string]string{"a": "1\n", "d/b": "1\n", "link": "-> a", "tool": "1\n", "gone": "1\n", "moved": "1\n", "sub/": "", "readonly": "1\n"}
	prepare := func() string {
		root := tree(t, files)
		must(t, os.Chmod(filepath.Join(root, "readonly"), 0o444))
		must(t, os.Chtimes(filepath.Join(root, "d/b"), time.Time{}, time.Unix(1e9, 0)))
		return root
	}
	plain := prepare()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = plain
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	root := prepare()
	store := filepath.Join(root, ".store")
	must(t, os.MkdirAll(filepath.Join(store, "runs"), 0o700))
	dir, err := vfs.Open(store)
	must(t, err)
	must(t, commit.Create(dir, ".."))
	s, err := commit.Open(dir, realTree(root), commit.Options{})
	must(t, err)
	defer s.Close()
	o := options(t, root, script)
	o.Dir = filepath.Join(store, "runs/1")
	l := runIn(t, o)
	if l.Exit != 0 {
		t.Fatal(l.Exit)
	}
	list, err := l.Changes()
	must(t, err)
	moved, err := l.Moved(list)
	must(t, err)
	if len(moved) > 0 {
		t.Fatal(moved)
	}
	must(t, l.Unmark(list))
	tx := commit.Tx{Files: realTree(l.upper()), Record: audit.Record{Kind: audit.Commit}}
	for _, c := range list {
		if c.Kind == Dir {
			continue // made as needed
		}
		tx.Changes = append(tx.Changes, landChange(t, l, root, c))
		tx.Record.Ops = append(tx.Record.Ops, audit.Op{Operation: "change", Path: c.Path})
	}
	if _, err := s.Run(context.Background(), tx); err != nil {
		t.Fatal(err)
	}
	again, err := l.Changes()
	must(t, err)
	if s := lines(again); strings.Contains(s, "file") || strings.Contains(s, "symlink") {
		t.Errorf("the layer still has\n%s", s)
	}
	must(t, l.Discard())
	if got, want := whole(t, root), whole(t, plain); got != want {
		t.Errorf("landed:\n%s\nwithout an overlay:\n%s", got, want)
	}
}

// landChange makes the change of a commit.
func landChange(t *testing.T, l *Layer, root string, c Change) commit.Change {
	t.Helper()
	out := commit.Change{Path: c.Path}
	up := filepath.Dir(filepath.Join(root, c.Path))
	for ; ; up = filepath.Dir(up) {
		if _, err := os.Stat(up); err == nil {
			break
		}
		out.Missing++
	}
	dir, err := vfs.Open(up)
	must(t, err)
	defer dir.Close()
	is, err := dir.Stat(".")
	must(t, err)
	out.Parent = is.ID
	if c.Old != nil {
		out.Old = &commit.Old{Info: *c.Old}
		if c.Old.Mode.IsRegular() {
			out.Old.Sum, err = l.OldSum(c)
			must(t, err)
		} else {
			out.Old.Link, _ = os.Readlink(filepath.Join(root, c.Path))
		}
	}
	if c.Kind != Deleted {
		out.New = &commit.New{From: -1, File: c.Path, FileInfo: &c.New}
		if c.Kind == File {
			out.New.Sum, err = l.NewSum(c)
			must(t, err)
		}
	}
	return out
}

// whole describes a tree: modes, contents, times of files, names of one file, attributes, space on disk.
func whole(t *testing.T, root string) string {
	t.Helper()
	var out []string
	names := map[uint64]string{}
	must(t, filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
		rel := strings.TrimPrefix(p, root)
		if err != nil || below(rel, "/.store") {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var line strings.Builder
		line.WriteString(fmt.Sprint(rel, " ", info.Mode(), " "))
		st := info.Sys().(*syscall.Stat_t)
		if !d.IsDir() {
			line.WriteString(fmt.Sprint(info.ModTime().UTC(), " links ", st.Nlink, " ", names[st.Ino]))
			names[st.Ino] = rel
		}
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			line.WriteString(fmt.Sprintf(" %d bytes, %d blocks, %.20q", len(data), st.Blocks, data))
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(p)
			line.WriteString(" " + to)
		}
		for name, value := range xattrs(p, "security.") {
			line.WriteString(fmt.Sprintf(" %s=%q", name, value))
		}
		out = append(out, line.String())
		return nil
	}))
	slices.Sort(out)
	return strings.Join(out, "\n")
}
