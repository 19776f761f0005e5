package web

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// twentyLines returns lines, of which some are replaced.
func twentyLines(changed map[int]string) string {
	var b strings.Builder
	for i := 1; i <= 20; i++ {
		line := fmt.Sprintf("line %d", i)
		if s, ok := changed[i]; ok {
			line = s
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

var pieceLink = regexp.MustCompile(`href="([^"]*/confirm/undo_pieces[^"]*)"`)

// pieceLinks returns the addresses of the undos that a page offers for files and hunks.
func pieceLinks(body string) (out []string) {
	for _, m := range pieceLink.FindAllStringSubmatch(body, -1) {
		out = append(out, withoutRoot(strings.ReplaceAll(m[1], "&amp;", "&")))
	}
	return out
}

// TestUndoPieces: a file and each hunk can be taken back on the page of the change, which then says so.
func TestUndoPieces(t *testing.T) {
	p := newTestPages(t, map[string]string{"f": twentyLines(nil), "g": "one\n"})
	tx := p.patch("*** Update File: f\n@@\n-line 2\n+two\n@@\n-line 18\n+eighteen\n" + update("g", "one", "two"))
	body := p.get("/ui/default/change/" + tx)
	says(t, body, "hunk 1 Undo", "hunk 2 Undo", "Undo this file")
	links := pieceLinks(body)
	if len(links) != 4 { // the hunks of f, f, g
		t.Fatalf("%q", links)
	}
	dry := p.get(links[1])
	says(t, dry, "Undo hunk 2 of f", "1 file would change", "− eighteen", "+ line 18")
	saysNot(t, dry, "line 2 ")
	p.submit(dry, "do")
	if got := p.read("f"); got != twentyLines(map[int]string{2: "two"}) || p.read("g") != "two\n" {
		t.Errorf("f is %q", got)
	}
	part := p.lastEntry()
	says(t, p.get("/ui/default/change/"+part), "Reverts a part of "+tx, "f, hunk 2 of 2")
	body = p.get("/ui/default/change/" + tx)
	says(t, body, "Partly undone by "+part, "hunk 2, undone by "+part, "hunk 1 Undo")
	if links = pieceLinks(body); len(links) != 3 {
		t.Fatalf("%q", links)
	}
	says(t, p.get("/ui/default/confirm/undo_pieces?entry="+tx+"&path=f&hunks=2"), "Conflicts", "hunk 2 was already undone by "+part)
	p.submit(p.get(links[2]), "do")
	if p.read("g") != "one\n" {
		t.Error("g was not taken back")
	}
	says(t, p.get("/ui/default/change/"+tx), "Undone by "+p.lastEntry())

	// a conflict is shown with its three sides
	must(t, os.WriteFile(filepath.Join(p.dir, "f"), []byte(twentyLines(map[int]string{2: "mine"})), 0o644))
	says(t, p.get(links[0]), "Conflicts", "f: hunk 1: it was changed since", "now, line 2 mine", "left it two", "line 2")

	p.serve(true)
	if links := pieceLinks(p.get("/ui/default/change/" + tx)); len(links) > 0 {
		t.Errorf("a page for reading only offers %q", links)
	}
}

// TestUndoSelectedHunks: several hunks of a file are undone at once.
func TestUndoSelectedHunks(t *testing.T) {
	p := newTestPages(t, map[string]string{"f": twentyLines(nil)})
	tx := p.patch("*** Update File: f\n@@\n-line 2\n+two\n@@\n-line 10\n+ten\n@@\n-line 18\n+eighteen\n")
	body := p.get("/ui/default/change/" + tx)
	says(t, body, "Undo selected")
	for _, n := range []string{"1", "2", "3"} {
		if !strings.Contains(body, `<input type="checkbox" name="select" value="`+n+`:f" form="pieces"`) {
			t.Errorf("hunk %s cannot be selected", n)
		}
	}
	at := "/ui/default/confirm/undo_pieces?entry=" + tx + "&selected=1"
	if _, none := p.try(at); !strings.Contains(words(none), "nothing is selected") {
		t.Errorf("without a selection: %s", words(none))
	}
	dry := p.get(at + "&select=1:f&select=3:f")
	says(t, dry, "Undo hunks 1 and 3 of f", "1 file would change", "+ line 2", "+ line 18")
	saysNot(t, dry, "line 10 ")
	p.submit(dry, "do")
	if got := p.read("f"); got != twentyLines(map[int]string{10: "ten"}) {
		t.Errorf("f is %q", got)
	}
	if body := p.get("/ui/default/change/" + tx); strings.Contains(body, `type="checkbox"`) {
		t.Error("the one hunk that is left can be selected")
	}
}

// TestUndoSelectedOfSeveralFiles: hunks of one file and the whole of another are undone at once, in one entry.
func TestUndoSelectedOfSeveralFiles(t *testing.T) {
	p := newTestPages(t, map[string]string{"f": twentyLines(nil), "a:b": twentyLines(nil), "g": "one\n", "h": "one\n"})
	tx := p.patch("*** Update File: f\n@@\n-line 2\n+two\n@@\n-line 18\n+eighteen\n*** Update File: a:b\n@@\n-line 2\n+two\n@@\n-line 18\n+eighteen\n" +
		update("g", "one", "two") + update("h", "one", "two"))
	body := p.get("/ui/default/change/" + tx)
	for _, piece := range []string{"1:f", "2:f", "1:a:b", "2:a:b", "0:g", "0:h"} {
		if strings.Count(body, `name="select" value="`+piece+`" form="pieces"`) != 1 {
			t.Errorf("%s cannot be selected", piece)
		}
	}
	dry := p.get("/ui/default/confirm/undo_pieces?entry=" + tx + "&selected=1&select=2:f&select=1:a:b&select=0:g")
	says(t, dry, "Undo 3 selected pieces", "3 files would change")
	p.submit(dry, "do")
	if p.read("f") != twentyLines(map[int]string{2: "two"}) || p.read("a:b") != twentyLines(map[int]string{18: "eighteen"}) || p.read("g") != "one\n" || p.read("h") != "two\n" {
		t.Errorf("%q %q %q %q", p.read("f"), p.read("a:b"), p.read("g"), p.read("h"))
	}
	says(t, p.get("/ui/default/change/"+p.lastEntry()), "f, hunk 2 of 2", "a:b, hunk 1 of 2")
	for _, bad := range []string{"f", "x:f", "-1:f", "1:"} {
		if _, body := p.try("/ui/default/confirm/undo_pieces?entry=" + tx + "&selected=1&select=" + bad); !strings.Contains(words(body), "is no piece") {
			t.Errorf("%s: %s", bad, words(body))
		}
	}
}

// TestSkipConflicts: where an undo conflicts, the page offers to undo the rest, says what stays, and does that and nothing else.
func TestSkipConflicts(t *testing.T) {
	for name, address := range map[string]func(p *testPages, tx string) string{
		"entry":   func(_ *testPages, tx string) string { return "undo?entry=" + tx },
		"file":    func(_ *testPages, tx string) string { return "undo_pieces?path=f&entry=" + tx },
		"session": func(p *testPages, tx string) string { return "undo?sessionId=" + p.sessionOf(tx) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestPages(t, map[string]string{"f": twentyLines(nil), "g": "one\n"})
			tx := p.patch("*** Update File: f\n@@\n-line 2\n+two\n@@\n-line 18\n+eighteen\n" + update("g", "one", "two"))
			must(t, os.WriteFile(filepath.Join(p.dir, "f"), []byte(twentyLines(map[int]string{2: "mine", 18: "eighteen"})), 0o644))
			body := p.get("/ui/default/confirm/" + address(p, tx))
			says(t, body, "Conflicts", "Undo everything else, and leave what conflicts")
			if len(forms(body, "do")) != 0 {
				t.Error("an undo that conflicts can be done")
			}
			dry := p.get(linkTo(t, body, regexp.MustCompile(`href="([^"]+skipConflicts[^"]*)"`), 0))
			says(t, dry, "Not undone", "f: hunk 1: it was changed since", "now, line 2 mine", "+ line 18")
			p.submit(dry, "do")
			g := "one\n"
			if name == "file" {
				g = "two\n"
			}
			if got := p.read("f"); got != twentyLines(map[int]string{2: "mine"}) || p.read("g") != g {
				t.Errorf("f is %q, g is %q", got, p.read("g"))
			}
		})
	}

	// where everything conflicts there is no such offer
	p := newTestPages(t, map[string]string{"g": "one\n"})
	tx := p.patch(update("g", "one", "two"))
	must(t, os.WriteFile(filepath.Join(p.dir, "g"), []byte("mine\n"), 0o644))
	body := p.get("/ui/default/confirm/undo?entry=" + tx)
	says(t, body, "Conflicts")
	saysNot(t, body, "Undo everything else")
}

// sessionOf returns the session of an entry.
func (p *testPages) sessionOf(tx string) string {
	p.t.Helper()
	e, err := p.ws.Show(p.t.Context(), tx)
	must(p.t, err)
	return e.Data.SessionID
}
