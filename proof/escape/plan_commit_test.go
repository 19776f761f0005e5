//go:build linux || darwin

package escape

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"golang.org/x/sys/unix"
)

// TestBetweenPlanAndCommit replaces what a plan has seen before the commit. Nothing may be written through the replacement.
func TestBetweenPlanAndCommit(t *testing.T) {
	aside := func(top, name string) error { return os.Rename(top+"/ws/"+name, top+"/aside") }
	swaps := map[string]func(top, name string) error{
		"link out": func(top, name string) error {
			return first(aside(top, name), os.Symlink(top+"/out/f", top+"/ws/"+name))
		},
		"relative link out": func(top, name string) error {
			return first(aside(top, name), os.Symlink(strings.Repeat("../", strings.Count(name, "/")+1)+"out/f", top+"/ws/"+name))
		},
		"link to its own file": func(top, name string) error {
			return first(aside(top, name), os.Symlink(top+"/aside", top+"/ws/"+name))
		},
		"FIFO":      func(top, name string) error { return first(aside(top, name), unix.Mkfifo(top+"/ws/"+name, 0o644)) },
		"directory": func(top, name string) error { return first(aside(top, name), os.Mkdir(top+"/ws/"+name, 0o755)) },
		"hard link to another's file": func(top, name string) error {
			return first(aside(top, name), os.WriteFile(top+"/out/other", []byte("other\n"), 0o644), os.Link(top+"/out/other", top+"/ws/"+name))
		},
		"nothing": aside,
	}
	for what, swap := range swaps {
		for verb, text := range map[string]string{"update": update("d/f"), "replace": add("d/f"), "delete": remove("d/f"), "move away": move("d/f", "new"),
			"move onto": move("f", "d/f"), "last of three": update("f") + update("d/e/f") + update("d/f")} {
			between(t, "file for "+what+": "+verb, text, func(top string) error { return swap(top, "d/f") })
		}
	}
	parents := map[string]func(top string) error{
		"link out": func(top string) error {
			return first(aside(top, "d"), os.Symlink("../out/d", top+"/ws/d"))
		},
		"absolute link out": func(top string) error { return first(aside(top, "d"), os.Symlink(top+"/out/d", top+"/ws/d")) },
		"link to itself moved out": func(top string) error {
			return first(aside(top, "d"), os.Symlink("../aside", top+"/ws/d"))
		},
		"link to .git": func(top string) error { return first(aside(top, "d"), os.Symlink(".git", top+"/ws/d")) },
		"directory from outside": func(top string) error {
			return first(aside(top, "d"), os.Rename(top+"/ws2", top+"/ws/d"))
		},
		"FIFO":    func(top string) error { return first(aside(top, "d"), unix.Mkfifo(top+"/ws/d", 0o644)) },
		"nothing": func(top string) error { return aside(top, "d") },
	}
	for what, swap := range parents {
		for verb, text := range map[string]string{"create": add("d/new"), "create below": add("d/none/new"), "update": update("d/f"),
			"update below": update("d/e/f"), "delete": remove("d/f"), "move in": move("f", "d/new"), "move out": move("d/f", "new"),
			"last of three": update("f") + add("other") + add("d/new")} {
			between(t, "directory for "+what+": "+verb, text, swap)
		}
	}
	for what, appear := range map[string]func(top, name string) error{
		"link out":          func(top, name string) error { return os.Symlink(top+"/out/f", top+"/ws/"+name) },
		"dangling link out": func(top, name string) error { return os.Symlink(top+"/out/new", top+"/ws/"+name) },
		"FIFO":              func(top, name string) error { return unix.Mkfifo(top+"/ws/"+name, 0o644) },
		"file":              func(top, name string) error { return os.WriteFile(top+"/ws/"+name, []byte("theirs\n"), 0o644) },
		"directory":         func(top, name string) error { return os.Mkdir(top+"/ws/"+name, 0o755) },
	} {
		for verb, text := range map[string]string{"create": add("new"), "move": move("f", "new"), "second of two": update("d/f") + add("new")} {
			between(t, what+" where nothing was: "+verb, text, func(top string) error { return appear(top, "new") })
		}
	}
	between(t, "link out where parents were missing", add("none/deep/new"), func(top string) error { return os.Symlink("../out", top+"/ws/none") })
	between(t, "link out where the second parent was missing", add("d/none/new"), func(top string) error { return os.Symlink("../../out", top+"/ws/d/none") })
}

// between plans, calls swap, and commits. The commit must be refused, and nothing may change after the swap.
func between(t *testing.T, name, text string, swap func(top string) error) {
	t.Helper()
	betweenAs(t, name, text, stale, func(_ *testing.T, top string) error { return swap(top) })
}

func betweenAs(t *testing.T, name, text, want string, swap func(t *testing.T, top string) error) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		tally.attacks.Add(1)
		a := attack{want: want}
		top := a.ground(t)
		ws, err := a.open(top)
		check(t, err)
		defer ws.Close()
		plan, err := ws.Plan(t.Context(), envelope(text), api.PatchOptions{Dialect: "codex"})
		check(t, err)
		check(t, swap(t, top))
		a.try(t, top, func(ctx context.Context, _ string) error {
			_, err := ws.Commit(ctx, plan)
			return err
		}, nil)
	})
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestRootSwapped moves the workspace away and puts another directory or a link in its path.
func TestRootSwapped(t *testing.T) {
	for what, swap := range map[string]func(top string) error{
		"directory": func(top string) error { return os.Rename(top+"/out", top+"/ws") },
		"link":      func(top string) error { return os.Symlink("out", top+"/ws") },
	} {
		t.Run(what, func(t *testing.T) {
			tally.attacks.Add(1)
			a := attack{}
			top := a.ground(t)
			ws, err := a.open(top)
			check(t, err)
			defer ws.Close()
			check(t, first(os.Rename(top+"/ws", top+"/moved"), swap(top)))
			before := look(t, top)
			_, err = ws.Apply(t.Context(), envelope(update("f")), api.PatchOptions{Dialect: "codex"})
			after := look(t, top)
			// Either the directory that was opened changes, or nothing; never what is at its path by then.
			may := map[string]string{}
			if err == nil {
				may["moved/f"] = ""
			}
			for name := range after {
				if strings.HasPrefix(name, "moved/.git/emend") {
					delete(after, name)
				}
			}
			diff := differs(before, after, may)
			for _, d := range diff {
				if !strings.HasPrefix(d, "moved/.git was") {
					tally.escapes.Add(1)
					t.Errorf("changed: %s (err %v)", d, err)
				}
			}
		})
	}
}
