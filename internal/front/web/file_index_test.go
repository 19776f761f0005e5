package web

import (
	"net/url"
	"strings"
	"testing"
)

// TestFileIndex: a change or a session of several files lists them, with links to their sections and from there to their
// histories.
func TestFileIndex(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n", "b.txt": "one\n"})
	patch := "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: b.txt\n@@\n-one\n+two\n+three\n*** End Patch\n"
	p.agentCall("apply_patch", map[string]any{"patch": patch})
	for _, at := range []string{p.entryPage(p.lastEntry()), "/ui/default/session?id=s1"} {
		body := p.get(at)
		for _, part := range []string{`<nav class="index" aria-label="Files">`, `href="#file-0">a.txt</a>`, `href="#file-1">b.txt</a>`, `id="file-1"`,
			`href="/ui/default/file?path=` + url.QueryEscape("b.txt")} {
			if !strings.Contains(body, part) {
				t.Errorf("%s: no %s", at, part)
			}
		}
		says(t, body, "2 files +3 −2", "b.txt +2 −1")
	}
	if one := p.get("/ui/default/confirm/undo?entry=" + p.lastEntry()); strings.Contains(one, `class="index"`) {
		t.Error("a page without sections for its files has a list of them")
	}
}

// TestDoneMessage: the page of a change that was just made says so, and links to its undo.
func TestDoneMessage(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n"})
	p.agentCall("edit_file", p.editArguments("a.txt", "one", "two"))
	body := p.get(p.entryPage(p.lastEntry()) + "?done=1")
	flash, _, _ := strings.Cut(body[strings.Index(body, `class="flash"`):], "</p>")
	if !strings.Contains(flash, "Done: edited") || !strings.Contains(flash, `/confirm/undo?entry=`) {
		t.Error(flash)
	}
}
