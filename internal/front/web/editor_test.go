package web

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseEditor(t *testing.T) {
	for text, want := range map[string]string{
		"vscode": "vscode://file/a%20b/c%3A.go:7", "idea": "idea://open?file=/a%20b/c%3A.go&line=7", "zed": "zed://file/a%20b/c%3A.go:7",
		"my-editor://{path}#{line}": "my-editor:///a%20b/c%3A.go#7",
	} {
		e, err := ParseEditor(text)
		if got := e.address("/a b/c:.go", 7); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	if got := editors["vscode"].address("C:/a&b?", 0); got != "vscode://file/C:/a%26b%3F:1" {
		t.Error(got)
	}
	for _, text := range []string{"", "emacs", "vscode://file", "javascript:{path}", "https://x/{path}", "data:{path}", "VSCODE://{path}", "a b://{path}", "file://{path}", "x://\n{path}"} {
		if e, err := ParseEditor(text); err == nil {
			t.Errorf("%q is the editor %q", text, e)
		}
	}
}

// TestOpenInEditor: with an editor each diff links to the file at its first change. The link leads to files of the workspace that exist
// and may be read, and needs a signed-in browser. Without an editor there is no link.
func TestOpenInEditor(t *testing.T) {
	p := newTestSite(t, func(c *Config) { c.Editor = editors["vscode"] }, "dir/a b.txt", twentyLines(nil), ".env", "SECRET=1\n")
	b := p.signIn()
	entry := p.create("new.txt", "x\n")
	b.get("/ui/default/change/"+entry).want(t, 200, `/ui/default/editor?line=1&amp;path=new.txt`, "Open in editor")
	b.get("/ui/default/file?path=new.txt").want(t, 200, `/ui/default/editor?path=new.txt`)
	a := b.get("/ui/default/editor?path=" + url.QueryEscape("dir/a b.txt") + "&line=7")
	if want := "vscode://file" + filepath.ToSlash(filepath.Join(p.ws.Root(), "dir/a%20b.txt")) + ":7"; a.code != 303 || a.head.Get("Location") != want {
		t.Errorf("%d %s, want %s", a.code, a.head.Get("Location"), want)
	}
	for _, path := range []string{"nosuch", "../x", "/etc/passwd", ".env", "", "dir"} {
		if a := b.get("/ui/default/editor?path=" + url.QueryEscape(path)); a.code == 303 || a.head.Get("Location") != "" {
			t.Errorf("%q leads to %s", path, a.head.Get("Location"))
		}
	}
	if a := (&testBrowser{testSite: p}).get("/ui/default/editor?path=new.txt"); strings.HasPrefix(a.head.Get("Location"), "vscode") {
		t.Error("the editor opens for a browser that is not signed in")
	}
	if a := b.ask("GET", "/ui/default/editor?path=new.txt", "", "Sec-Fetch-Site", "cross-site"); a.code != 403 {
		t.Errorf("another site can open the editor: %d", a.code)
	}

	without := newTestSite(t, nil, "a", "a\n")
	w := without.signIn()
	if a := w.get("/ui/default/change/" + without.create("new.txt", "x\n")); strings.Contains(a.body, "editor?") {
		t.Error("there is a link to no editor")
	}
	w.get("/ui/default/editor?path=a").want(t, 404, "no editor is set")
}
