package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestUndoBlocked: the page names the later change that blocks an undo, and links to its undo.
func TestUndoBlocked(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	first := p.patch(update("a", "one", "two"))
	second := p.patch(update("a", "two", "three"))
	body := p.get("/ui/default/confirm/undo?entry=" + first)
	says(t, body, "Conflicts", "a: ", second, "Undo "+second+" first", "History of a")
	saysNot(t, body, "Preview")
	for _, want := range []string{`<section class="inway" role="alert">`, p.entryPage(second), "/ui/default/confirm/undo?entry=" + second} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(body, `type="submit"`) {
		t.Error("there is a button for what cannot be done")
	}
	p.submit(p.get("/ui/default/confirm/undo?entry="+second), "do")
	p.submit(p.get("/ui/default/confirm/undo?entry="+first), "do")
	if p.read("a") != "one\n" {
		t.Errorf("a is %q", p.read("a"))
	}
	says(t, p.get("/ui/default/confirm/undo?entry="+first), "Conflicts", "Undone already by")
}

// TestUndoStale: a change between looking and pressing refuses the undo, and is shown.
func TestUndoStale(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	dry := p.get("/ui/default/confirm/undo?entry=" + p.patch(update("a", "one", "two")))
	must(t, os.WriteFile(filepath.Join(p.dir, "a"), []byte("by hand\n"), 0o644))
	status, _, body := p.press(dry, "do")
	if status != 409 || p.read("a") != "by hand\n" {
		t.Errorf("%d, a is %q", status, p.read("a"))
	}
	says(t, body, "Not done", "Conflicts", "no later change went through emend")
}

// TestUndoSession: a session is shown, and undone, as one change.
func TestUndoSession(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n", "b": "b\n"})
	p.patch(update("a", "one", "two"))
	p.patch(update("a", "two", "three"))
	p.delete("b")
	dry := p.get("/ui/default/confirm/undo?sessionId=s1")
	says(t, dry, "Undo a session", "s1", "2 files would change", "− three", "+ one", "Create b")
	p.submit(dry, "do")
	if p.read("a") != "one\n" || p.read("b") != "b\n" {
		t.Errorf("a is %q", p.read("a"))
	}
}

// TestConfirmAsked: where a policy asks a person, pressing the button is the answer.
func TestConfirmAsked(t *testing.T) {
	p := newAskingPages(t)
	call := p.startCall("s1", "apply_patch", migration("select 2;"))
	p.submit(p.waitForQuestions(1), "once")
	if o := p.result(call); !o.OK() {
		t.Fatal(o.Text())
	}
	dry := p.get("/ui/default/confirm/undo?entry=" + p.lastEntry())
	says(t, dry, "Preview", "migrations/1.sql", "select 1;")
	says(t, p.submit(dry, "do"), "Approved by", "page")
	if p.read("migrations/1.sql") != "select 1;\n" {
		t.Errorf("migrations/1.sql is %q", p.read("migrations/1.sql"))
	}

	_, err := p.ws.Delete(emend.WithAsker(t.Context(), allow), api.DeleteRequest{Path: "customers", ExpectedSha256: p.shaOf("Ann\n")})
	must(t, err)
	body := p.get("/ui/default/confirm/undo?entry=" + p.lastEntry())
	says(t, body, "Conflicts", "what may be read on asking only is not shown on a page")
	saysNot(t, body, "Ann")
}

// TestConfirmNothing: an unknown tool is not found, and a call that names nothing says so, without a record in the log.
func TestConfirmNothing(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	p.patch(update("a", "one", "two"))
	before := p.lastEntry()
	for path, want := range map[string]string{"write_file": "no such action", "allow": "no such action", "undo": "no change is named", "put_back": "the path is empty",
		"put_back?path=a&version=x": "Conflicts", "purge": "no change is named", "purge?entries=zzzzzz": "Conflicts", "purge?entries=z": "Conflicts", "undo?entry=nothing": "Conflicts",
		"undo?entry=x&sessionId=y": "Conflicts", "recover": "Nothing to recover", "clear_trash?before=x": "not a time", "restore_file": "Conflicts"} {
		_, body := p.try("/ui/default/confirm/" + path)
		if !strings.Contains(strings.ToLower(words(body)), strings.ToLower(want)) {
			t.Errorf("%s: no %q in %s", path, want, words(body))
		}
		if strings.Contains(body, `type="submit"`) && !strings.HasPrefix(path, "restore_file") {
			t.Errorf("%s has a button", path)
		}
		if now := p.lastEntry(); now != before {
			t.Errorf("%s: the log has %s", path, now)
			before = now
		}
	}
}

