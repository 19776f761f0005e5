package web

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// testPages is a workspace with its pages, and a browser that is signed in. Calls can be made as an agent, and forms sent as
// a person.
type testPages struct {
	t      *testing.T
	dir    string
	ws     *emend.Workspace
	site   *Site
	server *httptest.Server
	client *http.Client
	root   string                   // of the browser's session; tests write addresses without it
	grants map[string]*emend.Grants // by the session of the test
}

// newTestPages makes a workspace with these files, and its pages.
func newTestPages(t *testing.T, files map[string]string, options ...emend.Option) *testPages {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte(text), 0o644))
	}
	ws, err := emend.Open(dir, options...)
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	p := &testPages{t: t, dir: dir, ws: ws, grants: map[string]*emend.Grants{}}
	p.serve(false)
	return p
}

// serve starts the pages and signs in.
func (p *testPages) serve(readOnly bool) {
	p.t.Helper()
	const token = "a-token-of-the-tests-that-is-long-enough-to-be-one"
	p.site = New(Config{Workspaces: []Workspace{{Name: "default", Workspace: p.ws}}, Token: token, Version: "test", ReadOnly: readOnly})
	p.server = httptest.NewServer(p.site)
	p.t.Cleanup(func() { p.site.Close(); p.server.Close() })
	jar, _ := cookiejar.New(nil)
	p.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	p.root = ""
	status, to, body := p.post("/ui/login", url.Values{"token": {token}})
	if p.root = rootOf(to); status != http.StatusSeeOther || p.root == "" {
		p.t.Fatalf("login: %d\n%s", status, body)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// agentCall calls a tool as an agent, and returns the data of its result.
func (p *testPages) agentCall(name string, args map[string]any) map[string]any {
	p.t.Helper()
	o := p.tryCall(name, args)
	if !o.OK() {
		p.t.Fatalf("%s: %s", name, o.Text())
	}
	text, err := json.Marshal(o)
	must(p.t, err)
	out := map[string]any{}
	must(p.t, json.Unmarshal(text, &out))
	return out
}

// tryCall is agentCall for calls that may be refused.
func (p *testPages) tryCall(name string, args map[string]any) *report.Object {
	p.t.Helper()
	text, err := json.Marshal(args)
	must(p.t, err)
	ctx := emend.WithActor(context.Background(), api.Actor{Client: "robot 1.2", Agent: "robot", Session: "s1", Call: "call-7"})
	return tool.Call(ctx, p.ws, name, text).(*report.Object)
}

// lastEntry returns the newest entry of the log.
func (p *testPages) lastEntry() string {
	p.t.Helper()
	a, err := p.ws.History(context.Background(), api.HistoryRequest{Limit: 1})
	must(p.t, err)
	if len(a.Data.Entries) == 0 {
		p.t.Fatal("the log is empty")
	}
	return a.Data.Entries[0].Entry
}

func (p *testPages) entryPage(entry string) string { return p.site.Workspaces[0].EntryPage(entry) }

// get opens a page that must be there.
func (p *testPages) get(path string) string {
	p.t.Helper()
	status, body := p.try(path)
	if status != http.StatusOK {
		p.t.Fatalf("GET %s: %d\n%s", path, status, words(body))
	}
	return body
}

func (p *testPages) try(path string) (int, string) {
	p.t.Helper()
	res, err := p.client.Get(p.server.URL + rooted(p.root, path))
	must(p.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(p.t, err)
	return res.StatusCode, unrooted(p.root, string(b))
}

func (p *testPages) post(path string, form url.Values) (status int, location, body string) {
	p.t.Helper()
	if next := form.Get("next"); next != "" {
		form = maps.Clone(form)
		form.Set("next", rooted(p.root, next))
	}
	req, err := http.NewRequest(http.MethodPost, p.server.URL+rooted(p.root, path), strings.NewReader(form.Encode()))
	must(p.t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", p.server.URL)
	res, err := p.client.Do(req)
	must(p.t, err)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	must(p.t, err)
	return res.StatusCode, unrooted(p.root, res.Header.Get("Location")), unrooted(p.root, string(b))
}

// form is a form of a page: its address, and what it sends.
type form struct {
	action string
	fields url.Values
}

var (
	formTag   = regexp.MustCompile(`(?s)<form class="([a-z]+)" method="post" action="([^"]*)">(.*?)</form>`)
	hiddenTag = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// forms returns the forms of a class on a page.
func forms(body, class string) (out []form) {
	for _, m := range formTag.FindAllStringSubmatch(body, -1) {
		if m[1] != class {
			continue
		}
		f := form{html.UnescapeString(m[2]), url.Values{}}
		for _, h := range hiddenTag.FindAllStringSubmatch(m[3], -1) {
			f.fields.Add(h[1], html.UnescapeString(h[2]))
		}
		out = append(out, f)
	}
	return out
}

// press sends the only form of a class, with the fields that a person fills in.
func (p *testPages) press(body, class string, filled ...string) (status int, location, answer string) {
	p.t.Helper()
	all := forms(body, class)
	if len(all) != 1 {
		p.t.Fatalf("the page has %d forms %q:\n%s", len(all), class, words(body))
	}
	for i := 0; i+1 < len(filled); i += 2 {
		all[0].fields.Set(filled[i], filled[i+1])
	}
	return p.post(all[0].action, all[0].fields)
}

// submit sends a form and follows the redirect to its result.
func (p *testPages) submit(body, class string, filled ...string) string {
	p.t.Helper()
	status, to, answer := p.press(body, class, filled...)
	if status != http.StatusSeeOther {
		p.t.Fatalf("status %d\n%s", status, words(answer))
	}
	return p.get(to)
}

var (
	inline = regexp.MustCompile(`</?(mark|code|span|strong|a)\b[^>]*>`)
	tag    = regexp.MustCompile(`(?s)<[^>]*>`)
)

// words returns the text of a page.
func words(body string) string {
	if i := strings.Index(body, "<main"); i >= 0 {
		body = body[i:]
	}
	if i := strings.Index(body, "</main>"); i >= 0 {
		body = body[:i]
	}
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(inline.ReplaceAllString(body, ""), " "))), " ")
}

// says fails unless the text of a page has all of these.
func says(t *testing.T, body string, texts ...string) {
	t.Helper()
	all := words(body)
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("the page does not say %q:\n%s", text, all)
		}
	}
}

func saysNot(t *testing.T, body string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(words(body), text) {
			t.Errorf("the page says %q:\n%s", text, words(body))
		}
	}
}

func (p *testPages) read(name string) string {
	p.t.Helper()
	b, err := os.ReadFile(filepath.Join(p.dir, filepath.FromSlash(name)))
	must(p.t, err)
	return string(b)
}

func (p *testPages) absent(name string) bool {
	_, err := os.Lstat(filepath.Join(p.dir, filepath.FromSlash(name)))
	return os.IsNotExist(err)
}

func (p *testPages) shaOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

func writing(path, text, seen string) api.WriteRequest {
	return api.WriteRequest{Path: path, Content: text, ExpectedSha256: seen}
}
