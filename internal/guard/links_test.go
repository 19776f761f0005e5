//go:build unix

package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

func TestLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	ws := filepath.Join(top, "ws")
	files := map[string]string{
		"ws/a/b/f": "f", "ws/g": "g", "ws_evil/f": "e", "out/f": "o", "spelled": "-> ws", "door": "-> ws/a",
		"ws/in":       "-> a",
		"ws/dot":      "-> ./a/./b/",
		"ws/a/up":     "-> ../a/b",
		"ws/chain":    "-> in/up",
		"ws/abs":      "-> " + ws + "/a/b",
		"ws/a/abs":    "-> " + ws + "/a/b",
		"ws/abs2":     "-> " + top + "/spelled/abs",
		"ws/abs3":     "-> " + top + "/door/b",
		"ws/back":     "-> " + ws,
		"ws/rel":      "-> ../ws/a", // leaves and comes back, as the kernel sees it
		"ws/out":      "-> ../out",
		"ws/evil":     "-> " + top + "/ws_evil",
		"ws/absout":   "-> " + top + "/out",
		"ws/etc":      "-> /etc",
		"ws/up":       "-> ..",
		"ws/a/upup":   "-> ../..",
		"ws/dangling": "-> none/x",
		"ws/dangout":  "-> ../none",
		"ws/loop":     "-> loop",
		"ws/ping":     "-> pong",
		"ws/pong":     "-> ./a/../ping/x",
		"ws/absloop":  "-> " + ws + "/absloop/x",
		"ws/file":     "-> g",
	}
	for i := range 45 { // a chain of links that ends, but is too long
		files["ws/n"+strconv.Itoa(i)] = "-> n" + strconv.Itoa(i+1)
	}
	files["ws/n45/f"] = ""
	plant(t, top, files)
	tests := []struct{ path, want string }{
		{"in/b/f", "a/b/f regular file"},
		{"dot/f", "a/b/f regular file"},
		{"a/up/f", "a/b/f regular file"},
		{"chain/f", "a/b/f regular file"},
		{"abs/f", "a/b/f regular file"},
		{"abs2/f", "a/b/f regular file"},
		{"a/abs/f", "a/b/f regular file"},
		{"abs3/f", "a/b/f regular file"},
		{"back/g", "g regular file"},
		{"back/back/in/b/f", "a/b/f regular file"},
		{"in/new", "a/new missing"},
		{"in/new/x", "a/new/x missing"},
		{"dot/../b/f", "a/b/f regular file"}, // a/b/.., not the ".." of the name dot
		{"dot/..", "a directory"},
		{"dot/../../g", "g regular file"},
		{"in/.", "a directory"},
		{"dangling/f", "none/x/f missing"},
		{"dangling/../f", "none/f missing"},
		{"n6/f", "n45/f regular file"},

		{"in", "in symbolic link"},
		{"out", "out symbolic link"},
		{"a/../in", "in symbolic link"},
		{"loop", "loop symbolic link"},

		{"rel/b/f", outsideIt},
		{"out/f", outsideIt},
		{"out/../g", outsideIt},
		{"out/.", outsideIt},
		{"evil/f", outsideIt},
		{"absout/f", outsideIt},
		{"etc/passwd", outsideIt},
		{"etc/new", outsideIt},
		{"up/out/f", outsideIt},
		{"up/ws/g", outsideIt},
		{"a/upup/out/f", outsideIt},
		{"dangout/f", outsideIt},
		{"back/../out/f", outsideIt},
		{"dot/../../../out/f", outsideIt},

		{"file/x", notFound},
		{"loop/f", badArguments},
		{"loop/.", badArguments},
		{"ping/f", badArguments},
		{"absloop/f", badArguments},
		{"n0/f", badArguments},
		{"n4/f", badArguments},
		// A slash at the end would have the link followed: CVE-2026-39822.
		{"out/", badArguments},
		{"in/", badArguments},
	}
	each(t, func(t *testing.T, open opener) {
		g := open(ws, Options{})
		for _, test := range tests {
			e, err := g.Resolve(test.path, Request{Write: true})
			if err == nil {
				if got := e.Rel + " " + e.Kind.String(); got != test.want {
					t.Errorf("%q is %s, want %s", test.path, got, test.want)
				}
				continue
			}
			t.Run(test.path, func(t *testing.T) { refused(t, err, test.want) })
		}
		for path, want := range map[string]string{
			top + "/spelled/in/b/f": "a/b/f", top + "/door/b/f": "a/b/f", top + "/spelled/in": "in", top + "/spelled": ".",
			ws + "/abs/../g": "a/g", ws + "/loop": "loop", top + "/door/../g": "g", ws + "/dangling/f": "none/x/f",
		} {
			if e, err := g.Resolve(path, Request{Absolute: true}); err != nil || e.Rel != want {
				t.Errorf("%q is %q, %v, want %q", path, e.Rel, err, want)
			}
		}
		_, err := g.Resolve("loop/f", Request{})
		if !strings.Contains(err.Error(), `"loop"`) {
			t.Errorf("%v does not name the loop", err)
		}
		for _, spelled := range []string{"chain/f", "a/b/f", "abs2/f", "in/up/f"} {
			e, err := g.Resolve(spelled, Request{})
			if want, _ := g.Resolve("a/b/f", Request{}); err != nil || e != want {
				t.Errorf("%q is %+v, want %+v", spelled, e, want)
			}
		}
	})
}

