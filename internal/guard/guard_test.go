package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// each runs a test with the system's own resolver and with the portable one.
func each(t *testing.T, test func(t *testing.T, open opener)) {
	for name, tree := range map[string]func(string) (tree, error){"system": openTree, "portable": openPortable} {
		t.Run(name, func(t *testing.T) {
			test(t, func(dir string, o Options) *Guard {
				t.Helper()
				g, err := open(dir, o, tree)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { g.Close() })
				return g
			})
		})
	}
}

type opener func(dir string, o Options) *Guard

// plant makes files, directories (a name that ends in a slash) and links (a content "-> target") below dir.
func plant(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if target, link := strings.CutPrefix(content, "-> "); link {
			check(t, os.Symlink(target, path))
		} else if strings.HasSuffix(name, "/") {
			check(t, os.MkdirAll(path, 0o755))
		} else {
			check(t, os.WriteFile(path, []byte(content), 0o644))
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused checks that err is a refusal of the kind "kind" or "kind/reason", fit to be printed.
func refused(t testing.TB, err error, want string) {
	t.Helper()
	e, ok := errors.AsType[*fail.Error](err)
	if !ok {
		t.Fatalf("err = %v, want %s", err, want)
	}
	got := string(e.Kind)
	if e.Reason != "" {
		got += "/" + e.Reason
	}
	if got != want {
		t.Fatalf("%v: is %s, want %s", e, got, want)
	}
	if e.Msg == "" || strings.Contains(e.Msg, "\n") || !strings.HasSuffix(e.Hint, ".") || strings.HasSuffix(e.Hint, `".`) {
		t.Errorf("msg %q, hint %q: unfit to be printed", e.Msg, e.Hint)
	}
}

const (
	badArguments = "command_failed/bad_arguments"
	specialFile  = "command_failed/special_file"
	absolutePath = "command_failed/absolute_path"
	mountPoint   = "command_failed/mount_point"
	stale        = "stale_file"
	limit        = "command_failed/limit"
	outsideIt    = "outside_workspace"
	denied       = "permission_denied"
	notFound     = "not_found"
)

func TestResolve(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{
		"ws/a.txt": "a", "ws/sub/deep/b.txt": "b", "ws/sub/c.txt": "c",
		"ws_evil/e.txt": "e", "secret": "s",
	})
	tests := []struct {
		path, base string
		want       string // rel and kind, or the refusal
	}{
		{"a.txt", "", "a.txt regular file"},
		{"./a.txt", ".", "a.txt regular file"},
		{"sub//deep/./b.txt", "", "sub/deep/b.txt regular file"},
		{"sub/../a.txt", "", "a.txt regular file"},
		{"sub/deep/../../a.txt", "", "a.txt regular file"},
		{"../a.txt", "sub", "a.txt regular file"},
		{"deep/b.txt", "sub", "sub/deep/b.txt regular file"},
		{"deep/b.txt", "./sub/", badArguments},
		{"b.txt", "/sub", badArguments},
		{"sub", "", "sub directory"},
		{".", "", ". directory"},
		{".", "sub", "sub directory"},
		{"..", "sub", ". directory"},
		{"sub/.", "", "sub directory"},
		{"sub/deep/..", "", "sub directory"},
		{"new.txt", "", "new.txt missing"},
		{"new/dir/x", "", "new/dir/x missing"},
		{"new/dir/../x", "", "new/x missing"},
		{"new/../a.txt", "", "a.txt regular file"},
		{"new/..", "", ". directory"},
		{"a.txt/x", "", notFound},
		{"a.txt/..", "", notFound},
		{"a.txt/.", "", notFound},

		{"..", "", outsideIt},
		{"../secret", "", outsideIt},
		{"../ws/a.txt", "", outsideIt},
		{"../ws_evil/e.txt", "", outsideIt},
		{"sub/../../secret", "", outsideIt},
		{"new/../../secret", "", outsideIt},
		{"sub/../..", "", outsideIt},
		{"../../secret", "sub", outsideIt},
		{"a", "..", outsideIt},

		{"", "", badArguments},
		{"a\x00b", "", badArguments},
		{"a/", "", badArguments},
		{"sub/", "", badArguments},
		{"/", "", badArguments},
		{"a\xff", "", badArguments},
		{strings.Repeat("n", 256), "", badArguments},
		{strings.Repeat("n", 255), "", strings.Repeat("n", 255) + " missing"},
		{"no/such/" + strings.Repeat("n", 256), "", badArguments},
		{strings.Repeat("n/", 2048) + "n", "", badArguments},
		{"/etc/passwd", "", absolutePath},
	}
	each(t, func(t *testing.T, open opener) {
		g := open(filepath.Join(top, "ws"), Options{})
		for _, test := range tests {
			e, err := g.Resolve(test.path, Request{Base: test.base})
			if err == nil {
				if got := e.Rel + " " + e.Kind.String(); got != test.want {
					t.Errorf("%q from %q is %s, want %s", test.path, test.base, got, test.want)
				}
				continue
			}
			t.Run(fail.Quote(test.path), func(t *testing.T) { refused(t, err, test.want) })
		}
	})
}

func TestResolveDescribes(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"sub/a": "12345"})
	check(t, os.Chmod(filepath.Join(dir, "sub/a"), 0o640))
	fi, err := os.Stat(filepath.Join(dir, "sub/a"))
	check(t, err)
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		e, err := g.Resolve("sub/a", Request{Write: true})
		check(t, err)
		if e.Size != 5 || e.Mode != fi.Mode() || !e.ModTime.Equal(fi.ModTime()) || e.Links != 1 || !e.HasParent {
			t.Errorf("got %+v, want as %v", e, fi)
		}
		if g.RootID().Ino == 0 || g.RootPath() != dir {
			t.Errorf("root %v at %q", g.RootID(), g.RootPath())
		}
		e, err = g.Resolve("no/such/a", Request{})
		check(t, err)
		if e.HasParent || e.File != (Identity{}) || e.Place != (Identity{g.RootID().Dev, g.RootID().Ino, "no/such/a"}) {
			t.Errorf("got %+v", e)
		}
		_, err = g.Resolve(".", Request{Write: true})
		refused(t, err, badArguments)
	})
}

