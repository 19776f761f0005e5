package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestRestart restarts the server of an open page at the same address. The page must ask for the new token, say where it is
// printed, and then continue where it was.
func TestRestart(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.cart()
	first := w.ui()
	b := first.pageWithoutServer(t)
	second := w.ui("--addr", strings.TrimPrefix(first.base, "http://"))
	b.says("main", "Sign in", "Each start of emend ui prints a new one")
	if second.token == first.token {
		t.Fatal("two starts have one token")
	}
	b.paste(first.token)
	b.says("main", "This is not the token")
	b.do("open the new address", chromedp.Navigate(second.base+"/ui/#token="+second.token))
	b.until("the page is live again", live+" && "+timelineHas("src/prices.ts"))
}

// TestRestartServe does the same with emend serve --http, whose token stays the same.
func TestRestartServe(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.cart()
	first := w.serve("serve", "--http", "127.0.0.1:0")
	b := first.pageWithoutServer(t)
	second := w.serve("serve", "--http", strings.TrimPrefix(first.base, "http://"))
	b.says("main", "Sign in", "in the file that it names")
	b.paste(first.token)
	b.until("it goes on where it was", `location.pathname.endsWith("/trash")`)
	b.until("the page is live again", live)
	if second.token != first.token {
		t.Error("the token is another one")
	}
}

// pageWithoutServer returns an open page whose server has ended.
func (s *server) pageWithoutServer(t *testing.T) *tab {
	t.Helper()
	b := s.pages(t)
	b.expect("ERR_")
	b.expect("401")
	b.open("trash")
	b.until("the page is live", live)
	s.done()
	b.until("the page says so", `document.querySelector("header").innerText.includes("reconnecting")`)
	return b
}
