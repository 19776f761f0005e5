package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

// TestNotesSee opens a page with every kind of fault. The harness must report each of them.
func TestNotesSee(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "script-src 'nonce-good'; img-src *; style-src 'self'")
		fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><title>bad</title><h1 style="color:red">bad</h1><script>alert(1)</script>
			<img src="http://localhost:9/x.png"><img src="/gone.png">
			<script nonce="good">console.error("said"); setTimeout(() => { throw new Error("thrown") }); console.log("logged")</script>`)
	}))
	t.Cleanup(site.Close)
	b := window(t, site.URL)
	b.open("/")
	for _, want := range []string{"said", "logged", "thrown", "Content Security Policy", "ContentSecurityPolicyIssue", "/gone.png", "style"} {
		b.heard(want)
	}
	if !slices.Contains(b.faults(), "it asked for http://localhost:9/x.png") {
		t.Errorf("it does not see the other host: %q", b.faults())
	}
	b.complaints.forget()
}

// TestSaysAcrossDocuments opens a page that loses an element just after it was found, as when another document replaces it.
// says must wait for the element of the next document.
func TestSaysAcrossDocuments(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!DOCTYPE html><html lang="en"><title>x</title><h1>x</h1>`)
		if r.URL.Path == "/" {
			fmt.Fprint(w, `<main>first</main><script>
				const find = document.querySelector.bind(document)
				document.querySelector = selector => {
					const found = find(selector)
					queueMicrotask(() => { found?.remove(); location.replace("/next") })
					return found
				}
			</script>`)
			return
		}
		http.NewResponseController(w).Flush() //nolint:errcheck // a browser that is gone hears of nothing
		time.Sleep(200 * time.Millisecond)
		fmt.Fprint(w, `<main>second</main>`)
	}))
	t.Cleanup(site.Close)
	b := window(t, site.URL)
	b.open("/")
	b.says("main", "second")
}

// TestClickFindsNames clicks by accessible name, and only within the given element.
func TestClickFindsNames(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!DOCTYPE html><html lang="en"><title>%s</title><h1>x</h1><p id="a"><a href="/a" aria-label="Go">there</a>
			<p id="b"><a href="/b">Go</a><form action="/c"><label>Reason <input name="why"></label><button>Send</button></form>`, r.URL)
	}))
	t.Cleanup(site.Close)
	b := window(t, site.URL)
	b.open("/")
	b.follow("#b", "Go")
	b.until("/b", `document.title === "/b"`)
	b.follow("#a", "Go")
	b.until("/a", `document.title === "/a"`)
	b.fill("body", "Reason", "no, thanks")
	b.press("form", "Send")
	b.until("the form is sent", `document.title === "/c?why=no%2C+thanks"`)
}
