package web

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

func (p *testPages) patch(text string) string {
	p.t.Helper()
	p.agentCall("apply_patch", map[string]any{"patch": "*** Begin Patch\n" + text + "*** End Patch\n"})
	return p.lastEntry()
}

func update(path, from, to string) string {
	return fmt.Sprintf("*** Update File: %s\n@@\n-%s\n+%s\n", path, from, to)
}

func (p *testPages) sum(path string) string {
	p.t.Helper()
	a, err := p.ws.Read(context.Background(), api.ReadRequest{Path: path, AllowBinary: true})
	must(p.t, err)
	return a.Data.Sha256
}

// TestChangeUndoRedo: a change is undone and redone, and its pages say so.
func TestChangeUndoRedo(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\ntwo\nthree\n"})
	first := p.patch("*** Update File: a.txt\n@@\n one\n-two\n+2\n three\n*** Add File: b.txt\n+new\n")
	body := p.get(p.entryPage(first))
	says(t, body, "Changed a.txt and 1 more", "robot", "robot 1.2", "s1", "call-7", "apply_patch", "a.txt edited", "b.txt created",
		"Unchanged since.", "Undo this change", "Purge history", "line 1, exact", "2 files")
	for _, markup := range []string{`<section class="file" id="file-0" data-path="a.txt"`, `data-state="unchanged"`, `<table class="diff unified"`, `<h1>`} {
		if !strings.Contains(body, markup) {
			t.Errorf("no %s in\n%s", markup, body)
		}
	}
	if strings.Contains(words(body), "Next change") {
		t.Error("the newest change has a newer one")
	}

	dry := p.get("/ui/default/confirm/undo?entry=" + first)
	says(t, dry, "Undo: changed a.txt and 1 more", "Preview", "2 files would change", "Edit a.txt", "Delete b.txt", "Cancel")
	if p.read("a.txt") != "one\n2\nthree\n" {
		t.Fatal("looking at it took it back")
	}
	after := p.submit(dry, "do")
	says(t, after, "Done:", "Reverted 2 files", "Reverts "+first, "Redo", "You", "Previous change")
	if p.read("a.txt") != "one\ntwo\nthree\n" || !p.absent("b.txt") {
		t.Fatalf("it was not taken back: %q", p.read("a.txt"))
	}

	undo := p.lastEntry()
	body = p.get(p.entryPage(first))
	says(t, body, "undone", "Undone by "+undo, "Next change")
	saysNot(t, body, "Undo this change")
	says(t, p.get(linkTo(t, body, regexp.MustCompile(`<a href="([^"]*)" rel="next">`), 0)), "Reverts "+first)

	redo := p.get("/ui/default/confirm/undo?entry=" + undo)
	says(t, redo, "Redo: undo "+undo)
	p.submit(redo, "do")
	if p.read("a.txt") != "one\n2\nthree\n" || p.read("b.txt") != "new\n" {
		t.Fatalf("it was not done again: %q", p.read("a.txt"))
	}
}

// TestChangeRefused: a refused call says why, and offers no undo.
func TestChangeRefused(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n"})
	p.tryCall("apply_patch", map[string]any{"patch": "*** Begin Patch\n" + update("a.txt", "nothing like it", "x") + "*** End Patch\n"})
	entry := p.lastEntry()
	body := p.get(p.entryPage(entry))
	says(t, body, "Tried to edit a.txt: the patch does not apply", "refused", "its lines are not in the file", "patch_apply_error", "Attempted changes", "nothing like it")
	saysNot(t, body, "Undo this change", "Purge history", "Unchanged since")
	if p.entryPage(entry) != "/ui/default/change/"+strings.TrimPrefix(entry, "#") {
		t.Errorf("the address of %s is %s", entry, p.entryPage(entry))
	}
	p.tryCall("create_file", map[string]any{"path": "../x", "content": "x"})
	says(t, p.get(p.entryPage(p.lastEntry())), "Tried to", "outside_workspace")
	if status, body := p.try("/ui/default/change/999"); status != 404 || !strings.Contains(body, "no entry is called") {
		t.Errorf("%d %s", status, words(body))
	}
}

