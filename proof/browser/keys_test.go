package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestKeys uses the pages by keyboard.
func TestKeys(t *testing.T) {
	w := shop(t)
	w.cart()
	b := w.ui().pages(t)
	b.waitFor("li.call")

	b.keys("?")
	b.waitFor("dialog#keys[open]")
	b.says("dialog#keys", "j", "k", "Enter", "/")
	b.keys(kb.Escape)
	b.until("the keys are closed", `!document.querySelector("dialog#keys[open]")`)

	b.keys("/")
	b.until("the search has the focus", `document.activeElement.name === "q"`)
	b.keys("j?")
	b.until("keys are text in a field", `document.activeElement.value === "j?"`)
	b.keys(kb.Escape)
	b.do("leave the field", evaluate("document.activeElement.blur()"))

	b.keys("jjk")
	first := eval[string](b, `document.querySelector("li.call a.open").href`)
	b.keys(kb.Enter)
	b.until("the first call is open", `location.pathname.includes("/change/") && document.readyState === "complete"`)
	if got := eval[string](b, "location.href"); got != first {
		t.Errorf("j, j, k and Enter open %s, want %s", got, first)
	}
	for keys, path := range map[string]string{"gt": "", "gs": "sessions", "gw": "waiting", "gr": "trash", "gh": "health"} {
		b.keys(keys)
		b.until(keys, `location.pathname.endsWith("/default/`+path+`") && document.readyState === "complete"`)
	}
}

// TestTab reaches a button with the Tab key alone, and presses it.
func TestTab(t *testing.T) {
	w := shop(t)
	before := w.read("README.md")
	b := w.ui().pages(t)
	w.agent("s-1").edit("README.md", "Sells tea", "Sells pots")
	b.change("done", "README.md")
	b.tabTo(`document.activeElement.innerText?.trim() === "Undo this change"`)
	b.keys(kb.Enter)
	b.until("what it would do", `document.querySelector("section.dryrun")`)
	b.tabTo(`document.activeElement.matches("form.do button")`)
	b.keys(kb.Enter)
	b.until("it is undone", `location.search.includes("done=1")`)
	w.holds("undone", "README.md", before)
}

// tabTo presses Tab until the expression about the focus is true.
func (b *tab) tabTo(expression string) {
	b.t.Helper()
	for range 200 {
		b.keys(kb.Tab)
		if eval[bool](b, "!!("+expression+")") {
			return
		}
	}
	b.t.Fatalf("the Tab key does not reach it: %s\n%s", expression, b.state())
}
