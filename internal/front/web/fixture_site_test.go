package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/emend-dev/emend"
)

const testToken = "emend_0123456789abcdefghijklmnopqrstuvwxyz"

// house is a site over one workspace, on a port of this machine until its test ends.
type house struct {
	*Site
	t    testing.TB
	dir  string
	ws   *emend.Workspace
	at   string // http://host:port
	logs *lines
}

// lines is a log for many writers.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// build starts a site over a workspace with these files; edit may change how.
func build(t testing.TB, edit func(*Config), files ...string) *house {
	t.Helper()
	p := &house{t: t, dir: t.TempDir(), logs: &lines{}}
	p.must(os.Mkdir(filepath.Join(p.dir, ".emend"), 0o700))
	for i := 0; i < len(files); i += 2 {
		p.save(files[i], files[i+1])
	}
	ws, err := emend.Open(p.dir, emend.NoSync(), emend.By(emend.Actor{Client: "client", Agent: "agent", Session: "s1"}))
	p.must(err)
	p.ws = ws
	c := Config{Workspaces: []Workspace{{"default", ws}}, Token: testToken, Version: "test",
		Log: slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if edit != nil {
		edit(&c)
	}
	p.Site = New(c)
	t.Cleanup(func() { ws.Close() })
	p.serve()
	return p
}

// serve has the site answer, until the test ends.
func (p *house) serve() {
	srv := httptest.NewServer(p.Site)
	p.at = srv.URL
	site := p.Site
	p.t.Cleanup(func() {
		site.Close()
		srv.Close()
	})
}

func (p *house) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *house) save(name, text string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755))
	p.must(os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
}

func (p *house) has(name string) string {
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return "nothing"
	}
	return string(b)
}

// create makes a file as an agent does, and returns the entry.
func (p *house) create(name, text string) string {
	p.t.Helper()
	a, err := p.ws.Create(emend.As(context.Background(), emend.Actor{Tool: "create_file"}), emend.CreateRequest{Path: name, Content: text})
	p.must(err)
	return a.Tx
}

// person is a browser, which keeps its cookies to itself.
type person struct {
	*house
	cookies []*http.Cookie
}

// in is a person who came in with the token.
func (p *house) in() *person {
	p.t.Helper()
	who := &person{house: p}
	a := who.post("/ui/login", url.Values{"token": {testToken}})
	if a.code != http.StatusSeeOther || len(who.cookies) != 1 {
		p.t.Fatalf("the token lets nobody in: %d %s", a.code, a.body)
	}
	return who
}

// answer is what came back.
type answer struct {
	code int
	head http.Header
	body string
}

// ask sends a request as it is, and takes the cookies of the answer.
func (b *person) ask(method, path, body string, head ...string) answer {
	b.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, b.at+path, r)
	b.must(err)
	for i := 0; i < len(head); i += 2 {
		if head[i] == "Host" {
			req.Host = head[i+1]
		} else {
			req.Header.Add(head[i], head[i+1])
		}
	}
	for _, c := range b.cookies {
		req.AddCookie(c)
	}
	resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	b.must(err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	b.must(err)
	if set := resp.Cookies(); len(set) > 0 {
		b.cookies = set
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// get opens a page as a browser does.
func (b *person) get(path string) answer {
	b.t.Helper()
	return b.ask("GET", path, "", "Accept", "text/html", "Sec-Fetch-Site", "none", "Sec-Fetch-Dest", "document")
}

// post sends a form of a page.
func (b *person) post(path string, form url.Values, head ...string) answer {
	b.t.Helper()
	return b.ask("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", b.at,
		"Sec-Fetch-Site", "same-origin"}, head...)...)
}

// form is the form that a page would give this person.
func (b *person) form(tool string, args url.Values, open ...string) url.Values {
	b.t.Helper()
	name := ""
	if len(b.cookies) > 0 {
		name, _ = b.logins.lookup(b.cookies[0].Value)
	}
	r := &request{site: b.Site, ws: &b.Workspaces[0], login: name}
	out := url.Values{"seal": {r.seal(tool, args, open...)}}
	maps.Copy(out, args)
	return out
}

// want is a wrong that has these words and this status.
func (a answer) want(t testing.TB, code int, words ...string) {
	t.Helper()
	if a.code != code {
		t.Errorf("status %d, want %d: %s", a.code, code, a.body)
	}
	for _, w := range words {
		if !strings.Contains(a.body, w) {
			t.Errorf("%q is not in: %s", w, a.body)
		}
	}
}
