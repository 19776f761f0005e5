package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
)

// tree is the files of a workspace, by slash-separated path.
type tree map[string]string

// change is an old tree, a new tree, and the patch between them.
type change struct {
	old, new tree
	patch    string
	first    string // a file that the patch adds: once it exists, the writer has begun
}

// newChange makes a patch over so many files: of ten, seven are edited, one is added, one moved, one deleted.
func newChange(files int) change {
	c := change{old: tree{}, new: tree{}}
	var adds, moves, edits, deletes []string
	for i := range files {
		name := fmt.Sprintf("dir%d/file%03d.txt", i%7, i)
		before, after := content(i, "before"), content(i, "after")
		hunk := fmt.Sprintf("@@\n-line 20 of %d before\n+line 20 of %d after\n", i, i)
		switch i % 10 {
		case 0:
			c.new[name] = after
			adds = append(adds, "*** Add File: "+name+"\n+"+strings.ReplaceAll(strings.TrimSuffix(after, "\n"), "\n", "\n+")+"\n")
			c.first = first(c.first, name)
		case 1:
			to := strings.Replace(name, "file", "moved", 1)
			c.old[name], c.new[to] = before, after
			moves = append(moves, "*** Update File: "+name+"\n*** Move to: "+to+"\n"+hunk)
		case 2:
			c.old[name] = before
			deletes = append(deletes, "*** Delete File: "+name+"\n")
		default:
			c.old[name], c.new[name] = before, after
			edits = append(edits, "*** Update File: "+name+"\n"+hunk)
		}
	}
	all := append(append(append(adds, moves...), edits...), deletes...)
	c.patch = "*** Begin Patch\n" + strings.Join(all, "") + "*** End Patch\n"
	return c
}

func first(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// content returns forty lines, of which one changes.
func content(i int, when string) string {
	var b strings.Builder
	for n := range 40 {
		if n == 20 {
			fmt.Fprintf(&b, "line 20 of %d %s\n", i, when)
		} else {
			fmt.Fprintf(&b, "line %d of %d says what it always said, and is long enough to be real\n", n, i)
		}
	}
	return b.String()
}

// lay writes the tree into an empty workspace.
func (t tree) lay(dir string) error {
	for i := range 7 { // so that the patch needs no directories
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("dir%d", i)), 0o777); err != nil {
			return err
		}
	}
	for name, data := range t {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(data), 0o666); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(dir, ".git"), 0o777) // makes it the root of a workspace, whatever is above
}

// readTree reads every file of a workspace except those of the store.
func readTree(dir string) (tree, error) {
	t := tree{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == ".git" {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		t[filepath.ToSlash(rel)] = string(data)
		return err
	})
	return t, err
}

// count is the number of trees of each kind.
type count struct{ old, new, other int }

func (n *count) note(t tree, c *change) {
	switch {
	case maps.Equal(t, c.old):
		n.old++
	case maps.Equal(t, c.new):
		n.new++
	default:
		n.other++
	}
}
