//go:build linux

package writers

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// unreadable stands for the hash of a file that may not be read.
const unreadable = "unreadable"

// name is what a name of the tree is.
type name struct {
	mode  fs.FileMode
	size  int64
	sum   string // of a file, or of the target of a link
	mtime time.Time
	inode uint64
	links int // how many names of the tree it has
}

// tree describes a tree by its paths.
type tree map[string]name

// snapshot describes every name below dir but .git, .emend and what is ignored.
func snapshot(t *testing.T, dir string, ignored func(path string) bool) tree {
	t.Helper()
	out, names := tree{}, map[uint64]int{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrPermission) && d.IsDir() { // it may not be read, and is described already
			return filepath.SkipDir
		}
		if err != nil || p == dir {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == ".emend") {
			return filepath.SkipDir
		}
		is, err := os.Lstat(p)
		if err != nil {
			return err
		}
		if ignored(rel) && d.IsDir() {
			out[rel] = name{mode: is.Mode()}
			return filepath.SkipDir
		}
		n := name{mode: is.Mode()}
		switch {
		case is.Mode().IsRegular():
			n.size, n.mtime, n.inode = is.Size(), is.ModTime(), is.Sys().(*syscall.Stat_t).Ino
			names[n.inode]++
			if n.sum, err = sumOfFile(p); errors.Is(err, fs.ErrPermission) {
				n.sum, err = unreadable, nil
			}
		case is.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = os.Readlink(p)
			n.mtime, n.sum = is.ModTime(), fmt.Sprintf("%x", sha256.Sum256([]byte(target)))
		}
		out[rel] = n
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for p, n := range out {
		n.links = names[n.inode]
		out[p] = n
	}
	return out
}

func sumOfFile(p string) (string, error) {
	f, err := os.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// changed lists the names that differ in more than the time and the number of links.
func changed(before, after tree) map[string]string {
	out := map[string]string{}
	for p, b := range before {
		a, ok := after[p]
		switch {
		case !ok:
			out[p] = "gone"
		case a.mode != b.mode && a.sum == b.sum && a.mode.Type() == b.mode.Type():
			out[p] = fmt.Sprintf("mode %v, was %v", a.mode, b.mode)
		case a.mode != b.mode || a.sum != b.sum:
			out[p] = "other content"
		}
	}
	for p := range after {
		if _, ok := before[p]; !ok {
			out[p] = "new"
		}
	}
	return out
}

// notBack lists what differs after an undo. was is the tree before the writer, done the tree that it left. What it changed must be
// as before, with its time from then or that of the undo, and the rest as it was left.
func notBack(was, done, now tree, undone time.Time) map[string]string {
	out := changed(was, now)
	touched := changed(was, done)
	for p, n := range now {
		if _, ok := out[p]; ok || n.mode.IsDir() {
			continue
		}
		_, is := touched[p]
		switch {
		case n.links != was[p].links:
			out[p] = fmt.Sprintf("%d links, had %d", n.links, was[p].links)
		case is && n.mode.IsRegular() && n.mtime.Before(undone) && !n.mtime.Equal(was[p].mtime):
			out[p] = fmt.Sprintf("time %v, want %v or that of the undo", n.mtime, was[p].mtime)
		case n.mode&fs.ModeSymlink != 0: // the times of links are not promised
		case !is && !n.mtime.Equal(done[p].mtime):
			out[p] = fmt.Sprintf("time %v, want %v", n.mtime, done[p].mtime)
		}
	}
	return out
}

func listed(m map[string]string) string {
	var out strings.Builder
	for i, p := range slices.Sorted(maps.Keys(m)) {
		if i == 20 {
			fmt.Fprintf(&out, "\n  and %d more", len(m)-i)
			break
		}
		fmt.Fprintf(&out, "\n  %s: %s", p, m[p])
	}
	return out.String()
}
