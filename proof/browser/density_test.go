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
