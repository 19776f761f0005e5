package browser

import (
	"strings"
	"testing"
)

// TestDensity opens the timeline on a screen of 1400 by 900 pixels: twenty changes are on it, each with its files, its numbers of
// lines and its button.
func TestDensity(t *testing.T) {
	t.Parallel()
	b := storyWindow(t)
	b.setScreen(screen{width: 1400, height: 900})
	b.open("")
	b.waitFor("figure.chart")
	n := eval[int](b, `[...document.querySelectorAll("ol.calls > li.call")].filter(c => c.getBoundingClientRect().bottom <= innerHeight).length`)
	t.Logf("density: %d rows on 900 pixels", n)
	if n < 20 {
		t.Errorf("%d rows on 900 pixels, want 20", n)
	}
	done := `ol.calls > li.call[data-outcome="done"]`
	if all, whole, counted := b.count(done), b.count(done+`:has(code.path):has(a.button.undo)`), b.count(done+`:has(.changed .added)`); all == 0 || whole != all || counted < 20 {
		t.Errorf("of %d changes %d have files and a button, and %d have numbers of lines", all, whole, counted)
	}
	if right := eval[bool](b, `document.querySelector("figure.chart").getBoundingClientRect().left > document.querySelector("ol.calls").getBoundingClientRect().right`); !right {
		t.Error("the chart is not beside the list")
	}
}

// TestChartFollowsFilter checks that the chart counts what the list shows.
func TestChartFollowsFilter(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.cart()
	b := w.ui().pages(t)
	b.open("?outcome=refused")
	b.until("the chart has the refused calls alone", `(t => t.includes("0 done") && t.includes("2 refused"))(document.querySelector("figure.chart .legend")?.innerText ?? "")`)
}

// TestAnswersInSight opens a question with a long diff: the buttons are on the screen before it is scrolled.
func TestAnswersInSight(t *testing.T) {
	t.Parallel()
	w := shop(t)
	b := w.ui().pages(t)
	b.setScreen(screen{width: 1400, height: 900})
	b.open("waiting")
	b.until("the page is live", live)
	var long strings.Builder
	for range 300 {
		long.WriteString("-- a line\n")
	}
	w.agent("s-1", "--wait", "10m").begin("create_file", map[string]any{"path": "migrations/0002_long.sql", "content": long.String()})
	b.waitFor("article.question")
	for _, button := range []string{".once button", ".deny button"} {
		if !eval[bool](b, `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector("article.question `+button+`").getBoundingClientRect())`) {
			t.Errorf("%s is not on the screen", button)
		}
	}
	b.says("article.question", "The agent waits 10 minutes")
}

// TestPhoneChange opens a change on a phone: one button stands above the diff, which begins on the screen. Then two hunks of a file are
// selected and undone at once.
func TestPhoneChange(t *testing.T) {
	t.Parallel()
	w := shop(t)
	before := w.read("src/cart.ts")
	w.tax()
	b := w.ui().pages(t)
	b.setScreen(screen{width: 390, height: 844, phone: true})
	b.change("done", "src/cart.ts")
	b.waitFor("table.diff")
	if n := eval[int](b, `[...document.querySelectorAll("main a.button, main button:not(.copy-patch)")].filter(e => e.checkVisibility() && e.getBoundingClientRect().bottom < document.querySelector(".diffbox").getBoundingClientRect().top).length`); n != 1 {
		t.Errorf("%d buttons stand above the diff, want 1", n)
	}
	if !eval[bool](b, `document.querySelector("table.diff").getBoundingClientRect().top < innerHeight`) {
		t.Error("the diff does not begin on the screen")
	}
	b.do("select two hunks", evaluate(`document.querySelectorAll("section.file[data-path='src/cart.ts'] tr.hunk input").forEach(e => e.click())`))
	b.press("#pieces", "Undo selected")
	b.says("main > h1", "Undo hunks 1 and 2 of src/cart.ts")
	b.press("form.do", "Undo")
	b.until("it is undone", `location.pathname.includes("/change/") && location.search.includes("done=1")`)
	w.holds("after the undo", "src/cart.ts", before)
}
