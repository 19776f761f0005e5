package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

func (p *testPages) delete(path string) (id string) {
	p.t.Helper()
	data := p.agentCall("delete_file", map[string]any{"path": path, "expectedSha256": p.sum(path)})["data"].(map[string]any)
	return data["trashedTo"].(string)
}

// TestTrashPage: the trash shows its files and their contents, and restores them to their path and elsewhere.
func TestTrashPage(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "text of a\n", "dir/b": "text of b\n"})
	says(t, p.get("/ui/default/trash"), "The trash is empty")
	a, b := p.delete("a"), p.delete("dir/b")
	body := p.get("/ui/default/trash")
	says(t, body, "2 files, 20 bytes", "a", "dir/b", "deleted by robot", "Preview", "Restore", "Empty trash")
	if !strings.Contains(body, `<li class="trashed" data-id="`+a+`"`) {
		t.Errorf("no item for %s:\n%s", a, body)
	}
	says(t, p.get("/ui/default/trash/"+a), "Trash: a", "text of a", "0644", "s1", "Restore")

	dry := p.get("/ui/default/confirm/restore_file?trashedPath=" + a)
	says(t, dry, "Restore a", "would be restored to a", "Restore to")
	if !p.absent("a") {
		t.Fatal("looking at it restored it")
	}
	says(t, p.submit(dry, "do"), "Done:", "Restored a")
	if p.read("a") != "text of a\n" {
		t.Errorf("a is %q", p.read("a"))
	}
	if status, body := p.try("/ui/default/trash/" + a); status != 404 || !strings.Contains(words(body), "the trash has nothing called") {
		t.Errorf("%d %s", status, words(body))
	}
	p.submit(p.get("/ui/default/confirm/restore_file?trashedPath="+b), "do", "targetPath", "c")
	if p.read("c") != "text of b\n" || !p.absent("dir/b") {
		t.Error("dir/b did not come back as c")
	}
}

// TestRestoreBlocked: a restore replaces nothing. The page names what is at the path, and takes another path.
func TestRestoreBlocked(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "old\n"})
	id := p.delete("a")
	dry := p.get("/ui/default/confirm/restore_file?trashedPath=" + id)
	must(t, os.WriteFile(filepath.Join(p.dir, "a"), []byte("new\n"), 0o644))

	status, _, body := p.press(dry, "do") // it came in between
	if status != 409 || p.read("a") != "new\n" {
		t.Fatalf("%d, a is %q", status, p.read("a"))
	}
	says(t, body, "Not done", "Conflicts", "the path exists", "History of a", "Restore to")
	if !strings.Contains(body, " required") {
		t.Error("the form does not want another path")
	}
	p.submit(body, "do", "targetPath", "b")
	if p.read("b") != "old\n" || p.read("a") != "new\n" {
		t.Errorf("a is %q, b is %q", p.read("a"), p.read("b"))
	}

	id = p.delete("b")
	must(t, os.Mkdir(filepath.Join(p.dir, "b"), 0o755))
	says(t, p.get("/ui/default/confirm/restore_file?trashedPath="+id), "Conflicts", "the path exists")
	says(t, p.get("/ui/default/confirm/restore_file?trashedPath=nothing"), "Conflicts", "the trash has nothing called")
	says(t, p.get("/ui/default/confirm/restore_file?trashedPath="+id+"&targetPath=../x"), "Conflicts", "outside")
}

// TestClearTrash clears one file, then what the page listed and nothing that came since, then what is older than an age.
func TestClearTrash(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"})
	a, b := p.delete("a"), p.delete("b")
	one := p.get("/ui/default/confirm/clear_trash?ids=" + a)
	says(t, one, "1 file (2 bytes) would be deleted permanently", "a", "Delete permanently")
	saysNot(t, one, "2 files")
	says(t, p.submit(one, "do"), "1 file, 2 bytes")

	all := p.get("/ui/default/confirm/clear_trash")
	says(t, all, "1 file (2 bytes) would be deleted", "b")
	c := p.delete("c")
	if body := p.submit(all, "do"); strings.Contains(body, b) || !strings.Contains(body, c) {
		t.Errorf("what was shown is to go, what came since is to stay:\n%s", words(body))
	}
	old := p.get("/ui/default/confirm/clear_trash?before=" + time.Now().Add(-time.Hour).UTC().Format(time.RFC3339))
	says(t, old, "Nothing to delete")
	if len(forms(old, "do")) != 0 {
		t.Error("there is a form that does nothing")
	}
	says(t, p.get("/ui/default/confirm/clear_trash?ids=nothing"), "Conflicts", "the trash has nothing called")
}

// TestTrashAges: the tool accepts the times of all ages.
func TestTrashAges(t *testing.T) {
	p := newTestPages(t, map[string]string{"a": "a\n"})
	p.delete("a")
	body := p.get("/ui/default/trash")
	for _, m := range regexp.MustCompile(`<option value="([^"]*)">`).FindAllStringSubmatch(body, -1) {
		says(t, p.get("/ui/default/confirm/clear_trash?before="+m[1]), "Nothing to delete")
	}
}
