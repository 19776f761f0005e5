package windows

import (
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var files = map[string]string{"a.txt": "one\ntwo\n", "b/b.txt": "b\n", "c.txt": "crlf\r\nlines\r\n", "gone.txt": "gone\n", "m.txt": "moved\n"}

// everything changes files in each way.
const everything = `*** Begin Patch
*** Update File: a.txt
@@
 one
-two
+TWO
*** Update File: b/b.txt
@@
-b
+B
*** Update File: c.txt
@@
-lines
+more lines
*** Add File: new/deep/n.txt
+new
*** Delete File: gone.txt
*** Update File: m.txt
*** Move to: b/m.txt
@@
-moved
+moved and edited
*** End Patch
`

// A patch is applied, keeps line ends, and is taken back.
func TestApplyAndUndo(t *testing.T) {
	p := newPlace(t, files)
	before := p.tree()
	p.do("apply", "--dialect", "codex", p.aside("p", everything))
	after := p.tree()
	want := map[string]string{"a.txt": "one\nTWO\n", "b": "(a directory)", "b/b.txt": "B\n", "c.txt": "crlf\r\nmore lines\r\n", "new": "(a directory)",
		"new/deep": "(a directory)", "new/deep/n.txt": "new\n", "b/m.txt": "moved and edited\n"}
	if !maps.Equal(after, want) {
		t.Errorf("differs in %q: %q", differ(after, want), after)
	}
	p.do("undo")
	if now := p.tree(); !maps.Equal(now, before) {
		t.Errorf("after undo it differs in %q: %q", differ(now, before), now)
	}
	p.do("verify")
	if out := p.do("doctor"); !strings.Contains(out, "store") {
		t.Errorf("doctor says %s", out)
	}
}

// The program is killed at a random moment; the next one recovers. The tree is the one before or the one after.
func TestKilled(t *testing.T) {
	p := newPlace(t, files)
	patch := p.aside("p", everything)
	old := p.tree()
	begun := time.Now()
	p.do("apply", "--dialect", "codex", patch)
	took := time.Since(begun)
	new := p.tree()
	p.do("undo")
	var finished, nothing, recovered int
	n := number(t, "EMEND_WINDOWS_KILLS", 12)
	for i := range n {
		ctx, cancel := context.WithTimeout(t.Context(), took/4+rand.N(took))
		p.command(ctx, "apply", "--dialect", "codex", patch).Run() //nolint:errcheck // it is killed
		cancel()
		if out := p.do("recover"); strings.Contains(out, "interrupted") {
			recovered++
		}
		switch now := p.tree(); {
		case maps.Equal(now, old):
			nothing++
		case maps.Equal(now, new):
			finished++
			p.do("undo")
		default:
			t.Fatalf("kill %d: half done; against old: %q, against new: %q", i, differ(now, old), differ(now, new))
		}
	}
	p.do("verify")
	t.Logf("%d kills: %d times nothing was done, %d times all; %d recoveries had something to do; 0 half done", n, nothing, finished, recovered)
}

// A file that was saved since it was read is refused, and nothing else is changed.
func TestStale(t *testing.T) {
	p := newPlace(t, files)
	p.put("a.txt", "somebody was here\n")
	before := p.tree()
	if got := p.run("apply", "--dialect", "codex", p.aside("p", everything)); got.code == 0 {
		t.Errorf("applied: %s", got.out)
	}
	const other = "0000000000000000000000000000000000000000000000000000000000000000"
	args := `{"path":"m.txt","content":"x\n","expectedSha256":"` + other + `"}`
	if got := p.run("call", "write_file", args); got.code == 0 || !strings.Contains(got.out, "stale_file") {
		t.Errorf("%+v", got)
	}
	if now := p.tree(); !maps.Equal(now, before) {
		t.Errorf("it differs in %q", differ(now, before))
	}
}

// A file that may only be read is refused or replaced with its attribute kept; in any case all or nothing is done.
func TestReadOnlyFile(t *testing.T) {
	p := newPlace(t, files)
	must(t, os.Chmod(p.path("a.txt"), 0o444))
	t.Cleanup(func() { os.Chmod(p.path("a.txt"), 0o644) })
	if is, err := os.Stat(p.path("a.txt")); err != nil || is.Mode().Perm()&0o200 != 0 {
		t.Skipf("NOT RUN: the system does not mark it: %v, %v", is.Mode(), err)
	}
	before := p.tree()
	got := p.run("apply", "--dialect", "codex", p.aside("p", everything))
	is, err := os.Stat(p.path("a.txt"))
	must(t, err)
	if is.Mode().Perm()&0o200 != 0 {
		t.Errorf("it can be written now: %v, exit code %d: %s", is.Mode(), got.code, got.out)
	}
	if now := p.tree(); got.code != 0 && !maps.Equal(now, before) || got.code == 0 && now["a.txt"] != "one\nTWO\n" {
		t.Errorf("exit code %d, and it differs in %q: %s", got.code, differ(now, before), got.out)
	}
}

// Paths of more than 260 characters are changed as others are.
func TestLongPath(t *testing.T) {
	p := newPlace(t, files)
	name := strings.Repeat("a-directory-with-a-long-name/", 12) + "f.txt"
	p.do("apply", "--dialect", "codex", p.aside("p", "*** Begin Patch\n*** Add File: "+name+"\n+long\n*** End Patch\n"))
	if text := p.tree()[name]; text != "long\n" {
		t.Errorf("it has %q", text)
	}
	p.do("edit", name, "--old", "long", "--new", "longer")
	p.do("undo")
	p.do("undo")
	if text, there := p.tree()[name]; there {
		t.Errorf("it still has %q", text)
	}
}

// A store is not moved while it is open: the refusal says what to do, and the store stays.
func TestMigrate(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("only Windows keeps an open directory where it is")
	}
	p := newPlace(t, files)
	p.do("edit", "a.txt", "--old", "one", "--new", "1")
	before := p.run("log").out
	got := p.run("doctor", "--migrate", "--store", filepath.Join(t.TempDir(), "store"))
	if got.code == 0 || !strings.Contains(got.out, "Windows does not rename a directory") || !strings.Contains(got.out, "--adopt") {
		t.Errorf("exit code %d: %s", got.code, got.out)
	}
	if now := p.run("log").out; now != before || !strings.Contains(now, "a.txt") {
		t.Errorf("the log is %q, and was %q", now, before)
	}
}
