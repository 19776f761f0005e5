package web

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// getJSON asks as a program does.
func (b *testBrowser) getJSON(path string, code int, into any) {
	b.t.Helper()
	a := b.ask("GET", path, "", "Accept", "application/json")
	if a.code != code || a.head.Get("Content-Type") != "application/json" {
		b.t.Fatalf("%s: %d %s %s", path, a.code, a.head.Get("Content-Type"), a.body)
	}
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		b.t.Fatalf("%s: %v in %s", path, err, a.body)
	}
}

// send sends the form of an answer, without the headers that only browsers send.
func (b *testBrowser) send(f *jsonForm, code int, into any) {
	b.t.Helper()
	a := b.ask("POST", "/ui/default/do/"+f.Tool, f.Fields.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "application/json")
	if a.code != code {
		b.t.Fatalf("%s: %d %s", f.Tool, a.code, a.body)
	}
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		b.t.Fatalf("%v in %s", err, a.body)
	}
}

func at(address string) *url.URL {
	u, _ := url.Parse(address)
	return u
}

// TestJSON does as an editor does: it lists the calls, reads both sides of a file, and undoes one hunk.
func TestJSON(t *testing.T) {
	p := newTestPages(t, map[string]string{"f": twentyLines(nil), "g": "one\n"})
	b := &testBrowser{testSite: &testSite{Site: p.site, t: t, url: p.server.URL}, root: p.root, cookies: p.client.Jar.Cookies(at(p.server.URL + p.root))}
	tx := p.patch("*** Update File: f\n@@\n-line 2\n+two\n@@\n-line 18\n+eighteen\n" + update("g", "one", "two"))
	var list jsonTimeline
	b.getJSON("/ui/default/json/timeline?path=f", 200, &list)
	if len(list.Calls) != 1 || list.Version != 1 || list.Root != p.dir || list.Head == 0 {
		t.Fatalf("%+v", list)
	}
	c := list.Calls[0]
	if c.Entry != tx || c.Did != "edited f and 1 more" || !c.Undoable || *c.Added != 3 || *c.Removed != 3 || len(c.Files) != 2 || c.Outcome != "done" {
		t.Errorf("%+v", c)
	}
	b.getJSON("/ui/default/json/change/"+tx, 200, &c)
	if f := c.Files[0]; len(f.Pieces) != 3 || !f.Pieces[2].Undoable || !strings.Contains(f.Diff, "+eighteen") {
		t.Errorf("%+v", f)
	}
	for side, want := range map[string]string{"before": twentyLines(nil), "after": twentyLines(map[int]string{2: "two", 18: "eighteen"})} {
		var content struct{ Path, Text string }
		b.getJSON("/ui/default/json/content/"+tx+"/0/"+side, 200, &content)
		if content.Path != "f" || content.Text != want {
			t.Errorf("%s: %+v", side, content)
		}
	}

	var pre jsonPreview
	b.getJSON("/ui/default/json/confirm/undo_pieces?entry="+tx+"&path=f&hunks=2", 200, &pre)
	if pre.Title != "Undo hunk 2 of f" || pre.Form == nil || len(pre.Files) != 1 || !strings.Contains(pre.Files[0].Diff, "-eighteen") {
		t.Fatalf("%+v", pre)
	}
	other := jsonForm{pre.Form.Tool, url.Values{"seal": pre.Form.Fields["seal"], "entry": {tx}}}
	b.send(&other, 403, &jsonErrors{}) // the seal is for one hunk
	var done struct{ Entry string }
	b.send(pre.Form, 200, &done)
	if p.read("f") != twentyLines(map[int]string{2: "two"}) || done.Entry != p.lastEntry() {
		t.Errorf("%q %+v", p.read("f"), done)
	}
	b.send(pre.Form, 409, &jsonErrors{})
	b.getJSON("/ui/default/json/change/"+tx, 200, &c)
	if pieces := c.Files[0].Pieces; pieces[2].UndoneBy != done.Entry || pieces[2].Undoable || !pieces[1].Undoable {
		t.Errorf("%+v", pieces)
	}

	// what stops an undo, and what can be undone nevertheless
	must(t, os.WriteFile(filepath.Join(p.dir, "f"), []byte(twentyLines(map[int]string{2: "mine"})), 0o644))
	pre = jsonPreview{}
	b.getJSON("/ui/default/json/confirm/undo?entry="+tx, 200, &pre)
	if pre.Form != nil || len(pre.Obstacles) == 0 || pre.Skip == "" {
		t.Fatalf("%+v", pre)
	}
	b.getJSON("/ui/default/json/confirm/"+pre.Skip, 200, &pre)
	if pre.Form == nil || len(pre.Stays) == 0 {
		t.Errorf("%+v", pre)
	}
}

// TestJSONRefused: what cannot be answered is an error in JSON, with its status.
func TestJSONRefused(t *testing.T) {
	p := newTestSite(t, nil)
	tx := p.create("a", "hello\n")
	b := p.signIn()
	for path, code := range map[string]int{"timeline?since=never": 400, "change/none": 404, "content/" + tx + "/1/after": 404, "content/" + tx + "/x/after": 404,
		"confirm/write_file": 404} {
		var errs jsonErrors
		if b.getJSON("/ui/default/json/"+path, code, &errs); len(errs.Errors) != 1 || errs.Errors[0].Message == "" {
			t.Errorf("%s: %+v", path, errs)
		}
	}
	for _, path := range []string{"timeline", "change/" + tx, "waiting", "confirm/undo?entry=" + tx} {
		b.ask("GET", "/ui/default/json/"+path, "", "Origin", "https://evil.example").want(t, 403)
		out := &testBrowser{testSite: p, root: b.root}
		out.ask("GET", "/ui/default/json/"+path, "", "Accept", "application/json").want(t, 401)
	}
}
