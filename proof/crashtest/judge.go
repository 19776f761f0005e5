package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
)

// treeState classifies a tree after a crash, before any recovery.
type treeState string

const (
	right   treeState = "right"   // one of the allowed trees
	old     treeState = "old"     // a tree from before the last acknowledged transaction
	mixed   treeState = "mixed"   // every file is whole, but they are not of one tree, or there are additional files
	torn    treeState = "torn"    // a file has a content or a mode that it never had
	strange treeState = "strange" // the tree cannot be read
	dead    treeState = "dead"    // the file system cannot be mounted
)

var raws = []treeState{right, old, mixed, torn, strange, dead}

// verdict is the result for one state.
type verdict struct {
	Raw   treeState
	Tree  int  // number of the tree after the recovery, or -1
	Moved bool // the recovery changed the tree
	Wrong []string
}

// treeNumber returns the number of the tree that got equals, or -1. It tries the newest tree first.
func (w *work) treeNumber(got tree, from, to int) int {
	for i := to; i >= from; i-- {
		if maps.Equal(w.trees[i], got) {
			return i
		}
	}
	return -1
}

// classify classifies a tree that a power cut at m left.
func (w *work) classify(got tree, m mark) treeState {
	switch {
	case w.treeNumber(got, m.Acked, m.Begun) >= 0:
		return right
	case w.treeNumber(got, 0, m.Acked) >= 0:
		return old
	}
	for p, e := range got {
		if w.hasPath(p) && !slices.ContainsFunc(w.trees, func(t tree) bool { return t[p] == e }) {
			return torn
		}
	}
	return mixed
}

// hasPath reports whether any of the trees has the path p.
func (w *work) hasPath(p string) bool {
	return slices.ContainsFunc(w.trees, func(t tree) bool { _, there := t[p]; return there })
}

// differ summarizes how got differs from want.
func differ(want, got tree) string {
	var out []string
	for _, p := range slices.Sorted(maps.Keys(want)) {
		e, there := got[p]
		switch {
		case !there:
			out = append(out, p+" is missing")
		case e.mode != want[p].mode:
			out = append(out, fmt.Sprintf("%s has mode %v, not %v", p, e.mode, want[p].mode))
		case e.text != want[p].text:
			out = append(out, fmt.Sprintf("%s has another text (%d bytes, not %d)", p, len(e.text), len(want[p].text)))
		}
	}
	for _, p := range slices.Sorted(maps.Keys(got)) {
		if _, wanted := want[p]; !wanted {
			out = append(out, p+" should not be there")
		}
	}
	if more := len(out) - 4; more > 0 {
		out = append(out[:4], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// verify returns the number of the tree after the recovery, or what is wrong with it.
func (w *work) verify(got tree, m mark) (int, error) {
	if t := w.treeNumber(got, m.Acked, m.Begun); t >= 0 {
		return t, nil
	}
	why := fmt.Sprintf("not tree %d (%s)", m.Acked, differ(w.trees[m.Acked], got))
	if m.Begun > m.Acked {
		why += fmt.Sprintf(" and not tree %d (%s)", m.Begun, differ(w.trees[m.Begun], got))
	}
	return -1, errors.New(why)
}

// readTree reads everything below fsys except the directory .git.
func readTree(fsys fs.FS) (tree, error) {
	t := tree{}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p == ".":
			return nil
		case p == ".git":
			return fs.SkipDir
		}
		return t.add(fsys, p, d)
	})
	return t, err
}

func (t tree) add(fsys fs.FS, p string, d fs.DirEntry) error {
	fi, err := d.Info()
	if err != nil {
		return err
	}
	e := entry{mode: fi.Mode()}
	if fi.Mode().IsRegular() {
		text, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		e.text = string(text)
	}
	t[p] = e
	return nil
}
