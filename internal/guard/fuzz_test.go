//go:build unix

package guard

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzResolve: whatever the path, nothing panics, and the parent of what is found is inside the root.
func FuzzResolve(f *testing.F) {
	top := f.TempDir()
	top, err := filepath.EvalSymlinks(top)
	if err != nil {
		f.Fatal(err)
	}
	ws := filepath.Join(top, "ws")
	files := map[string]string{"ws/a": "", "ws/d/e/f": "", "ws/.git/config": "", "out/f": "", "ws_evil/f": "",
		"ws/i": "-> d/e", "ws/o": "-> ../out", "ws/d/u": "-> ..", "ws/d/uu": "-> ../..", "ws/s": "-> " + ws, "ws/p": "-> " + top,
		"ws/r": "-> /", "ws/l": "-> l/l", "ws/g": "-> .git", "ws/m": "-> /proc/self/root", "ws/n": "-> no/../../out"}
	plant(f, top, files)
	system, err := open(ws, Options{}, openTree)
	if err != nil {
		f.Fatal(err)
	}
	other, err := open(ws, Options{}, openPortable)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"a", "d/e/f", "i/../u/o/f", "../out/f", "s/s/../a", ws + "/i/f", "m/etc", ".git/x", "g/x",
		"d/u/../..", "n/f", "l/x", "p/ws/a", "\u202e/..", "o/."} {
		f.Add(seed, "", true)
		f.Add(seed, "d/e", false)
	}
	f.Fuzz(func(t *testing.T, name, base string, write bool) {
		ask := Request{Base: base, Absolute: true, Write: write}
		e, err := system.Resolve(name, ask)
		o, oerr := other.Resolve(name, ask)
		if e != o || (err == nil) != (oerr == nil) {
			t.Fatalf("%q from %q: %+v, %v by the system, %+v, %v portably", name, base, e, err, o, oerr)
		}
		if err != nil {
			return
		}
		if !fs.ValidPath(e.Rel) && strings.ToValidUTF8(e.Rel, "") == e.Rel {
			t.Fatalf("%q from %q is at %q", name, base, e.Rel)
		}
		if r, _ := findRule(splitNames(e.Rel), writing); write && r != nil {
			t.Fatalf("%q from %q may be written at %q", name, base, e.Rel)
		}
		if real, err := filepath.EvalSymlinks(filepath.Join(ws, path.Dir(e.Rel))); e.HasParent &&
			(err != nil || real != filepath.Join(ws, path.Dir(e.Rel))) {
			t.Fatalf("%q from %q has its parent at %q, %v", name, base, real, err)
		}
	})
}