// movingTree is a tree whose directories move under the first so many openings.
type movingTree struct {
	tree
	moves *int
}

func (r movingTree) openDir(names []string) (handle, error) {
	if *r.moves--; *r.moves >= 0 {
		return nil, errMoved
	}
	return r.tree.openDir(names)
}

func TestResolveTriesAgain(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"sub/a": ""})
	g, err := Open(dir, Options{})
	check(t, err)
	defer g.Close()
	left := 20
	g.tree = movingTree{g.tree, &left}
	_, err = g.Resolve("sub/a", Request{})
	check(t, err)
	left = 1000
	_, err = g.Resolve("sub/a", Request{})
	refused(t, err, stale)
}

func TestPlaceIsOneForAllSpellings(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"sub/a": "a", "other/a": "a"})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for _, spellings := range [][]string{
			{"sub/a", "./sub/a", "sub//a", "other/../sub/a", "sub/./a", "sub/../sub/a"},
			{"new/x/a", "./new/x/a", "new/y/../x/a", "sub/../new/x/a"},
		} {
			want, err := g.Resolve(spellings[0], Request{})
			check(t, err)
			for _, path := range spellings[1:] {
				if e, err := g.Resolve(path, Request{}); err != nil || e.Place != want.Place || e.File != want.File {
					t.Errorf("%q is at %v (%v), want %v", path, e.Place, err, want.Place)
				}
			}
		}
		a, _ := g.Resolve("sub/a", Request{})
		b, _ := g.Resolve("other/a", Request{})
		if a.Place == b.Place || a.File == b.File {
			t.Errorf("two files are one: %v", a.Place)
		}
	})
}

func TestNewNamesAreVisible(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"old\u200b/old\n": ""})
	each(t, func(t *testing.T, open opener) {
		g := open(dir, Options{})
		for _, r := range "\n\t\x1b\x7f\u0085\u200b\u200d\u202e\u2066\u2028\ufeff\u00ad" {
			for _, path := range []string{"a" + string(r), "no" + string(r) + "/a"} {
				_, err := g.Resolve(path, Request{Write: true})
				refused(t, err, badArguments)
				_, err = g.Resolve(path, Request{})
				check(t, err)
			}
		}
		_, err := g.Resolve("old\u200b/old\n", Request{Write: true}) // an existing name may be written to
		check(t, err)
		for _, path := range []string{"grüße", "日本語", "a b", `a\b`, "~", "C:", `"q"`, "a -> b", "dots...", "end ", "☎️"} {
			e, err := g.Resolve(path, Request{Write: true})
			if err != nil || e.Rel != path {
				t.Errorf("%q: %v, %v", path, e.Rel, err)
			}
		}
	})
}