// TestChangeKinds: changes other than edits of text are shown as what they are.
func TestChangeKinds(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n", "dir/b.txt": "b\n", "bin": "a\x00b", "open": "no newline"})
	must(t, os.Symlink("a.txt", filepath.Join(p.dir, "link")))
	p.agentCall("move_file", map[string]any{"fromPath": "dir/b.txt", "toPath": "c.txt", "expectedSha256": p.sum("dir/b.txt")})
	moved := p.lastEntry()
	says(t, p.get(p.entryPage(moved)), "Moved dir/b.txt to c.txt", "Moved, with the same content.", "Unchanged since.")
	if body := p.get(p.entryPage(moved)); !strings.Contains(body, `to <code class="path">c.txt</code>`) || strings.Contains(body, `class="counts"`) {
		t.Error("the target of a move is not in code type, or it counts lines")
	}
	p.agentCall("delete_file", map[string]any{"path": "bin", "expectedSha256": p.sum("bin")})
	says(t, p.get(p.entryPage(p.lastEntry())), "Deleted bin", "binary", "is in the trash", "Still deleted.")
	p.agentCall("delete_file", map[string]any{"path": "link", "expectedSha256": p.shaOf("a.txt")})
	says(t, p.get(p.entryPage(p.lastEntry())), "Deleted link", "is in the trash")
	p.agentCall("write_file", map[string]any{"path": "open", "content": "another", "expectedSha256": p.sum("open")})
	edited := p.lastEntry()
	says(t, p.get(p.entryPage(edited)), "no newline at the end", "Unchanged since.")
	must(t, os.WriteFile(filepath.Join(p.dir, "open"), []byte("by hand\n"), 0o644))
	says(t, p.get(p.entryPage(edited)), "Changed since, outside emend")
	must(t, os.Remove(filepath.Join(p.dir, "open")))
	says(t, p.get(p.entryPage(edited)), "Deleted since")
	p.agentCall("delete_file", map[string]any{"path": "c.txt", "expectedSha256": p.sum("c.txt")})
	deleted := p.lastEntry()
	if body := p.get(p.entryPage(moved)); !strings.Contains(body, p.entryPage(deleted)) {
		t.Errorf("the move does not name what deleted the file:\n%s", words(body))
	}
}

// TestChangeForgotten: the page says that a diff is not kept any more, and why.
func TestChangeForgotten(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "the password is hunter2\n"})
	entry := p.patch(update("a.txt", "the password is hunter2", "no password"))
	dry := p.get("/ui/default/confirm/purge?entries=" + entry)
	says(t, dry, "Purge history", "The diffs and old contents of 1 change", entry, "a.txt")
	body := p.submit(dry, "do")
	says(t, body, "The diff was purged", "Unchanged since.")
	saysNot(t, body, "hunter2")
	says(t, p.get(p.entryPage(p.lastEntry())), "Purged the history of a.txt", "done")
	says(t, p.get("/ui/default/confirm/purge?entries="+entry), "the history has nothing of")
	says(t, p.get("/ui/default/confirm/undo?entry="+entry), "Conflicts", "no longer kept", "History of a.txt")
}

// TestChangeHidden: of a file that may not be read, only the name is shown.
func TestChangeHidden(t *testing.T) {
	p := newTestPages(t, map[string]string{".env": "SECRET=1\n"}, emend.AllowProtected(".env"))
	entry := p.patch(update(".env", "SECRET=1", "SECRET=2"))
	must(t, p.ws.Close())
	ws, err := emend.Open(p.dir)
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	p.ws = ws
	p.serve(false)
	for _, path := range []string{p.entryPage(entry), "/ui/default/confirm/undo?entry=" + entry, "/ui/default/file?path=.env", "/ui/default/trash"} {
		_, body := p.try(path)
		if strings.Contains(body, "SECRET") || strings.Contains(body, p.shaOf("SECRET=1\n")) {
			t.Errorf("%s shows a secret:\n%s", path, words(body))
		}
	}
	says(t, p.get(p.entryPage(entry)), "Edited .env", "The diff is not shown")
	status, body := p.try("/ui/default/file?path=.env")
	if status != 403 {
		t.Errorf("%d %s", status, words(body))
	}
}

// TestChangeHostile: names and contents come out as text.
func TestChangeHostile(t *testing.T) {
	name := "\"><img src=x onerror=alert(1)>\u202e'.txt"
	p := newTestPages(t, map[string]string{name: "<script>alert(1)</script>\n"})
	p.agentCall("edit_file", map[string]any{"path": name, "expectedSha256": p.sum(name), "edits": []any{map[string]any{"oldText": "alert(1)", "newText": "alert(2)"}}})
	entry := p.lastEntry()
	dry := p.get("/ui/default/confirm/undo?entry=" + entry)
	for _, body := range []string{p.get(p.entryPage(entry)), dry} {
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "<img") || strings.Contains(words(body), "\u202e") {
			t.Errorf("markup of a file got into the page:\n%s", body)
		}
		says(t, body, "<script>alert(2)</script>", `\u202e`)
	}
	p.submit(dry, "do")
	if p.read(name) != "<script>alert(1)</script>\n" {
		t.Error("it was not taken back")
	}
}

// TestChangeHuge: a long change is shown from its beginning, with links to the rest.
func TestChangeHuge(t *testing.T) {
	p := newTestPages(t, nil)
	var add strings.Builder
	for i := range 60 {
		fmt.Fprintf(&add, "*** Add File: d%02d\n+x\n", i)
	}
	add.WriteString("*** Add File: long\n" + strings.Repeat("+line\n", 9000))
	entry := p.patch(add.String())
	body := p.get(p.entryPage(entry))
	if n := strings.Count(body, `<section class="file"`); n != maxPageFiles {
		t.Errorf("%d files, want %d", n, maxPageFiles)
	}
	says(t, body, "Show 11 more files")
	body = p.get(p.entryPage(entry) + "?from=50")
	says(t, body, "long", "Show 8,601 more lines")
	body = p.get("/ui/default/confirm/undo?entry=" + entry)
	says(t, body, "61 files would change", "and 11 more")
}
