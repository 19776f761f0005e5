package sweep

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBindMounts runs in a root that is a bind mount, in trees where a file or a directory of the patch is one, and with one for a
// store. A bind mount of what is protected must not give it another name.
func TestBindMounts(t *testing.T) {
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	top := mount(t, "tmpfs", "size=64m")
	real, bound := filepath.Join(top, "real"), filepath.Join(top, "bound")
	for _, dir := range []string{real, bound} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	defer bind(t, real, bound)()
	var c, parts count
	for _, w := range workloads(t) {
		if r := c.try(t, realTrial{w: w, what: "bound root", prog: prog, as: prog, dir: bound}); r.Exit != 0 {
			t.Errorf("%s in a bound root: exit %d: %s%s", w.name, r.Exit, r.Out, r.ErrText)
		}
		boundParts(t, prog, w, top, &parts)
	}
	t.Logf("T2: bind mount as the root: %s", &c)
	t.Logf("T2: a file or directory of the tree, or the store, is a bind mount: %s", &parts)
	if parts.refused == 0 || parts.undecided > 0 {
		t.Errorf("bound parts: %s", &parts)
	}
	t.Logf("T2: protected and foreign files bound to other names: %d calls, all refused", boundNames(t, top))
}

// bind mounts from on to, and returns what unmounts it.
func bind(t *testing.T, from, to string) (ease func()) {
	t.Helper()
	if err := unix.Mount(from, to, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("T2 NOT RUN: bind mounts: %v", err)
	}
	return func() { unix.Unmount(to, unix.MNT_DETACH) }
}

// boundParts mounts each path of a tree on itself in turn, and the parts of its store.
func boundParts(t *testing.T, prog program, w *workload, top string, c *count) {
	t.Helper()
	paths := slices.Collect(maps.Keys(w.before()))
	if !w.fresh && w.git {
		paths = append(paths, ".git", ".git/emend", ".git/emend/slots", ".git/emend/log")
	}
	for _, name := range slices.Sorted(slices.Values(paths)) {
		c.try(t, realTrial{w: w, what: "bound " + name, prog: prog, as: prog, dir: top, around: func(ws string) func() {
			return bind(t, filepath.Join(ws, name), filepath.Join(ws, name))
		}})
	}
}

// boundNames gives protected files, and files outside, names in the workspace by bind mounts, and tries to change and read them there.
func boundNames(t *testing.T, top string) (tried int) {
	t.Helper()
	ws, out := filepath.Join(top, "ws"), filepath.Join(top, "out")
	plantGuarded(t, ws)
	plantGuarded(t, out)
	defer os.RemoveAll(ws)
	was, err := read(ws, ".git/emend")
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		ws + "/.git/config": "free.txt", ws + "/.env": "free.txt", ws + "/.git/hooks": "bound", ws + "/.git": "bound", ws + "/.claude": "bound",
		ws + "/deep": "bound", out + "/.env": "free.txt", out + "/deep": "bound", out + "/sub": "bound", ws: "bound",
	} {
		full := filepath.Join(ws, to)
		if to == "bound" {
			if err := os.Mkdir(full, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		ease := bind(t, from, full)
		for _, name := range namesBelow(t, full, to) {
			for _, patch := range []string{"*** Update File: " + name + "\n@@\n-old\n+new\n", "*** Delete File: " + name + "\n",
				"*** Add File: " + filepath.Dir(name) + "/new.txt\n+new\n", "*** Move File: " + name + " -> elsewhere.txt\n"} {
				if name == to && strings.Contains(patch, "new.txt") {
					continue // beside the mount is the workspace
				}
				if r := applyText(t, ws, patch); r.Exit != 1 {
					t.Errorf("%s bound at %s: %q: exit %d: %s%s", from, to, patch, r.Exit, r.Out, r.ErrText)
				}
				tried++
			}
			if name == to {
				continue // a file that the superuser binds to another name can be read there
			}
			if text := readText(t, ws, name); strings.Contains(text, strings.TrimSpace(secretText)) {
				t.Errorf("%s bound at %s: reading %q, or searching, shows the secret: %s", from, to, name, text)
			}
			tried += 2
		}
		ease()
		if to == "bound" {
			os.Remove(full)
		}
		is, err := read(ws, ".git/emend")
		if d := difference(is, was); d != "" || err != nil {
			t.Errorf("%s bound at %s: %v, %s", from, to, err, d)
		}
	}
	return tried
}

// namesBelow returns the files of a bind mount by their paths in the workspace.
func namesBelow(t *testing.T, full, to string) (out []string) {
	t.Helper()
	if fi, err := os.Stat(full); err == nil && !fi.IsDir() {
		return []string{to}
	}
	inside, err := read(full, ".git/emend")
	if err != nil {
		t.Fatal(err)
	}
	for name, is := range inside {
		if !strings.HasPrefix(is, "directory") {
			out = append(out, filepath.Join(to, name))
		}
	}
	return out
}
