package windows

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// Names that Windows takes for something else than they look like are refused, and nothing is changed, inside or outside.
func TestNames(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("NOT RUN: these are ordinary names elsewhere")
	}
	p := newPlace(t, map[string]string{"a.txt": "a\n", "d/f.txt": "f\n", ".git/config": "[core]\n"})
	p.do("edit", "a.txt", "--old", "a", "--new", "A")
	top := filepath.Dir(p.dir)
	must(t, os.WriteFile(filepath.Join(top, "out.txt"), []byte("out\n"), 0o644))
	before := p.tree()
	ws, err := emend.Open(p.dir) // the program takes long to start
	must(t, err)
	drive := filepath.VolumeName(p.dir)
	rest := strings.TrimPrefix(p.dir, drive)
	for _, name := range []string{
		"CON", "con.txt", "d/NUL", "nul", "COM1", "LPT9.txt", "AUX.h", "CONIN$", "COM¹",
		"a.txt:stream", "new.txt:stream", "a.txt::$DATA", "d:f.txt", "d::$INDEX_ALLOCATION/f.txt",
		"a.txt.", "a.txt ", "new.", "new ", "d./f.txt", "d /f.txt", "...", "d/...",
		`..\out.txt`, `d/..\..\out.txt`, "../out.txt", "d/../../out.txt",
		`\\?\` + p.dir + `\a.txt`, `\\.\` + p.dir + `\a.txt`, `\??\` + p.dir + `\a.txt`, `\\localhost\c$\x`, "//localhost/c$/x", "//?/" + filepath.ToSlash(p.dir) + "/a.txt",
		drive + "out.txt", drive + "../out.txt", `\out.txt`, rest + `\..\out.txt`, drive + `\out.txt`,
		"a?.txt", "a*.txt", "a|b", "a<b", `a"b`, "a\x01b",
		".git/config", ".GIT/config", "GIT~1/config", "git~1/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config", ".gi\u0074/config", ".g\u200cit/config",
	} {
		for what, patch := range map[string]string{
			"add":    "*** Begin Patch\n*** Add File: " + name + "\n+evil\n*** End Patch\n",
			"update": "*** Begin Patch\n*** Update File: " + name + "\n@@\n-A\n+evil\n*** End Patch\n",
			"delete": "*** Begin Patch\n*** Delete File: " + name + "\n*** End Patch\n",
			"move":   "*** Begin Patch\n*** Update File: d/f.txt\n*** Move to: " + name + "\n@@\n-f\n+evil\n*** End Patch\n",
		} {
			if strings.HasSuffix(name, " ") {
				continue // a space at the end of a line is not part of the name, in any dialect
			}
			if _, err := ws.Apply(t.Context(), patch, api.PatchOptions{Lenient: true}); err == nil {
				t.Errorf("%s %q was done", what, name)
			}
		}
		if _, err := ws.Create(t.Context(), api.CreateRequest{Path: name, Content: "evil"}); err == nil {
			t.Errorf("%q was created", name)
		}
	}
	must(t, ws.Close())
	if now := p.tree(); !maps.Equal(now, before) {
		t.Errorf("the workspace differs in %q", differ(now, before))
	}
	if out, err := os.ReadFile(filepath.Join(top, "out.txt")); err != nil || string(out) != "out\n" {
		t.Errorf("outside: %q, %v", out, err)
	}
	entries, err := os.ReadDir(top)
	must(t, err)
	if len(entries) != 3 {
		t.Errorf("beside the workspace: %v", entries)
	}
}

// quote returns name as JSON.
func quote(name string) string {
	r := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\x01", `\u0001`)
	return `"` + r.Replace(name) + `"`
}

// Names that look odd and are ordinary can be used.
func TestOrdinaryNames(t *testing.T) {
	p := newPlace(t, nil)
	for _, name := range []string{"console.txt", "com.txt", "nullable.go", "COM10", "LPT", "aux1.txt", "a b.txt", ".a", "a~1.txt", "ünïcode.txt", "日本.txt", "a#b", "[x].txt", "-f"} {
		p.do("call", "create_file", `{"path":`+quote(name)+`,"content":"x\n"}`)
		if p.tree()[name] != "x\n" {
			t.Errorf("%q is not there: %q", name, p.tree())
		}
	}
}

// Names that differ in case are one file: a change under another spelling reaches it, and it stays one file.
func TestCase(t *testing.T) {
	if runtime.GOOS != "windows" {
		t.Skip("NOT RUN: these are two files elsewhere")
	}
	p := newPlace(t, map[string]string{"Read.txt": "a\n", "m.txt": "m\n"})
	p.do("edit", "READ.TXT", "--old", "a", "--new", "b")
	if now := p.tree(); len(now) != 2 || now["Read.txt"]+now["READ.TXT"] != "b\n" {
		t.Errorf("after an edit under another spelling: %q", now)
	}
	if got := p.run("call", "create_file", `{"path":"M.TXT","content":"x\n"}`); got.code == 0 {
		t.Errorf("a second file was made: %s", got.out)
	}
	before := p.tree()
	rename := p.aside("rename", "*** Begin Patch\n*** Update File: m.txt\n*** Move to: M.txt\n@@\n-m\n+n\n*** End Patch\n")
	for _, args := range [][]string{{"mv", "m.txt", "M.txt"}, {"mv", "--overwrite", "m.txt", "M.txt"}, {"apply", rename}} {
		if got := p.run(args...); got.code == 0 || !strings.Contains(got.out, "third name") || !maps.Equal(p.tree(), before) {
			t.Errorf("%q: exit code %d: %s; the tree is %q", args, got.code, got.out, p.tree())
		}
	}
	p.do("mv", "m.txt", "third")
	p.do("mv", "third", "M.txt")
	if now := p.tree(); len(now) != 2 || now["M.txt"] != "m\n" {
		t.Errorf("after a rename by a third name: %q", now)
	}
	p.do("undo")
	p.do("undo")
	if now := p.tree(); !maps.Equal(now, before) {
		t.Errorf("after undo it differs in %q", differ(now, before))
	}
	p.do("verify")
}
