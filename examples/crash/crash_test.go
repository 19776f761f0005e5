package main

import (
	"maps"
	"testing"

	"github.com/emend-dev/emend"
)

// TestChange: the patch leads from one tree to the other, also through each writer when nothing interrupts it.
func TestChange(t *testing.T) {
	c := newChange(40)
	for _, w := range writers {
		dir := t.TempDir()
		if err := c.old.lay(dir); err != nil {
			t.Fatal(err)
		}
		err := inWorkspace(dir, func(ws *emend.Workspace) error { return w.apply(ws, c.patch) })
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		got, err := readTree(dir)
		if err != nil || !maps.Equal(got, c.new) {
			t.Errorf("%s leaves a tree that is not the new one (%v)", w.name, err)
		}
	}
}

// TestCount: a tree that lacks a file, has one more or another byte is neither the old nor the new one.
func TestCount(t *testing.T) {
	c := newChange(10)
	less, more, other := maps.Clone(c.new), maps.Clone(c.new), maps.Clone(c.old)
	delete(less, c.first)
	more["dir0/more"] = ""
	other["dir3/file003.txt"] += " "
	var n count
	for _, tr := range []tree{c.old, c.new, less, more, other} {
		n.note(tr, &c)
	}
	if n != (count{old: 1, new: 1, other: 3}) {
		t.Errorf("%+v", n)
	}
}
