package browser

import "testing"

// TestComfort tries what people do without thinking: click twice, fold a file away, open a hash, and expect a chosen view to
// stay.
func TestComfort(t *testing.T) {
	w := shop(t)
	before := w.read("README.md")
	s := w.ui()
	b := s.pages(t)
	w.agent("s-1").edit("README.md", "Sells tea", "Sells pots")
	b.change("done", "README.md")

	b.press("section.file", "Hide README.md")
	b.until("the difference is away", `!document.querySelector("table.diff").offsetHeight`)
	b.press("section.file", "Show README.md")
	b.until("the difference is there", `document.querySelector("table.diff").offsetHeight > 0`)

	b.do("open a hash", evaluate(`document.querySelector("details.hash summary").click()`))
	b.until("it can be copied", `document.querySelector("details.hash[open] > button.copy")`)

	b.follow("section.file", "Split")
	b.waitFor("table.diff.split")
	b.follow("main", "Undo this change")
	b.until("the view is the one that was chosen", `location.pathname.includes("/confirm/") && document.querySelector("table.diff.split") && document.readyState === "complete"`)
	b.do("click twice", evaluate(`const send = document.querySelector("form.do button"); send.click(); send.click()`))
	b.until("it is said what was done", `document.activeElement.matches(".flash") && document.activeElement.innerText.startsWith("Done:")`)
	w.holds("undone", "README.md", before)
	b.until("the flash leads back", `document.querySelector(".flash a[href*='/confirm/undo']")`)
}