func TestRootThroughLink(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/sub/a": "a", "spelled": "-> ws", "ws/abs": "-> " + top + "/ws/sub"})
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "spelled"), Options{})
		for _, path := range []string{top + "/ws/sub/a", top + "/spelled/sub/a", top + "/ws/abs/a", "abs/a"} {
			if e, err := g.Resolve(path, Request{Absolute: true}); err != nil || e.Rel != "sub/a" {
				t.Errorf("%q: %q, %v", path, e.Rel, err)
			}
		}
	})
}

func TestLinkAsLastName(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"f": "f", "link": "-> f", "dang": "-> ../none", "d/x": "", "dir": "-> d"})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for path, target := range map[string]string{"link": "f", "dang": "../none", "dir": "d"} {
			e, err := g.Resolve(path, Request{Write: true})
			check(t, err)
			if e.Kind != Symlink || e.Target != target {
				t.Errorf("%+v, want a link to %q", e, target)
			}
			_, _, err = g.Load(context.Background(), e)
			refused(t, err, specialFile)
			if !strings.Contains(err.Error(), "is a symbolic link to "+strconv.Quote(target)) {
				t.Errorf("%v does not say the target", err)
			}
		}
	})
}

func TestHardLinksAreOneFile(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"f": "f", "other": "f", "d/": ""})
	check(t, os.Link(filepath.Join(dir, "f"), filepath.Join(dir, "d/g")))
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		f, _ := g.Resolve("f", Request{})
		other, _ := g.Resolve("other", Request{})
		e, err := g.Resolve("d/g", Request{})
		check(t, err)
		if e.File != f.File || e.File == other.File || e.Place == f.Place || e.Links != 2 {
			t.Errorf("%+v and %+v", f, e)
		}
	})
}

// TestProtectedDirs: a protected directory is protected under every name it has.
func TestProtectedDirs(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	plant(t, top, map[string]string{
		"ws/.git/hooks/x": "", "ws/.github/workflows/ci.yml": "", "ws/x": "-> .git", "ws/sub/y": "-> ../x/hooks",
		"ws/abs": "-> " + top + "/ws/.git/hooks", "ws/flows": "-> .github/workflows",
		"ws/real/claude/a/b/x": "", "ws/.claude": "-> real/claude", "ws/sub/.hg": "-> ../real/hg", "ws/real/hg/f": "",
		"ws/sub/hg": "-> .hg", "ws/.idea": "-> .", "ws/.jj": "-> ../out", "ws/s": "-> sub/key.pem", "ws/sub/key.pem/f": "",
	})
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "ws"), Options{})
		for _, path := range []string{
			"x/config", "x/none/config", "x/hooks/x", "sub/y/x", "abs/new", "flows/ci.yml", "flows/new", "flows/.",
			"real/claude/f", "real/claude", "real/claude/new/f", "real/../real/claude/f", "sub/hg/f", "s/f",
			top + "/ws/x/config",
		} {
			_, err := g.Resolve(path, Request{Write: true, Absolute: true})
			if err == nil {
				t.Errorf("%q may be written", path)
				continue
			}
			refused(t, err, denied)
		}
		for _, path := range []string{"x", "real/f", "real/hg/f", "sub/f", "f", ".github/f"} {
			if _, err := g.Resolve(path, Request{Write: true}); err != nil {
				t.Errorf("%q: %v", path, err)
			}
		}
		_, err := g.Resolve("s/f", Request{})
		refused(t, err, denied)
		g = open(filepath.Join(top, "ws"), Options{AllowProtected: []string{".claude"}})
		if _, err := g.Resolve("real/claude/f", Request{Write: true}); err != nil {
			t.Errorf("opened, and still: %v", err)
		}
		g = open(filepath.Join(top, "ws"), Options{AllowProtected: []string{".claude/a/b"}})
		if _, err := g.Resolve("real/claude/a/b/f", Request{Write: true}); err != nil {
			t.Errorf("opened, and still: %v", err)
		}
		_, err = g.Resolve("real/claude/a/f", Request{Write: true})
		refused(t, err, denied)
		if !strings.Contains(err.Error(), `".claude/a/f"`) {
			t.Errorf("%v does not say the protected name", err)
		}
	})
}