// TestConfirmChangesNothing: opening the page changes nothing, whatever its address says.
func TestConfirmChangesNothing(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n"})
	p.patch(update("a", "one", "two"))
	p.patch("*** Delete File: a\n")
	entry := p.lastEntry()
	for _, dry := range []string{"dryRun=false", "dryRun=", "dryRun=false&dryRun=false", "DryRun=false", "dryRun=no", "dryrun=0"} {
		for _, call := range []string{"undo?entry=" + entry, "purge?entries=" + entry, "clear_trash?before=0m", "clear_trash?"} {
			p.try("/ui/default/confirm/" + call + "&" + dry)
		}
		trash, err := p.ws.Trash(t.Context())
		must(t, err)
		if _, err := os.Stat(filepath.Join(p.ws.Root(), "a")); p.lastEntry() != entry || len(trash) != 1 || !os.IsNotExist(err) {
			t.Fatalf("%s: the newest entry is %s, the trash has %d", dry, p.lastEntry(), len(trash))
		}
	}
}

// TestReadOnly: a read-only site shows everything, and no form.
func TestReadOnly(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n", "b": "b\n"})
	entry := p.patch(update("a", "one", "two"))
	id := p.delete("b")
	dry := p.get("/ui/default/confirm/undo?entry=" + entry)
	p.serve(true)
	for _, path := range []string{p.entryPage(entry), "/ui/default/file?path=a", "/ui/default/trash", "/ui/default/trash/" + id, "/ui/default/confirm/undo?entry=" + entry,
		"/ui/default/confirm/restore_file?trashedPath=" + id, "/ui/default/confirm/clear_trash", "/ui/default/confirm/purge?entries=" + entry} {
		body := p.get(path)
		says(t, body, "read-only")
		for _, class := range []string{"do", "once", "deny", "session"} {
			if len(forms(body, class)) != 0 {
				t.Errorf("%s has a form", path)
			}
		}
	}
	says(t, p.get("/ui/default/confirm/undo?entry="+entry), "Preview", "+ one")
	if status, _, _ := p.press(dry, "do"); status != 403 || p.read("a") != "two\n" {
		t.Errorf("%d, a is %q", status, p.read("a"))
	}
}

// TestUndoOnlyWhatWasShown: what an agent does between looking and pressing is not undone unseen.
func TestUndoOnlyWhatWasShown(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "one\n2\n3\n4\n5\n6\n7\n8\nnine\n", "b": "b\n"})
	entry := p.patch(update("a", "one", "two"))
	for query, meanwhile := range map[string]string{
		"sessionId=s1":   update("b", "b", "bee"),
		"entry=" + entry: update("a", "nine", "ten"), // it would stay, but is not in what was shown
	} {
		dry := p.get("/ui/default/confirm/undo?" + query)
		p.patch(meanwhile)
		status, _, body := p.press(dry, "do")
		if status != 409 || !strings.HasPrefix(p.read("a"), "two\n") {
			t.Errorf("%s: %d, a is %q, b is %q", query, status, p.read("a"), p.read("b"))
		}
		says(t, body, "Not done", "the result would differ from the preview", "Preview")
	}
	p.submit(p.get("/ui/default/confirm/undo?sessionId=s1"), "do")
	if p.read("b") != "b\n" || !strings.HasPrefix(p.read("a"), "one\n") {
		t.Errorf("a is %q, b is %q", p.read("a"), p.read("b"))
	}
}
