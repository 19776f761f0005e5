//go:build linux && (amd64 || arm64)

package overlay

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestChanges: what commands do, what the layer makes of it, and that the tree is as it was.
func TestChanges(t *testing.T) {
	for name, tc := range map[string]struct {
		files        map[string]string
		script, want string
	}{
		"nothing":             {map[string]string{"a": "1"}, "true", ""},
		"new":                 {nil, "echo x > a; mkdir d; echo y > d/b", "+ file a\n+ directory d whole\n+ file d/b"},
		"write in place":      {map[string]string{"a": "1"}, "echo 2 >> a", "~ file a"},
		"replace":             {map[string]string{"a": "1"}, "echo 2 > b; mv b a", "~ file a"},
		"opened, not written": {map[string]string{"a": "1"}, "exec 5<>a; exec 5>&-", ""},
		"touch":               {map[string]string{"a": "1"}, "touch a", ""},
		"there and back":      {map[string]string{"a": "1"}, "cp a b; echo 2 > a; cat b > a; rm b", ""},
		"chmod":               {map[string]string{"a": "1"}, "chmod 755 a", "~ file a same"},
		"delete":              {map[string]string{"a": "1", "b": "2"}, "rm a", "- deleted a"},
		"delete a directory":  {map[string]string{"d/a": "1", "d/e/b": "2"}, "rm -r d", "- deleted d\n- deleted d/a\n- deleted d/e\n- deleted d/e/b"},
		"replace a directory": {map[string]string{"d/a": "1", "d/b": "2", "d/e/f": "3"}, "rm -r d; mkdir d; echo 1 > d/x; printf 2 > d/b; mkdir d/e", "- deleted d/a\n- deleted d/e/f\n+ file d/x"},
		"directory by file":   {map[string]string{"d/a": "1"}, "rm -r d; echo 1 > d", "~ file d\n- deleted d/a"},
		"file by directory":   {map[string]string{"d": "1"}, "rm d; mkdir d; echo 1 > d/a", "~ directory d whole\n+ file d/a"},
		"delete and make":     {map[string]string{"a": "1"}, "rm a; echo 2 > a", "~ file a"},
		"make and delete":     {map[string]string{"a": "1"}, "mkdir d; echo 2 > d/b; rm -r d", ""},
		"rename":              {map[string]string{"a": "1"}, "mv a b", "- deleted a\n+ file b"},
		"symlink":             {map[string]string{"a": "1", "l": "-> a", "m": "-> a"}, "ln -sf nowhere l; ln -s /etc/x n; ln -sf a m", "~ symlink l\n+ symlink n"},
		"file by symlink":     {map[string]string{"a": "1", "b": "1"}, "rm a; ln -s b a", "~ symlink a"},
		"fifo":                {nil, "mkfifo f", "+ special f"},
		"chmod a directory":   {map[string]string{"d/a": "1"}, "chmod 700 d", "~ directory d same"},
		"chmod the top":       {nil, "chmod 700 .", "~ directory . same"},
		"in a directory":      {map[string]string{"d/e/a": "1", "d/b": "1"}, "echo 2 > d/e/a", "~ file d/e/a"},
		"an empty file":       {map[string]string{"a": "1"}, ": > a; : > b", "~ file a\n+ file b"},
		"odd names":           {map[string]string{"a": "1"}, "printf x > 'a b'; printf y > \"$(printf 'new\\nline')\"; printf z > '-'", "+ file -\n+ file a b\n+ file new\nline"},
		"hard links":          {map[string]string{"a": "1"}, "ln a b; echo 2 > c; ln c d", "+ file b\n+ file c\n+ file d"},
		"no rights":           {map[string]string{"a": "1"}, "mkdir d; echo 1 > d/f; chmod 0 d/f; chmod 0 d; chmod 0 a", "~ file a\n+ directory d whole\n+ file d/f"},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, tc.files)
			before := state(t, root)
			_, got := sh(t, root, tc.script)
			if os.Geteuid() == 0 && name == "no rights" {
				tc.want = "~ file a same\n+ directory d whole\n+ file d/f" // root can read it
			}
			want(t, got, tc.want)
			if after := state(t, root); after != before {
				t.Errorf("the tree changed:\n%swas:\n%s", after, before)
			}
		})
	}
}

