//go:build linux && (amd64 || arm64)

package overlay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// refused runs the command, which must be refused before anything happens, and returns why.
func refused(t *testing.T, o Options) string {
	t.Helper()
	o.Stderr = os.Stderr
	l, err := Run(context.Background(), o)
	u, ok := errors.AsType[*Unsupported](err)
	if !ok || l != nil {
		t.Fatalf("%+v, %v", l, err)
	}
	if names, err := os.ReadDir(o.Dir); err == nil {
		t.Errorf("%s is still there, with %v", o.Dir, names)
	}
	if _, err := os.Stat(filepath.Join(o.Root, "ran")); err == nil {
		t.Error("the command ran")
	}
	return u.Error() + "; " + u.Hint
}

// TestMountBelow: what is mounted below the root would be missing in the overlay.
func TestMountBelow(t *testing.T) {
	if mountsBelow("/dev") == nil {
		t.Skip("NOT RUN: nothing is mounted below /dev")
	}
	if why := refused(t, options(t, "/dev", "true")); !strings.Contains(why, "is a mount of its own below /dev") {
		t.Error(why)
	}
}

// TestForeignOwner: a file of another owner could not be changed. Root made the one that this test finds.
func TestForeignOwner(t *testing.T) {
	root := os.Getenv("EMEND_TEST_FOREIGN")
	if root == "" || os.Geteuid() == 0 {
		t.Skip("NOT RUN: needs root to make the file, and a user to find it")
	}
	runIn(t, options(t, tree(t, nil), "true")) // or NOT RUN
	if why := refused(t, options(t, root, "touch ran")); !strings.Contains(why, "d/of-root belongs to user 0") {
		t.Error(why)
	}
	o := options(t, root, "touch ran") // without time to search, it is not found
	o.OwnerSearch = time.Nanosecond
	if l := runIn(t, o); l.Exit != 0 {
		t.Error(l.Exit)
	}
	must(t, os.Rename(filepath.Join(root, "d/of-root"), filepath.Join(root, "of-root")))
	must(t, os.Remove(filepath.Join(root, "of-root")))
	if l := runIn(t, options(t, root, "true")); l.Exit != 0 {
		t.Error(l.Exit)
	}
}

// TestLayerOnOverlay: in a run, the file system is an overlay, and cannot have a layer. Another one can.
func TestLayerOnOverlay(t *testing.T) {
	for name, tc := range map[string]struct {
		layer string
		exit  int
	}{"inside": {"layer", 99}, "outside": {filepath.Join(t.TempDir(), "inner"), 5}} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, map[string]string{"sub/a": "1"})
			o := options(t, root, "")
			o.Args = []string{"/proc/self/exe"}
			exe, err := os.Executable()
			must(t, err)
			o.Args = []string{exe}
			o.Env = append(o.Env, "EMEND_TEST_CALLER="+filepath.Join(root, "sub"), "EMEND_TEST_LAYER="+tc.layer, "EMEND_TEST_SCRIPT=echo 2 > a; exit 5")
			l := runIn(t, o)
			if l.Exit != tc.exit {
				t.Errorf("exit %d, want %d", l.Exit, tc.exit)
			}
			want(t, changes(t, l), "")
			if inner, err := Open(tc.layer); err == nil {
				if list, err := inner.Changes(); err != nil || len(list) != 1 {
					t.Errorf("%v %v", list, err)
				}
				must(t, inner.Discard())
			}
		})
	}
}

// inNamespace runs a caller as "root" of a user namespace, after a script.
func inNamespace(t *testing.T, before string, o Options) (exit int) {
	t.Helper()
	need(t, "unshare")
	need(t, "setpriv")
	if out, err := exec.Command("unshare", "-Urm", "true").CombinedOutput(); err != nil {
		t.Skipf("NOT RUN: %s", out)
	}
	exe, err := os.Executable()
	must(t, err)
	cmd := caller(t, o, nil)
	cmd.Path, _ = exec.LookPath("unshare")
	cmd.Args = []string{"unshare", "-Urm", "sh", "-c", before + ` "$0"`, exe}
	cmd.Run()
	return cmd.ProcessState.ExitCode()
}

// TestNoNamespaces: a system that lets nobody make one.
func TestNoNamespaces(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	o := options(t, root, "exit 5")
	if exit := inNamespace(t, "echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --inh-caps=-all --bounding-set=-all", o); exit != 99 {
		t.Errorf("exit %d, want 99 for unsupported", exit)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("the layer is still there")
	}
}

// TestRootOfNamespace: root of a container may mount, and has the marks of a user.
func TestRootOfNamespace(t *testing.T) {
	root := tree(t, map[string]string{"a": "1", "d/b": "1"})
	o := options(t, root, "echo 2 > a; rm -r d; exit 5")
	if exit := inNamespace(t, "exec", o); exit != 5 {
		t.Fatalf("exit %d", exit)
	}
	l, err := Open(o.Dir)
	must(t, err)
	if l.Xattr != "user." {
		t.Error(l.Xattr)
	}
	want(t, changes(t, l), "~ file a\n- deleted d\n- deleted d/b")
	must(t, l.Discard())
}

// TestWords: what the system says, and what a person can do.
func TestWords(t *testing.T) {
	if got := unescapeMount(`/a\040b\\134`); got != `/a b\\` {
		t.Errorf("%q", got)
	}
	for path, wanted := range map[string]string{`/a:b,c\d`: `/a\:b\,c\\d`} {
		if got := escapeOption(path); got != wanted {
			t.Errorf("%q", got)
		}
	}
}

// TestBadOptions: refused without a trace.
func TestBadOptions(t *testing.T) {
	root := tree(t, map[string]string{"a": "1"})
	full := t.TempDir()
	must(t, os.WriteFile(filepath.Join(full, "x"), nil, 0o644))
	for name, change := range map[string]func(*Options){
		"no command":    func(o *Options) { o.Args = nil },
		"cwd elsewhere": func(o *Options) { o.Cwd = "/" },
		"no root":       func(o *Options) { o.Root += "nothing" },
		"layer not new": func(o *Options) { o.Dir = full },
		"layer nowhere": func(o *Options) { o.Dir = filepath.Join(root, "a/b") },
	} {
		o := options(t, root, "true")
		change(&o)
		if l, err := Run(context.Background(), o); err == nil || l != nil {
			t.Errorf("%s: %v", name, l)
		}
	}
	if _, err := os.Stat(filepath.Join(full, "x")); err != nil {
		t.Error(err)
	}
}

// BenchmarkTrue: a run costs the same in any tree. This one has 20,000 files.
func BenchmarkTrue(b *testing.B) {
	root := tree(b, map[string]string{"a": "1"})
	for i := range 20_000 {
		fill(b, root, map[string]string{fmt.Sprintf("%d/%d", i/100, i): ""})
	}
	dir := b.TempDir()
	for b.Loop() {
		o := Options{Root: root, Dir: filepath.Join(dir, "layer"), Args: []string{"true"}, Env: os.Environ(), Stderr: os.Stderr}
		l, err := Run(context.Background(), o)
		if err != nil {
			b.Skip("NOT RUN:", err)
		}
		if err := l.Discard(); err != nil {
			b.Fatal(err)
		}
	}
}
