//go:build unix

package guard

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestFollowLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	ws := filepath.Join(top, "ws")
	files := map[string]string{
		"ws/f": "f", "ws/d/g": "g", "out/f": "o", "ws/.git/config": "", "ws/sub/.env": "", "spelled": "-> ws",
		"ws/rel": "-> f", "ws/d/up": "-> ../f", "ws/dots": "-> ./d/../d/./g", "ws/abs": "-> " + ws + "/d/g",
		"ws/abs2": "-> " + top + "/spelled/f", "ws/two": "-> d/up", "ws/mid": "-> ind/g", "ws/ind": "-> d",
		"ws/absup": "-> " + ws + "/d/up", "ws/gone": "-> d/none", "ws/gone2": "-> none/none", "ws/dir": "-> d", "ws/dot": "-> d/.",
		"ws/self": "-> self", "ws/top": "-> .", "ws/d/top": "-> ..", "ws/absdir": "-> " + ws,
		"ws/outside": "-> ../out/f", "ws/absout": "-> " + top + "/out/f", "ws/gout": "-> ../none", "ws/etc": "-> /etc/passwd",
		"ws/viaout": "-> outside", "ws/proc": "-> /proc/self/root/etc/passwd", "ws/fd": "-> /proc/self/fd/0",
		"ws/git": "-> .git/config", "ws/env": "-> sub/.env", "ws/absgit": "-> " + ws + "/.git/config", "ws/newgit": "-> .git/new",
		"ws/slash": "-> f/", "ws/.npmrc": "-> f", "ws/gitlink": "-> absgit", "ws/ctl": "-> new\x1b",
	}
	for i := range 42 {
		files["ws/n"+strconv.Itoa(i)] = "-> n" + strconv.Itoa(i+1)
	}
	files["ws/n42"] = "end"
	plant(t, top, files)
	tests := []struct{ path, want string }{
		{"f", "f regular file "},
		{"rel", "f regular file rel"},
		{"d/up", "f regular file d/up"},
		{"dots", "d/g regular file dots"},
		{"abs", "d/g regular file abs"},
		{"abs2", "f regular file abs2"},
		{"two", "f regular file two"},
		{"absup", "f regular file absup"},
		{"mid", "d/g regular file mid"},
		{"ind/up", "f regular file d/up"},
		{"gone", "d/none missing gone"},
		{"gone2", "none/none missing gone2"},
		{"dir", "d directory dir"},
		{"dot", "d directory dot"},
		{"n2", "n42 regular file n2"},
		{"n1", badArguments},
		{"self", badArguments},
		{"slash", notFound},
		{"top", badArguments}, // the workspace itself
		{"d/top", badArguments},
		{"absdir", badArguments},
		{"outside", outsideIt},
		{"absout", outsideIt},
		{"gout", outsideIt},
		{"etc", outsideIt},
		{"viaout", outsideIt},
		{"proc", outsideIt},
		{"fd", outsideIt},
		{"git", denied},
		{"env", denied},
		{"absgit", denied},
		{"newgit", denied},
		{"gitlink", denied},
		{".npmrc", denied}, // the rules are checked for the link's own name as well
		{"ctl", badArguments},
	}
	each(t, func(t *testing.T, open opener) {
		g := open(ws, Options{FollowLinks: true})
		for _, test := range tests {
			e, err := g.Resolve(test.path, Request{Write: true, Follow: true})
			if err == nil {
				if got := e.Rel + " " + e.Kind.String() + " " + e.Via; got != test.want {
					t.Errorf("%q is %s, want %s", test.path, got, test.want)
				}
				continue
			}
			t.Run(test.path, func(t *testing.T) { refused(t, err, test.want) })
		}
		e, err := g.Resolve("two", Request{Follow: true})
		check(t, err)
		if data, _, err := g.Load(context.Background(), e); data != "f" || err != nil {
			t.Errorf("read %q, %v", data, err)
		}
		// Both the options and the request have to allow it.
		for _, g := range []*Guard{g, open(ws, Options{})} {
			for _, follow := range []bool{false, g.followLinks == false} {
				e, err := g.Resolve("outside", Request{Write: true, Follow: follow})
				if err != nil || e.Kind != Symlink || e.Via != "" {
					t.Errorf("%+v, %v", e, err)
				}
			}
		}
	})
}