func TestGitFile(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	plant(t, top, map[string]string{"ws/store/repo/config": "", "ws/store/f": "", "ws/gate": "-> store", "out/f": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "ws"), Options{})
		git := filepath.Join(top, "ws/.git")
		for _, target := range []string{"store/repo\n", "./store/../gate/repo", top + "/ws/store/repo\n"} {
			check(t, os.WriteFile(git, []byte("gitdir: "+target), 0o644))
			for _, path := range []string{"store/repo/config", "store/repo/hooks/x", "store/repo", "gate/repo/config", ".git"} {
				_, err := g.Resolve(path, Request{Write: true})
				if err == nil {
					t.Errorf("%q may be written while .git says %q", path, target)
					continue
				}
				refused(t, err, denied)
			}
			_, err := g.Resolve("store/f", Request{Write: true})
			check(t, err)
		}
		for _, target := range []string{"gitdir: ../out", "gitdir: none", "", "store/repo", "gitdir:"} {
			check(t, os.WriteFile(git, []byte(target), 0o644))
			if _, err := g.Resolve("store/repo/config", Request{Write: true}); err != nil {
				t.Errorf(".git says %q: %v", target, err)
			}
		}
		check(t, os.Remove(git))
	})
}

func TestNoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("runs as root, who may read everything")
	}
	dir := t.TempDir()
	plant(t, dir, map[string]string{"f": "f", "d/f": "f"})
	check(t, os.Chmod(filepath.Join(dir, "f"), 0))
	check(t, os.Chmod(filepath.Join(dir, "d"), 0))
	defer os.Chmod(filepath.Join(dir, "d"), 0o700)
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		e, err := g.Resolve("f", Request{Write: true})
		check(t, err)
		_, _, err = g.Load(context.Background(), e)
		refused(t, err, denied)
		if e, _ := errors.AsType[*fail.Error](err); !errors.Is(e.Cause, os.ErrPermission) {
			t.Errorf("cause %v", e.Cause)
		}
		_, err = g.Resolve("d/f", Request{})
		refused(t, err, denied)
	})
}

// TestOpenDirFollowsNothing: a directory is not opened for a commit if one of its names is a link, wherever it leads.
func TestOpenDirFollowsNothing(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/d/e/f": "", "out/e/": "", "ws/in": "-> d", "ws/out": "-> ../out", "ws/d/up": "-> ..",
		"ws/abs": "-> " + top + "/out", "ws/loop": "-> loop", "ws/proc": "-> /proc/self/root"})
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "ws"), Options{})
		for _, rel := range []string{"in", "in/e", "out", "out/e", "d/up", "d/up/d", "abs", "abs/e", "loop", "proc", "proc/etc"} {
			d, err := g.OpenDir(rel)
			if err == nil {
				d.Close()
				t.Errorf("%q was opened", rel)
				continue
			}
			refused(t, err, stale)
		}
	})
}

// TestProtectStore: the store cannot be written to, under whatever name.
func TestProtectStore(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"a/b/kept/log/1": "", "a/b/f": "", "l": "-> a/b/kept", "a/b/keptt/f": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		e, err := g.Resolve("a/b/kept", Request{Write: true})
		check(t, err)
		g.ProtectStore(vfs.ID{Dev: e.File.Dev, Ino: e.File.Ino})
		for _, path := range []string{"a/b/kept", "a/b/kept/log/1", "a/b/kept/new", "a/b/kept/no/new", "l/log/1", "l/new"} {
			_, err := g.Resolve(path, Request{})
			check(t, err)
			_, err = g.Resolve(path, Request{Write: true})
			if err == nil {
				t.Errorf("%q may be written", path)
				continue
			}
			refused(t, err, denied)
		}
		for _, path := range []string{"a/b/f", "a/b/new", "a/b/keptt/f", "l"} {
			_, err := g.Resolve(path, Request{Write: true})
			check(t, err)
		}
	})
}

// TestPolicyOnDisk: what a policy allows is allowed where it really is, and what it denies is denied in every spelling.
func TestPolicyOnDisk(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{".github/workflows/ci.yml": "", ".npmrc": "", "vendor/x": "", "l": "-> vendor", "gr\u00fcn/x": ""})
	hardLink(t, dir, ".npmrc", "rc")
	file := filepath.Join(t.TempDir(), "policy.toml")
	check(t, os.WriteFile(file, []byte(`[write]
allow = [".github/workflows/*.yml", ".npmrc"]
deny = ["vendor", "gru\u0308n", "Caf\u00e9.*"]
`), 0o600))
	p, err := ReadPolicy(file, dir)
	check(t, err)
	g, err := Open(dir, Options{Policy: p})
	check(t, err)
	defer g.Close()
	for path, want := range map[string]string{".github/workflows/ci.yml": "", ".github/workflows/new.yml": "", ".github/workflows/sh": denied, ".npmrc": "",
		"rc": "", "vendor/x": denied, "l/x": denied, "Vendor./x": denied, "gr\u00fcn/x": denied, "GRU\u0308N/x": denied, "cafe\u0301.txt": denied} {
		_, err := g.Resolve(path, Request{Write: true})
		if got := err == nil; got != (want == "") {
			t.Errorf("%+q: %v", path, err)
		}
	}
	// A link in the workspace belongs to the workspace, wherever it leads.
	check(t, os.Symlink(file, filepath.Join(dir, "mine.toml")))
	if _, err := ReadPolicy(filepath.Join(dir, "mine.toml"), dir); err == nil {
		t.Error("a policy was read through a link that the governed can change")
	}
}
