package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// jumpBack jumps to the middle of a difference that was scrolled to its end, and then to its beginning. The rows that the page had
// removed must come back in their places, and be those of the server.
func (b *tab) jumpBack() {
	b.t.Helper()
	if b.count("tbody[data-rows]") == 0 {
		b.t.Error("the page lets no rows go")
	}
	b.do("jump to the middle", evaluate(`window.scrollTo(0, document.scrollingElement.scrollHeight / 2)`))
	at := eval[string](b, groupInSight)
	b.until("the middle is there", noEmptyGroups)
	if is := eval[string](b, groupInSight); is != at {
		b.t.Errorf("%s was on the screen before its rows came, and %s after", at, is)
	}
	b.sameAsServer("the middle")
	b.do("jump to the begin", evaluate(`window.scrollTo(0, 0)`))
	b.until("the begin is there", noEmptyGroups+` && document.querySelector("table.diff tbody tr")`)
	b.sameAsServer("the begin")
}

// groupInSight returns the group of rows in the middle of the screen, and its position.
const groupInSight = `(() => {
	const all = [...document.querySelectorAll("table.diff tbody")], box = b => b.getBoundingClientRect();
	const i = all.findIndex(b => box(b).bottom > innerHeight / 2);
	return i + " at " + Math.round(box(all[i]).top);
})()`

// noEmptyGroups is true if no group of rows is empty on the screen and two screens around it.
const noEmptyGroups = `[...document.querySelectorAll("table.diff tbody")].every(b => {
	const r = b.getBoundingClientRect();
	return r.bottom < -2 * innerHeight || r.top > 3 * innerHeight || b.rows.length > 0;
})`

// sameAsServer compares the 300 rows on and after the screen with those of the server.
func (b *tab) sameAsServer(what string) {
	b.t.Helper()
	const text = `rows => [...rows].map(r => [...r.cells].map(c => (c.dataset.n || "") + c.textContent).join("|")).join("\n")`
	differs := eval[string](b, `(async () => {
		const text = `+text+`, all = [...document.querySelectorAll("table.diff tbody")];
		const i = all.findIndex(b => b.getBoundingClientRect().bottom > 0), some = all.slice(i, i + 6);
		const from = all.slice(0, i).reduce((n, b) => n + Number(b.dataset.rows || b.rows.length), 0);
		const n = some.reduce((n, b) => n + b.rows.length, 0);
		const u = new URL(location.href.replace("/change/", "/diff/"));
		u.search = new URLSearchParams({file: 0, part: 1, from, n});
		const x = new XMLHttpRequest();
		await new Promise(done => { x.open("GET", u.href); x.responseType = "document"; x.onload = done; x.send(); });
		const server = text(x.response.querySelectorAll("tr")), mine = text(some.flatMap(b => [...b.rows]));
		return n < 200 ? n + " rows" : server === mine ? "" : from + ": " + mine.slice(0, 200) + " is at the server " + server.slice(0, 200);
	})()`)
	if differs != "" {
		b.t.Errorf("%s: %s", what, differs)
	}
}

// TestKeysOverWhatIsFar moves from change to change by key, also to changes that the page has removed.
func TestKeysOverWhatIsFar(t *testing.T) {
	t.Parallel()
	w := shop(t)
	text := func(word string) string {
		var s strings.Builder
		for i := range 42_000 {
			if i%20 == 10 {
				fmt.Fprintf(&s, "%s %d\n", word, i)
			} else {
				fmt.Fprintf(&s, "line %d\n", i)
			}
		}
		return s.String()
	}
	w.write("long.txt", text("old"))
	a := w.agent("long")
	a.call("write_file", map[string]any{"path": "long.txt", "content": text("new"), "expectedSha256": a.sha("long.txt")})
	b := w.ui().pages(t)
	b.open(b.firstChange(""))
	r, err := chromedp.Run(b.ctx, chromedp.Evaluate[scrolled](scrolling, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows < 18_000 || b.count("tbody[data-rows]") == 0 {
		t.Fatalf("%d rows, and none is let go", r.Rows)
	}
	b.do("jump, and go to the next", evaluate(`window.scrollTo(0, document.scrollingElement.scrollHeight / 2);
		window.was = [...document.querySelectorAll("table.diff tbody")].findIndex(b => b.getBoundingClientRect().top > 60);
		if (!document.querySelectorAll("table.diff tbody")[was].dataset.rows) throw new Error("its rows are there");
		document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "n", bubbles: true}))`))
	b.until("the first change of the group that was empty", `(r => r?.matches("tr.hunk") && r === [...document.querySelectorAll("table.diff tbody")][was].querySelector("tr.hunk"))(document.activeElement)`)
	b.until("it is on the screen", `(t => t >= 0 && t < innerHeight)(document.activeElement.getBoundingClientRect().top)`)
	all := eval[int](b, rowsOfAll)
	b.do("jump to and fro", chromedp.Evaluate[chromedp.Void](jumpAround, chromedp.EvalAwaitPromise))
	b.until("what is on the screen is there", noEmptyGroups)
	if n := eval[int](b, rowsOfAll); n != all {
		t.Errorf("%d rows, and there were %d", n, all)
	}
}

// jumpAround scrolls to other places of a page faster than rows are loaded.
const jumpAround = `(async () => {
	for (let i = 0; i < 60; i++) {
		window.scrollTo(0, document.scrollingElement.scrollHeight * [0.1, 0.5, 0.12, 0.9, 0.48][i % 5]);
		await new Promise(requestAnimationFrame);
	}
})()`

// rowsOfAll counts the rows in the page and those that it has removed.
const rowsOfAll = `[...document.querySelectorAll("table.diff tbody")].reduce((n, b) => n + Number(b.dataset.rows || b.rows.length), 0)`
