package browser

import (
	"fmt"
	"strings"
	"testing"
)

// pageState is a page in one of its states.
type pageState struct {
	name string // of its picture
	path string
	wait string // a selector that the loaded page has
}

// storyPages returns all pages of a workspace with a story in it, and with a call that waits.
func storyPages(b *tab) []pageState {
	b.t.Helper()
	patch := b.entryOf("apply_patch", "src/cart.ts")
	undo := b.entryOf("undo", "README.md")
	coupons := b.entryOf("delete_file", "src/coupons.ts")
	moved := b.entryOf("move_file", "docs/delivery.md")
	denied := b.entryOf("write_file", ".env")
	b.open("trash")
	id := eval[string](b, `document.querySelector("li.trashed").dataset.id`)
	restore, clear := b.link("li.trashed", "Restore"), b.link("main", "Empty trash")
	b.open("change/" + coupons)
	purge := b.link("main", "Purge history…")
	b.open("file?path=src/cart.ts")
	version := b.link("li.version:last-child", "View")
	back := b.link("li.version:last-child", "Restore this version")
	return []pageState{
		{"timeline", "", "li.call"},
		{"timeline-found", "?q=price&outcome=done", "li.call"},
		{"timeline-none", "?q=nothing+has+this", "main"},
		{"change", "change/" + patch + "?view=unified", "section.file"},
		{"change-split", "change/" + patch + "?view=split", "table.split"},
		{"change-undo", "change/" + undo, "section.file"},
		{"change-delete", "change/" + coupons, "section.file"},
		{"change-move", "change/" + moved, "section.file"},
		{"change-refused", "change/" + denied, "main"},
		{"attempt", "change/" + b.entry("refused", "src/cart.ts"), "table.beside-file"},
		{"file", "file?path=src/cart.ts", "li.version"},
		{"version", version, "main"},
		{"sessions", "sessions", "main"},
		{"session", "session?id=vat-2026", "section.file"},
		{"trash", "trash", "li.trashed"},
		{"trashed", "trash/" + id, "main"},
		{"waiting", "waiting", "article.question"},
		{"health", "health", "#doctor"},
		{"health-verified", "health?verify=1", "#log"},
		{"confirm", "confirm/undo?entry=" + patch, "section.dryrun"},
		{"confirm-session", "confirm/undo?sessionId=cart-rounding", "main"},
		{"confirm-restore", restore, "form.do"},
		{"confirm-putback", back, "section.dryrun"},
		{"confirm-clear", clear, "form.do"},
		{"confirm-purge", purge, "form.do"},
		{"error", "change/20200101-000000-nothinghere", "h1"},
	}
}

// emptyPages lists the pages that show a text while nothing has happened.
var emptyPages = []pageState{
	{"timeline-empty", "", "div.empty"},
	{"file-empty", "file?path=README.md", "main"},
	{"sessions-empty", "sessions", "div.empty"},
	{"trash-empty", "trash", "div.empty"},
	{"waiting-empty", "waiting", "div.empty"},
	{"health-empty", "health", "#doctor"},
}

// link returns the target of a link as open takes it.
func (b *tab) link(within, name string) string {
	b.t.Helper()
	found := fmt.Sprintf(`[...document.querySelectorAll(%q)].find(a => a.textContent.trim() === %q)`, within+" a[href]", name)
	b.until(name, found)
	to, _, _ := strings.Cut(eval[string](b, found+".href"), "#")
	path, ok := strings.CutPrefix(to, b.base)
	if !ok {
		b.t.Fatalf("the link %s leads to %s, out of %s", name, to, b.base)
	}
	return path
}

// show opens a page and waits until it is loaded.
func (b *tab) show(p pageState) { b.t.Helper(); b.open(p.path); b.waitFor(p.wait) }

// storyWindow returns a window on a workspace with the story in it, and with a call that waits.
func storyWindow(t *testing.T) *tab {
	t.Helper()
	return shop(t).told(t)
}

func (w *world) told(t *testing.T) *tab {
	t.Helper()
	w.story()
	b := w.ui().pages(t)
	b.undoneByPerson("docs/delivery.md")
	b.expect("404") // for the missing page
	b.expect("409") // for a conflict
	b.until("the page is live", live)
	w.agent("orders-vat", "--wait", "10m").begin("apply_patch", map[string]any{"patch": migrationPatch})
	b.open("waiting")
	b.waitFor("article.question")
	return b
}

// undoneByPerson takes back the newest change of a file on the page, and does it again.
func (b *tab) undoneByPerson(path string) {
	b.t.Helper()
	for _, button := range []string{"Undo", "Redo"} {
		b.open("?path=" + path)
		b.waitFor("li.call a.button.undo")
		b.do(button, clickOn("li.call a.button.undo"))
		b.press("form.do", button)
		b.until("it is done", `location.search.includes("done=1")`)
	}
}

const migrationPatch = `*** Begin Patch
*** Add File: migrations/0002_vat.sql
+ALTER TABLE orders ADD COLUMN vat INTEGER NOT NULL DEFAULT 0;
+UPDATE orders SET vat = total - round(total / 1.19) WHERE country = 'DE';
*** Update File: migrations/0001_orders.sql
@@
-  total   INTEGER NOT NULL,
+  total   INTEGER NOT NULL, -- in cents
*** End Patch
`
