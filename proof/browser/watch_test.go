package browser

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// updateLimit is the time limit from the acknowledgement of a change until an open page shows it.
const updateLimit = time.Second

// TestWatch has a person watch the timeline while an agent works. Each change must appear without a reload, within a second.
// The machine may be to blame for one late change, but not for three.
func TestWatch(t *testing.T) {
	w := shop(t)
	b := w.ui().pages(t)
	b.waitFor("div.empty")
	a := w.agent("watched")
	var late int
	for i := range 3 {
		name := fmt.Sprintf("src/new%d.ts", i)
		r := a.call("create_file", map[string]any{"path": name, "content": "export {};\n"})
		b.until(name+" arrives", timelineHas(name))
		took := time.Since(r.Acked)
		t.Logf("watch: %s is on the page %v after it was acknowledged", name, took.Round(time.Millisecond))
		if took > updateLimit {
			late++
		}
	}
	if late == 3 {
		t.Errorf("each of three changes took more than %v to arrive", updateLimit)
	}
	a.refused("write_file", map[string]any{"path": ".env", "content": "", "expectedSha256": emptyHash})
	b.until("the refusal arrives", `document.querySelector('li.call[data-outcome="refused"]')`)
	if n := b.count("ol.calls > li.call"); n != 4 {
		t.Errorf("the page has %d calls, want 4", n)
	}
}

// timelineHas is true if the timeline has a call whose text contains text.
func timelineHas(text string) string {
	return `[...document.querySelectorAll("ol.calls > li.call")].some(c => c.innerText.includes(` + quote(text) + `))`
}

// entry returns the id of the newest call with an outcome and a text.
func (b *tab) entry(outcome, text string) string {
	b.t.Helper()
	b.open("")
	found := fmt.Sprintf(`[...document.querySelectorAll('li.call[data-outcome=%q]')].find(c => c.innerText.includes(%q))`, outcome, text)
	b.until(outcome+" "+text, found)
	return strings.TrimPrefix(eval[string](b, found+".dataset.entry"), "#")
}

// change clicks on a call in the timeline.
func (b *tab) change(outcome, text string) {
	b.t.Helper()
	b.entry(outcome, text)
	id := eval[string](b, fmt.Sprintf(`[...document.querySelectorAll('li.call[data-outcome=%q]')].find(c => c.innerText.includes(%q)).id`, outcome, text))
	b.do("open the change", clickOn("#"+id+" a.open"))
	b.until("the page of the change", `location.pathname.includes("/change/") && document.querySelector("section.file")`)
}

// TestUndoAndRedo opens a change that has just appeared, undoes it, and undoes the undo.
func TestUndoAndRedo(t *testing.T) {
	w := shop(t)
	before := w.read("src/prices.ts")
	b := w.ui().pages(t)
	a := w.agent("s-1")
	a.edit("src/prices.ts", `"€" + cents / 100`, `(cents / 100).toFixed(2)`)
	after := w.read("src/prices.ts")
	b.until("it arrives", timelineHas("src/prices.ts"))
	b.change("done", "src/prices.ts")
	b.says("section.file[data-path='src/prices.ts']", "toFixed(2)")
	b.says("main", "Claude Code 2.1")
	if b.count("tr.add mark, td.add mark, tr mark") == 0 || b.count("tr.del, tr.add") == 0 {
		t.Errorf("the diff marks no words")
	}

	b.follow("main", "Undo this change")
	b.says("section.dryrun", "src/prices.ts")
	w.holds("after the dry run", "src/prices.ts", after)
	b.press("form.do", "Undo")
	b.until("it is undone", `location.pathname.includes("/change/") && location.search.includes("done=1")`)
	w.holds("undone", "src/prices.ts", before)

	b.follow("main > .page", "Redo")
	b.press("form.do", "Redo")
	b.until("it is redone", `location.pathname.includes("/change/") && document.readyState === "complete" && document.querySelector("section.file")`)
	w.holds("redone", "src/prices.ts", after)
	b.entry("undone", "src/prices.ts")
}

// TestUndoSession undoes a whole session, after the page has shown the conflicts.
func TestUndoSession(t *testing.T) {
	w := shop(t)
	before := shopFiles(t)
	s := w.ui()
	b := s.pages(t)
	w.cart()
	b.open("sessions")
	b.do("open the session", clickOn("li[data-id='cart-rounding'] a.open"))
	b.until("the session", `location.pathname.endsWith("/session")`)
	for _, name := range []string{"src/prices.ts", "src/cart.ts", "test/prices.test.ts"} {
		b.waitFor("section.file[data-path='" + name + "']")
	}

	w.write("src/prices.ts", strings.Replace(w.read("src/prices.ts"), "toFixed(2)", "toFixed(3)", 1))
	b.follow("main", "Undo the session")
	b.says("section.inway", "src/prices.ts")
	if b.count("form.do button[type=submit]") != 0 {
		t.Error("what is in the way can be passed by a button")
	}

	w.write("src/prices.ts", strings.Replace(w.read("src/prices.ts"), "toFixed(3)", "toFixed(2)", 1))
	b.open("session?id=cart-rounding")
	b.follow("main", "Undo the session")
	b.press("form.do", "Undo")
	b.until("it is undone", `location.search.includes("done=1")`)
	for _, name := range []string{"src/prices.ts", "src/cart.ts", "test/prices.test.ts"} {
		w.holds("the session is undone", name, before[name])
	}
}
