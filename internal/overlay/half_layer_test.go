//go:build linux && (amd64 || arm64)

package overlay

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestCommandRemovesItsDirectory checks that the layer is sealed though the directory in which all began is gone.
func TestCommandRemovesItsDirectory(t *testing.T) {
	for _, script := range []string{"cd ..; rm -r sub", "cd ..; mv sub other"} {
		root := tree(t, map[string]string{"a": "1", "sub/b": "2"})
		o := options(t, root, script)
		o.Cwd = filepath.Join(root, "sub")
		l := runIn(t, o)
		if err := l.Usable(); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// TestUnmarkedCopyIsStillACopy checks that the removal of a file by somebody is found also when the layer has lost its marks.
func TestUnmarkedCopyIsStillACopy(t *testing.T) {
	root := tree(t, map[string]string{"a": "1", "b": "1"})
	l, _ := sh(t, root, "echo 2 > a; echo 2 > b; echo 2 > n")
	list, err := l.Changes()
	must(t, err)
	must(t, l.Unmark(list))
	must(t, l.Unmark(list))
	must(t, os.Remove(filepath.Join(root, "a")))
	l, err = Open(l.Dir)
	must(t, err)
	list, err = l.Changes()
	must(t, err)
	moved, err := l.Moved(list)
	must(t, err)
	if len(moved) != 1 || moved[0].Path != "a" {
		t.Errorf("moved = %v", moved)
	}
}

// TestHalfRemovedLayer checks that what a failed removal leaves of a layer is not taken for the layer.
func TestHalfRemovedLayer(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("NOT RUN: only root can make a file that cannot be removed")
	}
	root := tree(t, map[string]string{"a": "1"})
	l, _ := sh(t, root, "echo 2 > a; mkdir d; echo 2 > d/stays; echo 2 > z")
	stays, err := os.Open(filepath.Join(l.upper(), "d/stays"))
	must(t, err)
	defer stays.Close()
	const immutable = 0x10
	if err := unix.IoctlSetPointerInt(int(stays.Fd()), unix.FS_IOC_SETFLAGS, immutable); err != nil {
		t.Skip("NOT RUN: no file here can be made immutable:", err)
	}
	err = l.Discard()
	must(t, unix.IoctlSetPointerInt(int(stays.Fd()), unix.FS_IOC_SETFLAGS, 0))
	if err == nil {
		t.Fatal("it was removed")
	}
	half, err := Open(l.Dir)
	must(t, err)
	if list, err := half.Changes(); err == nil {
		t.Errorf("half a layer has the changes\n%s", lines(list))
	}
	must(t, half.Discard())
}
