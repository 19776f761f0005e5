package web

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var putBackLink = regexp.MustCompile(`href="([^"]*/confirm/put_back[^"]*)"`)

// linkTo returns the address of the n-th link of a page that matches.
func linkTo(t *testing.T, body string, what *regexp.Regexp, n int) string {
	t.Helper()
	all := what.FindAllStringSubmatch(body, -1)
	if len(all) <= n {
		t.Fatalf("the page has %d of %s:\n%s", len(all), what, words(body))
	}
	return html.UnescapeString(all[n][1])
}

// TestFilePage: a file's history leads through its moves, shows each version, and can put the first one back.
func TestFilePage(t *testing.T) {
	p := newTestPages(t, map[string]string{"src/a.go": "package one\n"})
	p.patch(update("src/a.go", "package one", "package two"))
	p.agentCall("move_file", map[string]any{"fromPath": "src/a.go", "toPath": "b.go", "expectedSha256": p.sum("src/a.go")})
	p.patch(update("b.go", "package two", "package three"))

	body := p.get("/ui/default/file?path=b.go")
	says(t, body, "b.go", "Current: 14 bytes", "Moved to b.go", "Edited by robot", "Before the first change", "current", "Restore this version")
	if n := strings.Count(body, `<li class="version"`); n != 4 {
		t.Errorf("%d versions, want 4:\n%s", n, words(body))
	}
	shown := p.get(linkTo(t, body, regexp.MustCompile(`<a href="([^"]*)">View`), 3))
	says(t, shown, "This version", "package one")
	against := p.get(linkTo(t, body, regexp.MustCompile(`<a href="([^"]*)">Compare with current`), 2))
	says(t, against, "Changes since this version", "− package one", "+ package three")

	dry := p.get(linkTo(t, body, putBackLink, 2))
	says(t, dry, "Restore a version of b.go", "Preview", "1 file would change", "+ package one")
	after := p.submit(dry, "do")
	says(t, after, "Done:", "b.go", "put_back", "Undo this change")
	if p.read("b.go") != "package one\n" {
		t.Fatalf("b.go is %q", p.read("b.go"))
	}
	says(t, p.get("/ui/default/file?path=b.go"), "Restored by you")
}

// TestFilePutBackStale: only the content that was shown is replaced. A change in between refuses the call, and is shown.
func TestFilePutBackStale(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	p.patch(update("a", "one", "two"))
	dry := p.get(linkTo(t, p.get("/ui/default/file?path=a"), putBackLink, 0))
	says(t, dry, "− two", "+ one")
	must(t, os.WriteFile(filepath.Join(p.dir, "a"), []byte("by hand\n"), 0o644))
	status, _, again := p.press(dry, "do")
	if status != 409 || p.read("a") != "by hand\n" {
		t.Fatalf("%d, a is %q\n%s", status, p.read("a"), words(again))
	}
	says(t, again, "Not done", "changed since", "− by hand", "+ one")
	p.submit(again, "do")
	if p.read("a") != "one\n" {
		t.Errorf("a is %q", p.read("a"))
	}
}

// TestFileGone: a deleted file can be put back from its history.
func TestFileGone(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	p.agentCall("delete_file", map[string]any{"path": "a", "expectedSha256": p.sum("a")})
	body := p.get("/ui/default/file?path=a")
	says(t, body, "The file does not exist now.", "Deleted by robot")
	p.submit(p.get(linkTo(t, body, putBackLink, 0)), "do")
	if p.read("a") != "one\n" {
		t.Errorf("a is %q", p.read("a"))
	}
}

// TestFileNone: a path without a history says what is there, and one that may not be read is refused.
func TestFileNone(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "the text of a\n", "dir/b": "b\n", ".env": "SECRET=1\n"})
	p.patch(update("dir/b", "b", "c"))
	says(t, p.get("/ui/default/file?path=a"), "No agent has changed this file")
	says(t, p.get("/ui/default/file?path=nothing"), "There is no such file, and the log has no history of one.")
	says(t, p.get("/ui/default/file?path=dir"), "This is a directory.", "The timeline shows the changes of the files in it")
	for path, want := range map[string]int{".env": 403, "../x": 403, "/etc/passwd": 403, "": 404, "a%00b": 400, ".": 400, ".git/config": 200} {
		status, body := p.try("/ui/default/file?path=" + path)
		if status != want || strings.Contains(body, "SECRET") || strings.Contains(body, "root:") {
			t.Errorf("%s: %d, want %d: %s", path, status, want, words(body))
		}
	}
	for _, id := range []string{"now::.env", "now:" + p.shaOf("SECRET=1\n") + ":.env", "now:x:../../etc/passwd", "../../etc/passwd", "20261122-000000-aaaaaaaaaa.0", "x"} {
		status, body := p.try("/ui/default/file?path=a&version=" + id)
		if status == 200 || strings.Contains(body, "SECRET") || strings.Contains(body, "root:") {
			t.Errorf("version %s: %d %s", id, status, words(body))
		}
	}
}

// TestFileHostile: a file whose name browsers change when they send it can be put back, or the page says why not.
func TestFileHostile(t *testing.T) {
	for name, sent := range map[string]bool{"a\nb": true, " lead": true, "a&b=c+d%20#e": true, "a\rb": false} {
		p := newTestPages(t, nil)
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte("one\n"), 0o644); err != nil {
			t.Logf("NOT RUN: %q: %v", name, err)
			continue
		}
		_, err := p.ws.Write(t.Context(), writing(name, "two\n", p.shaOf("one\n")))
		must(t, err)
		body := p.get(p.site.Workspaces[0].FilePage(name))
		dry := p.get(linkTo(t, body, putBackLink, 0))
		if !sent {
			says(t, dry, "Conflicts", "cannot be sent from a page", "command line")
			if len(forms(dry, "do")) != 0 {
				t.Errorf("%q: there is a form", name)
			}
			continue
		}
		f := forms(dry, "do")[0]
		f.fields.Set("path", strings.ReplaceAll(f.fields.Get("path"), "\n", "\r\n")) // as browsers do
		if status, _, answer := p.post(f.action, f.fields); status != 303 {
			t.Errorf("%q: %d %s", name, status, words(answer))
		}
		if p.read(name) != "one\n" {
			t.Errorf("%q is %q", name, p.read(name))
		}
	}
}
