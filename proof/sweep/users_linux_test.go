package sweep

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOtherUsers checks that a user without write permission changes nothing, and that files which root changes keep their
// owner.
func TestOtherUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("T2 NOT RUN: other users need root")
	}
	prog := newProgram(t, "")
	if !inNamespace(t, prog) {
		return
	}
	dir := mount(t, "tmpfs", "size=64m,mode=0755")
	const owner, stranger = 12345, 12346
	reachable(t, dir, &prog)
	as := func(uid uint32) program {
		p := prog
		p.user = &syscall.Credential{Uid: uid, Gid: uid}
		return p
	}
	for _, w := range workloads(t, "mixed", "first", "first_nogit") {
		exits := map[string]int{}
		for who, p := range map[string]program{"its owner": as(owner), "a stranger": as(stranger), "root": prog} {
			exits[who] = tryAsUser(t, w, dir, owner, who, as(owner), p)
		}
		if exits["its owner"] != 0 || exits["root"] != 0 || exits["a stranger"] != 1 {
			t.Errorf("%s: exits %v", w.name, exits)
		}
		t.Logf("T2: other users, %s: exits %v", w.name, exits)
	}
	withoutWritePermission(t, dir, owner, as(owner))
}

// reachable copies the program to where every user can run it.
func reachable(t *testing.T, dir string, prog *program) {
	t.Helper()
	b, err := os.ReadFile(prog.path)
	if err == nil {
		prog.path = filepath.Join(dir, "emend")
		err = put(prog.path, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// tryAsUser makes one trial in a tree of owner, as another user. What follows is done as the owner.
func tryAsUser(t *testing.T, w *workload, dir string, owner int, who string, own, p program) int {
	t.Helper()
	tr := &trial{point: point{w: w, name: w.name + "/by " + who}, prog: own, dir: filepath.Join(dir, "home", "ws")}
	defer os.RemoveAll(filepath.Join(dir, "home"))
	makeOwned(t, w, tr.dir, owner, own)
	w = readable(t, w, dir)
	r := p.result(tr.dir, w.apply()...)
	tr.report(t, r)
	if who == "its owner" {
		storeIsShut(t, tr.dir, p)
	}
	// A file that root creates in somebody's tree belongs to root, as with any program. Existing files keep their owner.
	if others := strays(t, tr.dir, owner, w.before()); len(others) > 0 {
		t.Errorf("%s: not the owner's any more: %v", tr.name, others)
	}
	return r.Exit
}

// storeIsShut checks that another user cannot enter the store of a tree.
func storeIsShut(t *testing.T, ws string, own program) {
	t.Helper()
	dir := filepath.Join(ws, store(ws))
	for uid, want := range map[uint32]bool{own.user.Uid: true, own.user.Uid + 1: false} {
		cmd := exec.Command("ls", dir+"/log")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		if out, err := cmd.CombinedOutput(); (err == nil) != want {
			t.Errorf("%s is listed by %d: %v, want %v: %s", dir, uid, err == nil, want, out)
		}
	}
}

// makeOwned creates the tree of a workload as owner.
func makeOwned(t *testing.T, w *workload, ws string, owner int, own program) {
	t.Helper()
	bare := *w
	bare.fresh = true
	err := os.MkdirAll(filepath.Dir(ws), 0o755)
	if err == nil {
		err = bare.copy(ws, own)
	}
	if err == nil {
		err = filepath.WalkDir(filepath.Dir(ws), func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(name, owner, owner)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if w.fresh {
		return
	}
	warm := filepath.Join(filepath.Dir(ws), "warm")
	if err := put(warm, []byte(warmPatch(0, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := own.result(ws, "apply", warm); r.Exit != 0 {
		t.Fatalf("the first transaction, as the owner: exit %d, %s", r.Exit, r.ErrText)
	}
}

// readable returns the workload with its patch where every user can read it.
func readable(t *testing.T, w *workload, dir string) *workload {
	t.Helper()
	c := *w
	c.patch = filepath.Join(dir, "patch")
	b, err := os.ReadFile(w.patch)
	if err == nil {
		err = put(c.patch, b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// strays lists the paths of a tree that uid no longer owns.
func strays(t *testing.T, dir string, uid int, of tree) []string {
	t.Helper()
	var out []string
	for name := range of {
		fi, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			continue // deleted or moved
		}
		if s, ok := fi.Sys().(*syscall.Stat_t); ok && int(s.Uid) != uid {
			out = append(out, fmt.Sprintf("%s is %d's", name, s.Uid))
		}
	}
	return out
}

// withoutWritePermission removes write permission from one directory after the other, also from their owner.
func withoutWritePermission(t *testing.T, dir string, owner int, own program) {
	t.Helper()
	w := workloads(t, "mixed")[0]
	for _, d := range []string{".", "deep", "deep/er", ".git", ".git/emend/slots", ".git/emend/log", ".git/emend"} {
		tr := &trial{point: point{w: w, name: w.name + "/shut " + d}, prog: own, dir: filepath.Join(dir, "home", "ws")}
		makeOwned(t, w, tr.dir, owner, own)
		full := filepath.Join(tr.dir, d)
		fi, err := os.Stat(full)
		if err != nil {
			t.Fatal(err)
		}
		os.Chmod(full, 0o555)
		r := own.result(tr.dir, readable(t, w, dir).apply()...)
		os.Chmod(full, fi.Mode().Perm()) // the mode is part of the tree that is compared
		tr.report(t, r)
		if r.Exit == 3 {
			t.Errorf("%s: undecided: %s", tr.name, r.ErrText)
		}
		t.Logf("T2: %s is not writable: exit %d %.200q", d, r.Exit, r.ErrText)
		os.RemoveAll(filepath.Join(dir, "home"))
	}
}