// TestAttributes: an attribute is a change; the overlay's own marks are not.
func TestAttributes(t *testing.T) {
	need(t, "python3")
	root := tree(t, map[string]string{"a": "1", "b": "1"})
	must(t, unix.Setxattr(filepath.Join(root, "b"), "user.x", []byte("1"), 0))
	_, got := sh(t, root, `python3 -c 'import os
os.setxattr("a", "user.x", b"1")
os.utime("b", (1, 1))'`)
	want(t, got, "~ file a same")
}

// TestLinks: names of one file have the same identity, whether the file is new or not.
func TestLinks(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	l, _ := sh(t, root, "ln a b; echo 2 > c; ln c d; echo 3 >> b")
	list, err := l.Changes()
	must(t, err)
	want(t, lines(list), "~ file a\n+ file b\n+ file c\n+ file d")
	if list[0].New.ID != list[1].New.ID || list[2].New.ID != list[3].New.ID || list[0].New.ID == list[2].New.ID {
		t.Errorf("the links are %v", list)
	}
}

// TestOldLinks: the directory's own hard links are told, since a write to one of them leaves the other as it is.
func TestOldLinks(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	must(t, os.Link(filepath.Join(root, "a"), filepath.Join(root, "b")))
	l, _ := sh(t, root, "echo 2 >> a")
	list, err := l.Changes()
	must(t, err)
	want(t, lines(list), "~ file a")
	if list[0].Old.Links != 2 {
		t.Errorf("links: %d", list[0].Old.Links)
	}
}

// TestSums: the sums are those of the two files.
func TestSums(t *testing.T) {
	root := tree(t, map[string]string{"d/a": "1"})
	l, _ := sh(t, root, "printf 2 > d/a")
	list, err := l.Changes()
	must(t, err)
	old, err := l.OldSum(list[0])
	must(t, err)
	now, err := l.NewSum(list[0])
	must(t, err)
	if old != "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b" || now != "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35" {
		t.Error(old, now)
	}
}

// TestOldSumOfSave: a save after Changes has looked has no sum, or the layer could land on it.
func TestOldSumOfSave(t *testing.T) {
	for name, save := range map[string]string{"in place": "echo 3 > a", "atomically": "echo 3 > b; mv b a", "as long": "printf 9 > a", "mode": "chmod 600 a"} {
		root := tree(t, map[string]string{"a": "1"})
		l, _ := sh(t, root, "echo 2 > a")
		list, err := l.Changes()
		must(t, err)
		if out, err := runOutside(root, save); err != nil {
			t.Fatal(out)
		}
		if sum, err := l.OldSum(list[0]); err == nil {
			t.Errorf("%s: %s", name, sum)
		}
	}
}

// TestXattrWhiteout: newer kernels have whiteouts without devices. This one writes none, so the test makes one.
func TestXattrWhiteout(t *testing.T) {
	root := tree(t, map[string]string{"d/a": "1", "d/b": "1"})
	l, _ := sh(t, root, "echo 2 > d/b")
	white := filepath.Join(l.upper(), "d/a")
	must(t, os.WriteFile(white, nil, 0o644))
	must(t, unix.Setxattr(white, l.Xattr+"overlay.whiteout", nil, 0))
	must(t, unix.Setxattr(filepath.Join(l.upper(), "d"), l.Xattr+"overlay.opaque", []byte("x"), 0))
	want(t, changes(t, l), "- deleted d/a\n~ file d/b")
}

// TestUnknownMarks: a layer with what this package never asks the kernel for is refused, not misread.
func TestUnknownMarks(t *testing.T) {
	for _, mark := range []string{"redirect", "metacopy"} {
		root := tree(t, map[string]string{"a": "1"})
		l, _ := sh(t, root, "echo 2 > a")
		must(t, unix.Setxattr(filepath.Join(l.upper(), "a"), l.Xattr+"overlay."+mark, []byte("x"), 0))
		if _, err := l.Changes(); err == nil {
			t.Errorf("%s was accepted", mark)
		}
	}
}

// TestStoreInside: the layer may lie in the tree, and is no change of it.
func TestStoreInside(t *testing.T) {
	root := tree(t, map[string]string{"a": "1", ".git/emend/x": "1"})
	o := options(t, root, "echo 2 > a; rm -rf .git 2>/dev/null; find . > /dev/null 2>&1; true")
	o.Dir = filepath.Join(root, ".git/emend/run")
	l := runIn(t, o)
	list, err := l.Changes()
	must(t, err)
	for _, c := range list {
		if below(c.Path, ".git/emend/run") {
			t.Errorf("%v", c)
		}
	}
	want(t, lines(list[len(list)-1:]), "~ file a")
}
