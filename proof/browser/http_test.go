package browser

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestServeHTTP opens the same pages on a server over HTTP, which has a token of its own for them.
func TestServeHTTP(t *testing.T) {
	w := shop(t)
	w.cart()
	s := w.serve("serve", "--http", "127.0.0.1:0")
	b := s.pages(t)
	b.until("what was done before", timelineHas("src/prices.ts"))
	b.until("the page is live", live)
	w.agent("s-1").edit("README.md", "Sells tea", "Sells pots")
	b.until("it arrives", timelineHas("README.md"))
	b.change("done", "README.md")
	b.follow("main", "Undo this change")
	b.press("form.do", "Undo")
	b.until("it is undone", `location.search.includes("done=1")`)
	w.holds("undone", "README.md", shopFiles(t)["README.md"])
}

// TestTokensDiffer checks that the token of /mcp does not open the pages, nor theirs /mcp.
func TestTokensDiffer(t *testing.T) {
	w := shop(t)
	s := w.serve("serve", "--http", "127.0.0.1:0")
	req, err := http.NewRequest(http.MethodPost, s.base+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if _, err := io.Copy(io.Discard, r.Body); err != nil || r.StatusCode != http.StatusUnauthorized {
		t.Errorf("the token of the pages at /mcp: %s, %v", r.Status, err)
	}
}

// TestServerGone stops the server of an open page, which must say that it is no longer live.
func TestServerGone(t *testing.T) {
	w := shop(t)
	s := w.ui()
	b := s.pages(t)
	b.expect("ERR_")
	b.until("the page is live", live)
	s.done()
	b.until("the page says so", `document.querySelector("header").innerText.includes("reconnecting")`)
}