func TestAbsolute(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/sub/a": "a", "ws_evil/e": "e"})
	ws := filepath.Join(top, "ws")
	each(t, func(t *testing.T, open opener) {
		g := open(ws, Options{})
		for path, want := range map[string]string{
			ws: ".", ws + "/sub": "sub", ws + "/sub/a": "sub/a", ws + "/sub/../new/x": "new/x", ws + "/../ws/sub/a": "sub/a",
			ws + "_evil/e": "", ws + "/../ws_evil/e": "", ws + "/sub/../../ws_evil/e": "", top: "", "/etc/passwd": "", "/no/such": "",
		} {
			e, err := g.Resolve(path, Request{Absolute: true, Base: "sub"})
			if want == "" {
				refused(t, err, outsideIt)
			} else if err != nil || e.Rel != want {
				t.Errorf("%q is %q, %v, want %q", path, e.Rel, err, want)
			}
			_, err = g.Resolve(path, Request{})
			refused(t, err, absolutePath)
		}
		_, err := g.Resolve(ws+"/.git/config", Request{Absolute: true, Write: true})
		refused(t, err, denied)
		_, err = g.Resolve(ws+"/sub/a", Request{})
		if e, _ := errors.AsType[*fail.Error](err); !strings.Contains(e.Hint, `"sub/a"`) {
			t.Errorf("hint %q does not say the relative path", e.Hint)
		}
	})
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"file": ""})
	for _, tree := range []func(string) (tree, error){openTree, openPortable} {
		_, err := open(filepath.Join(dir, "none"), Options{}, tree)
		refused(t, err, notFound)
		_, err = open(filepath.Join(dir, "file"), Options{}, tree)
		if err == nil {
			t.Error("a file was opened as the root")
		}
	}
	_, err := Open(dir, Options{AllowProtected: []string{"a[", "b"}})
	refused(t, err, "command_failed/bad_pattern")
	g, err := Open(dir, Options{})
	check(t, err)
	check(t, g.Close())
	if _, err := g.Resolve("file", Request{}); err == nil {
		t.Error("a closed guard looks")
	}
}

func TestRootMovedAway(t *testing.T) {
	top := t.TempDir()
	plant(t, top, map[string]string{"ws/a": "old"})
	each(t, func(t *testing.T, open opener) {
		ws, moved := filepath.Join(top, "ws"), filepath.Join(top, "moved")
		g := open(ws, Options{})
		check(t, os.Rename(ws, moved))
		plant(t, top, map[string]string{"ws/a": "new"})
		e, err := g.Resolve("a", Request{})
		check(t, err)
		if data, _, err := g.Load(context.Background(), e); data != "old" || err != nil {
			t.Errorf("read %q, %v: the guard left its root", data, err)
		}
		check(t, os.RemoveAll(ws))
		check(t, os.Rename(moved, ws))
	})
}

func TestFindRoot(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	plant(t, top, map[string]string{"ws/.git/x": "", "ws/sub/deep/x": "", "ws/tree/.git": "gitdir: x", "e/.emend/x": "", "e/s/x": "", "l": "-> ws/sub"})
	for dir, want := range map[string][2]string{
		"ws": {"ws", "."}, "ws/sub/deep": {"ws", "sub/deep"}, "ws/tree": {"ws/tree", "."}, "e/s": {"e", "s"},
		"l/deep": {"ws", "sub/deep"},
	} {
		root, base, err := FindRoot(filepath.Join(top, dir))
		if err != nil || root != filepath.Join(top, want[0]) || base != want[1] {
			t.Errorf("%s: %q, %q, %v", dir, root, base, err)
		}
	}
	_, _, err = FindRoot(filepath.Join(top, "none"))
	refused(t, err, notFound)
	_, _, err = FindRoot(filepath.Join(top, "e/s/x"))
	refused(t, err, notFound)
}
