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
	"github.com/emend-dev/emend/api"
)

const testToken = "emend_0123456789abcdefghijklmnopqrstuvwxyz"

// testSite is a site over one workspace, on a port of this machine until the test ends.
type testSite struct {
	*Site
	t    testing.TB
	dir  string
	ws   *emend.Workspace
	url  string // http://host:port
	logs *syncBuffer
}

// syncBuffer is a log that several goroutines may write.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *syncBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *syncBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// newTestSite starts a site over a workspace with these files. edit may change its configuration.
func newTestSite(t testing.TB, edit func(*Config), files ...string) *testSite {
	t.Helper()
	p := &testSite{t: t, dir: t.TempDir(), logs: &syncBuffer{}}
	p.must(os.Mkdir(filepath.Join(p.dir, ".emend"), 0o700))
	for i := 0; i < len(files); i += 2 {
		p.save(files[i], files[i+1])
	}
	ws, err := emend.Open(p.dir, emend.NoSync(), emend.ByActor(api.Actor{Client: "client", Agent: "agent", Session: "s1"}))
	p.must(err)
	p.ws = ws
	c := Config{Workspaces: []Workspace{{Name: "default", Workspace: ws}}, Token: testToken, Version: "test",
		Log: slog.New(slog.NewTextHandler(p.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	if edit != nil {
		edit(&c)
	}
	p.Site = New(c)
	t.Cleanup(func() { ws.Close() })
	p.serve()
	return p
}

// serve makes the site answer, until the test ends.
func (p *testSite) serve() {
	srv := httptest.NewServer(p.Site)
	p.url = srv.URL
	site := p.Site
	p.t.Cleanup(func() {
		site.Close()
		srv.Close()
	})
}

func (p *testSite) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *testSite) save(name, text string) {
	p.t.Helper()
	p.must(os.MkdirAll(filepath.Dir(filepath.Join(p.dir, name)), 0o755))
	p.must(os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644))
}

func (p *testSite) fileText(name string) string {
	b, err := os.ReadFile(filepath.Join(p.dir, name))
	if err != nil {
		return "nothing"
	}
	return string(b)
}

// create makes a file as an agent, and returns the entry.
func (p *testSite) create(name, text string) string {
	p.t.Helper()
	a, err := p.ws.Create(emend.WithActor(context.Background(), api.Actor{Tool: "create_file"}), api.CreateRequest{Path: name, Content: text})
	p.must(err)
	return a.Tx
}

// testBrowser is a browser with its own cookies. Tests write addresses without the root of its session, and get answers
// without it.
type testBrowser struct {
	*testSite
	cookies []*http.Cookie // sent with every request, whatever their path
	root    string         // of its session; "" before it has signed in
}

// at returns an address with the root.
func (b *testBrowser) at(path string) string { return rooted(b.root, path) }

func rooted(root, path string) string {
	if root == "" || !strings.HasPrefix(path, Base) || strings.HasPrefix(path, Base+"login") || strings.HasPrefix(path, Base+"static/") || rootOf(path) != "" {
		return path
	}
	return root + strings.TrimPrefix(path, Base)
}

// unrooted returns an answer's text without the root.
func unrooted(root, text string) string {
	if root == "" {
		return text
	}
	return strings.ReplaceAll(text, root, Base)
}

// signIn returns a browser that is signed in.
func (p *testSite) signIn() *testBrowser {
	p.t.Helper()
	who := &testBrowser{testSite: p}
	a := who.post("/ui/login", url.Values{"token": {testToken}})
	if a.code != http.StatusSeeOther || len(who.cookies) != 1 {
		p.t.Fatalf("the token lets nobody in: %d %s", a.code, a.body)
	}
	return who
}

// answer is a response.
type answer struct {
	code int
	head http.Header
	body string
}

// ask sends a request and keeps the cookies of the response.
func (b *testBrowser) ask(method, path, body string, head ...string) answer {
	b.t.Helper()
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequest(method, b.url+b.at(path), r)
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
		b.cookies, b.root = set, set[0].Path
	}
	if to := resp.Header.Get("Location"); to != "" {
		resp.Header.Set("Location", unrooted(b.root, to))
	}
	return answer{resp.StatusCode, resp.Header, unrooted(b.root, string(text))}
}

// get opens a page as browsers do.
func (b *testBrowser) get(path string) answer {
	b.t.Helper()
	return b.ask("GET", path, "", "Accept", "text/html", "Sec-Fetch-Site", "none", "Sec-Fetch-Dest", "document")
}

// post sends a form as browsers do.
func (b *testBrowser) post(path string, form url.Values, head ...string) answer {
	b.t.Helper()
	if next := form.Get("next"); next != "" && path != "/ui/login" {
		form = maps.Clone(form)
		form.Set("next", b.at(next))
	}
	return b.ask("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", b.url,
		"Sec-Fetch-Site", "same-origin"}, head...)...)
}

// form returns the fields of a form as a page would have it for this browser.
func (b *testBrowser) form(tool string, args url.Values, open ...string) url.Values {
	b.t.Helper()
	l := login{root: b.root}
	if len(b.cookies) > 0 {
		l.name, _ = b.logins.lookup(b.cookies[0].Value, b.root)
	}
	r := &request{site: b.Site, ws: &b.Workspaces[0], login: l}
	out := url.Values{"seal": {r.seal(tool, args, open...)}}
	maps.Copy(out, args)
	return out
}

// want checks the status, and that the body has these words.
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
