package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func clickOn(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// TestTrash restores deleted files, to their old place and to another one.
func TestTrash(t *testing.T) {
	w := shop(t)
	coupons, shipping := w.read("src/coupons.ts"), w.read("docs/shipping.md")
	b := w.ui().pages(t)
	b.open("trash")
	b.waitFor("div.empty")
	a := w.agent("s-1")
	a.call("delete_file", map[string]any{"path": "src/coupons.ts"})
	a.call("delete_file", map[string]any{"path": "docs/shipping.md"})

	b.open("trash")
	b.follow(trashed(b, "src/coupons.ts"), "Preview")
	b.until("the preview", `location.pathname.includes("/trash/")`)
	b.says("main", "SUMMER20")
	b.open("trash")
	b.follow(trashed(b, "src/coupons.ts"), "Restore")
	b.press("form.do", "Restore")
	b.until("it is restored", `!location.pathname.includes("/confirm/") && document.readyState === "complete"`)
	w.holds("restored", "src/coupons.ts", coupons)

	b.open("trash")
	if n := b.count("li.trashed"); n != 1 {
		t.Errorf("the trash has %d files, want 1", n)
	}
	b.follow(trashed(b, "docs/shipping.md"), "Restore")
	b.fill("form.do", "Restore to", "docs/old/shipping.md")
	b.press("form.do", "Restore")
	b.until("it is restored elsewhere", `!location.pathname.includes("/confirm/") && document.readyState === "complete"`)
	w.holds("restored elsewhere", "docs/old/shipping.md", shipping)
	w.holds("restored elsewhere", "docs/shipping.md", "")
}

// trashed returns the selector of a path in the trash.
func trashed(b *tab, path string) string {
	b.t.Helper()
	id := eval[string](b, `[...document.querySelectorAll("li.trashed")].find(i => i.innerText.includes("`+path+`"))?.dataset.id ?? ""`)
	return `li.trashed[data-id="` + id + `"]`
}

// TestClearTrash empties the trash for good. The page first lists what goes.
func TestClearTrash(t *testing.T) {
	w := shop(t)
	b := w.ui().pages(t)
	w.agent("s-1").call("delete_file", map[string]any{"path": "src/coupons.ts"})
	b.open("trash")
	b.follow("main", "Empty trash")
	b.says("section.dryrun", "src/coupons.ts")
	b.press("form.do", "Delete permanently")
	b.until("it is cleared", `!location.pathname.includes("/confirm/") && document.readyState === "complete"`)
	b.open("trash")
	b.waitFor("div.empty")
}

// TestPutBack shows an old version of a file that was moved since, and restores it.
func TestPutBack(t *testing.T) {
	w := shop(t)
	first := w.read("docs/shipping.md")
	b := w.ui().pages(t)
	a := w.agent("s-1")
	a.edit("docs/shipping.md", "4.90 €", "5.90 €")
	a.call("move_file", map[string]any{"fromPath": "docs/shipping.md", "toPath": "docs/delivery.md", "expectedSha256": a.sha("docs/shipping.md")})
	a.edit("docs/delivery.md", "9.90 €", "12.90 €")

	b.open("file?path=docs/delivery.md")
	if n := b.count("ol.versions > li.version"); n != 4 {
		t.Errorf("%d versions, want 4: three changes and what was there before", n)
	}
	b.follow("li.version:last-child", "View")
	b.until("the version", `location.search.includes("version=")`)
	b.says("main", "4.90 €", "9.90 €")
	b.open("file?path=docs/delivery.md")
	b.follow("li.version:last-child", "Restore this version")
	b.says("section.dryrun", "docs/delivery.md")
	b.press("form.do", "Restore")
	b.until("it is put back", `location.search.includes("done=1")`)
	w.holds("put back", "docs/delivery.md", first)
	w.holds("put back", "docs/shipping.md", "")
}
