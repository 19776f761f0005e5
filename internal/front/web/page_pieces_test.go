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
	says(t, p.get("/ui/default/confirm/undo_pieces?entry="+tx+"&path=f&hunks=2"), "Conflicts", "hunk 2 was taken back already, by "+part)
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
