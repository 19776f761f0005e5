//go:build linux && (amd64 || arm64)

package overlay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// needRenames skips a test where the system does not let renames be watched.
func needRenames(t *testing.T) {
	t.Helper()
	if l := runIn(t, options(t, tree(t, nil), "true")); !l.Renames {
		t.Skip("NOT RUN: the system does not let a supervisor watch renames")
	}
}

// python returns a script for sh that runs a program with os and errno.
func python(program string) string {
	return "python3 - <<'END'\nimport os, errno\n" + program + "\nEND"
}

// TestRenameDirectory: rename(2) of a directory that was there works as without an overlay, also of one with changes in it.
func TestRenameDirectory(t *testing.T) {
	needRenames(t)
	need(t, "python3")
	files := map[string]string{"d/a": "1", "d/e/b": "2", "d/l": "-> a", "f/": "", "g/x": "3"}
	for name, tc := range map[string]struct{ script, want string }{
		"whole": {`os.rename("d", "n")`, `- deleted d
			- deleted d/a
			- deleted d/e
			- deleted d/e/b
			- deleted d/l
			+ directory n whole
			+ file n/a
			+ directory n/e whole
			+ file n/e/b
			+ symlink n/l`},
		"absolute":          {`os.rename(os.getcwd() + "/g", os.getcwd() + "/h")`, "- deleted g\n- deleted g/x\n+ directory h whole\n+ file h/x"},
		"by handles":        {`a, b = os.open("d", 0), os.open("g", 0); os.rename("e", "e", src_dir_fd=a, dst_dir_fd=b)`, "- deleted d/e\n- deleted d/e/b\n+ directory g/e whole\n+ file g/e/b"},
		"changed first":     {`open("g/y", "w").write("4"); open("g/x", "a").write("5"); os.rename("g", "h")`, "- deleted g\n- deleted g/x\n+ directory h whole\n+ file h/x\n+ file h/y"},
		"twice":             {`os.rename("g", "h"); os.rename("h", "i")`, "- deleted g\n- deleted g/x\n+ directory i whole\n+ file i/x"},
		"and back":          {`os.rename("g", "h"); os.rename("h", "g")`, ""},
		"onto an empty one": {`os.rename("g", "f")`, "+ file f/x\n- deleted g\n- deleted g/x"},
		"below a rename":    {`os.rename("d", "n"); os.rename("n/e", "e")`, "- deleted d\n- deleted d/a\n- deleted d/e\n- deleted d/e/b\n- deleted d/l\n+ directory e whole\n+ file e/b\n+ directory n whole\n+ file n/a\n+ symlink n/l"},
		"exchange": {`
import ctypes
if ctypes.CDLL(None, use_errno=True).renameat2(-100, b"d/e", -100, b"g", 2): raise OSError(ctypes.get_errno(), "exchange")`,
			"- deleted d/e/b\n+ file d/e/x\n+ file g/b\n- deleted g/x"},
		"refused: not empty": {`
try: os.rename("g", "d")
except OSError as e: assert e.errno == errno.ENOTEMPTY, e`, ""},
		"refused: into itself": {`
try: os.rename("d", "d/e/d")
except OSError as e: assert e.errno == errno.EINVAL, e`, ""},
		"refused: no such": {`
try: os.rename("nothing", "d")
except OSError as e: assert e.errno == errno.ENOENT, e`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, files)
			before := state(t, root)
			_, got := sh(t, root, python(tc.script))
			want(t, got, tc.want)
			if state(t, root) != before {
				t.Error("the tree changed")
			}
		})
	}
}

// TestRenameKeeps: the copy of a renamed directory is the directory in all but inodes.
func TestRenameKeeps(t *testing.T) {
	needRenames(t)
	need(t, "python3")
	root := tree(t, map[string]string{"d/a": "1", "d/x/b": "2"})
	if out, err := runOutside(root, "chmod 750 d/x; ln d/a d/hard; chmod 755 d/a; ln -s a d/link; mkfifo d/fifo; truncate -s 10M d/sparse; echo x >> d/sparse; "+
		"touch -h -d 2001-02-03 d/link d/a d/x"); err != nil {
		t.Fatal(out)
	}
	_, got := sh(t, root, python(`
import stat
os.setxattr("d/x/b", "user.k", b"v")
def state(top):
    out = []
    for at, dirs, files in os.walk(top):
        dirs.sort()
        for n in [at] + sorted(os.path.join(at, f) for f in files):
            s = os.lstat(n)
            file = stat.S_ISREG(s.st_mode)
            out.append((n[len(top):], s.st_mode, file and (s.st_size, s.st_nlink, s.st_blocks), s.st_mtime_ns, os.listxattr(n, follow_symlinks=False)))
    return out
before = state("d"); os.rename("d", "n"); after = state("n")
for a, b in zip(before, after): assert a == b, "%s\n%s" % (a, b)
assert os.stat("n/a").st_ino == os.stat("n/hard").st_ino`))
	if !strings.Contains(got, "+ file n/hard\n") {
		t.Error(got)
	}
}

// TestGitMove: what agents do every day.
func TestGitMove(t *testing.T) {
	needRenames(t)
	need(t, "git")
	root := tree(t, map[string]string{"src/a.go": "package a\n", "src/sub/b.go": "package b\n"})
	const git = "git -c user.name=a -c user.email=a@b -c gc.auto=0 "
	if out, err := runOutside(root, "git init -q . && git add . && "+git+"commit -qm x"); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	layer, got := sh(t, root, "git mv src lib; git status --porcelain > status; "+git+"commit -qm y; git fsck --strict --no-progress")
	for _, line := range []string{"- deleted src\n", "+ directory lib whole\n", "+ file lib/sub/b.go\n", "~ file .git/index\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	status, _ := os.ReadFile(filepath.Join(layer.upper(), "status"))
	if !strings.HasPrefix(string(status), "R  src/a.go -> lib/a.go\n") {
		t.Errorf("%s", status)
	}
}

// TestNode: renameSync of a directory.
func TestNode(t *testing.T) {
	needRenames(t)
	need(t, "node")
	root := tree(t, map[string]string{"d/a": "1"})
	_, got := sh(t, root, `node -e 'require("fs").renameSync("d", "e")'`)
	want(t, got, "- deleted d\n- deleted d/a\n+ directory e whole\n+ file e/a")
}

// TestManyRenames: threads and processes that rename files are all answered.
func TestManyRenames(t *testing.T) {
	need(t, "python3")
	root := tree(t, nil)
	_, got := sh(t, root, "for p in 1 2 3 4; do (\nP=$p "+python(`
import threading
def go(n):
    for i in range(200):
        open(n + ".tmp", "w").write(str(i)); os.replace(n + ".tmp", n)
all = [threading.Thread(target=go, args=("f%s-%d" % (os.environ["P"], i),)) for i in range(2)]
[t.start() for t in all]; [t.join() for t in all]`)+"\n) & done; wait")
	if n := strings.Count(got, "+ file f"); n != 8 || strings.Contains(got, "tmp") {
		t.Error(got)
	}
}