// TestHardLinkToProtected: a hard link to a protected file is refused as that file.
func TestHardLinkToProtected(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{".git/config": "", ".git/hooks/pre-commit": "", ".vscode/settings.json": "", ".npmrc": "", ".NETRC": "",
		"sub/x": "", "twin": "", ".github/workflows/ci.yml": ""})
	names := map[string]string{"config": ".git/config", "sub/hook": ".git/hooks/pre-commit", "sub/settings": ".vscode/settings.json",
		"rc": ".npmrc", "sub/net": ".NETRC", "free": "twin", "flow": ".github/workflows/ci.yml"}
	for name, of := range names {
		hardLink(t, dir, of, name)
	}
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for name, of := range names {
			_, err := g.Resolve(name, Request{})
			check(t, err)
			_, err = g.Resolve(name, Request{Write: true})
			if of == "twin" {
				check(t, err)
				continue
			}
			if err == nil {
				t.Errorf("%q may be written, which is %q", name, of)
				continue
			}
			refused(t, err, denied)
			if want := strconv.Quote(of) + " is protected"; !contains(err, want) {
				t.Errorf("%v does not say %s", err, want)
			}
		}
		g = open(dir, Options{AllowProtected: []string{".npmrc", ".git/hooks"}})
		for name, want := range map[string]string{"rc": "", "sub/hook": "", "config": denied} {
			if _, err := g.Resolve(name, Request{Write: true}); want == "" {
				check(t, err)
			} else {
				refused(t, err, want)
			}
		}
	})
}

// TestWorktrees: git's files stay protected where .git is a file, in a linked worktree and in a submodule.
func TestWorktrees(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	plant(t, top, map[string]string{
		"ws/.git": "gitdir: bare/worktrees/w\n", "ws/bare/worktrees/w/commondir": "../..\n", "ws/bare/worktrees/w/HEAD": "",
		"ws/bare/config": "", "ws/bare/hooks/x": "", "ws/free/f": "",
		"ws/mod/.git": "gitdir: ../mod/real\n", "ws/mod/real/config": "", "ws/mod/src/f": "", "ws/mod/real/commondir": ws(top, "shared"),
		"ws/shared/config": "", "ws/odd/.git": "gitdir: ../../out", "ws/odd/f": "", "out/f": "",
		"ws/deep/a/.git": "gitdir: b/c", "ws/deep/a/b/c/config": "", "ws/deep/a/b/f": "", "ws/ln/.git": "-> store", "ws/ln/store/config": "",
	})
	hardLink(t, filepath.Join(top, "ws"), "bare/hooks/x", "free/hook")
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "ws"), Options{})
		for _, path := range []string{"bare/config", "bare/hooks/new", "bare/worktrees/w/HEAD", "bare/new", "mod/real/config", "mod/real/new/x",
			"deep/a/b/c/config", "deep/a/b/c", "free/hook", "bare", "ln/store/config"} {
			_, err := g.Resolve(path, Request{Write: true})
			if err == nil {
				t.Errorf("%q may be written", path)
				continue
			}
			refused(t, err, denied)
		}
		for _, path := range []string{"free/f", "mod/src/f", "mod/new", "deep/a/b/f", "odd/f", "ln/f"} {
			if _, err := g.Resolve(path, Request{Write: true}); err != nil {
				t.Errorf("%q: %v", path, err)
			}
		}
	})
}

func ws(top, name string) string { return filepath.Join(top, "ws", name) }

func hardLink(t *testing.T, dir, old, name string) {
	t.Helper()
	check(t, os.Link(filepath.Join(dir, old), filepath.Join(dir, name)))
}

func contains(err error, want string) bool { return strings.Contains(err.Error(), want) }
