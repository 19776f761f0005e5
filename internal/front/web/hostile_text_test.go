package web

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
)

// hostile are names and texts that try to be more than text.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `javascript:alert(1)`, `{{.Site.Token}}`, `</title><svg onload=alert(1)>`,
	`</textarea></code></td></table><iframe src=//evil.example>`, `<!--`, `]]>`, "&lt;b&gt;&#x202e;", "a\u202etxt.exe", "zero\u200bwidth", "\x1b[31mred", `a\"b`, "//evil.example/x", "tab\there",
	"&", "%3Cscript%3E", "+", "?a=b#c", "data:text/html,<b>", `\\evil\x`,
}

// secret is in files that may not be read any more.
const secret = "SECRET-0123456789"

// newHostileSite is a site over a workspace with a past of hostile names and texts.
func newHostileSite(t *testing.T) *testSite {
	p := newTestSite(t, nil)
	p.Close()
	p.must(p.ws.Close())
	opened, err := emend.Open(p.dir, emend.NoSync(), emend.AllowProtected(".env"))
	p.must(err)
	e, err := opened.Create(t.Context(), api.CreateRequest{Path: ".env", Content: "KEY=" + secret + "\n"})
	p.must(err)
	_, err = opened.Write(t.Context(), api.WriteRequest{Path: ".env", Content: "KEY=" + secret + "2\n", ExpectedSha256: e.Data.Sha256})
	p.must(err)
	p.must(opened.Close())

	conf := filepath.Join(t.TempDir(), "policy.toml")
	p.must(os.WriteFile(conf, []byte("[write]\nask = [\"asked/**\"]\n"), 0o600))
	p.ws, err = emend.Open(p.dir, emend.NoSync(), emend.Policy(conf))
	p.must(err)
	t.Cleanup(func() { p.ws.Close() })
	p.Site = New(Config{Workspaces: []Workspace{{Name: "default", Workspace: p.ws}, {Name: "other", Workspace: p.ws}}, Token: testToken, Version: "<b>" + "test", Log: p.Log})
	p.serve()
	for i, h := range hostile {
		p.hostileCalls(h, hostile[(i+1)%len(hostile)])
	}
	return p
}

// hostileCalls makes the calls of an agent with a hostile name, on files with hostile names and texts.
func (p *testSite) hostileCalls(h, other string) {
	name := strings.NewReplacer("/", "_", "\x00", "", "\\", "_", ":", "_").Replace(h)
	call := func(verb string, args map[string]any) map[string]any {
		ctx := emend.WithActor(context.Background(), api.Actor{Client: h, Agent: other, Session: h, Call: other})
		b, err := json.Marshal(args)
		p.must(err)
		r, err := json.Marshal(tool.Call(ctx, p.ws, verb, b))
		p.must(err)
		var out struct {
			Ok   bool
			Data map[string]any
		}
		p.must(json.Unmarshal(r, &out))
		return out.Data
	}
	text := h + "\n" + other + "\nfunc main() { // " + h + "\n\ts := \"" + other + "\"\n}\n"
	path := "dir " + name + "/" + name + ".go"
	made := call("create_file", map[string]any{"path": path, "content": text, "createParentDirectories": true})
	call("edit_file", map[string]any{"path": path, "oldText": "func main", "newText": h + " main", "expectedSha256": made["sha256"]})
	call("edit_file", map[string]any{"path": path, "oldText": "not there " + h, "newText": "x"})
	call("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: " + path + "\n@@ " + h + "\n-nothing\n+" + h + "\n*** End Patch\n"})
	call("create_file", map[string]any{"path": name + ".bin", "content": "\x01\x02 " + h})
	gone := call("create_file", map[string]any{"path": "gone " + name, "content": h})
	call("move_file", map[string]any{"fromPath": "gone " + name, "toPath": "moved " + name, "expectedSha256": gone["sha256"]})
	call("delete_file", map[string]any{"path": "moved " + name, "expectedSha256": gone["sha256"]})
	call("read_file", map[string]any{"path": "../" + h})
	call("create_file", map[string]any{"path": "../" + h, "content": h})
	call("undo", map[string]any{"entry": h})
	p.must(os.WriteFile(filepath.Join(p.dir, "plain "+name), []byte(h), 0o600))
	call("undo", map[string]any{}) // of the deletion
	call("delete_file", map[string]any{"path": "moved " + name, "expectedSha256": gone["sha256"]})
}

// question asks a hostile question, which waits until the test ends.
func (p *testSite) question(h string) {
	ctx, cancel := context.WithCancel(context.Background())
	p.t.Cleanup(cancel)
	ctx = emend.WithAsker(ctx, func(ctx context.Context, q api.Question) (string, error) {
		return p.ws.Host().AskAtPage(ctx, q, time.Minute, new(emend.Grants))
	})
	ctx = emend.WithActor(ctx, api.Actor{Client: h, Agent: h, Session: h, Tool: "create_file"})
	name := strings.NewReplacer("/", "_", "\\", "_", ":", "_").Replace(h)
	go p.ws.Create(ctx, api.CreateRequest{Path: "asked/" + name, Content: h + "\n", CreateParentDirectories: true}) //nolint:errcheck // nobody answers it
}

// TestHostileText: every page that links lead to, with hostile names and texts on it, has only the program's own markup, and
// nothing of files that may not be read.
func TestHostileText(t *testing.T) {
	p := newHostileSite(t)
	b := p.signIn()
	p.hubs["default"].pageLoaded()
	for _, h := range hostile[:4] {
		p.question(h)
	}
	eventually(t, "the questions wait", func() bool { w, _ := p.ws.Waiting(t.Context()); return len(w) == 4 })
	c := &crawler{testBrowser: b, t: t, kinds: map[string]int{}, seen: map[string]bool{}}
	for _, first := range []string{"/ui/", "/ui/default/", "/ui/default/waiting", "/ui/default/file?path=.env", "/ui/default/session?id=nobody", "/ui/login",
		"/ui/default/change/" + url.PathEscape(hostile[0]), "/ui/default/file?path=" + url.QueryEscape(hostile[0]), "/ui/default/nowhere/" + url.PathEscape(hostile[1]),
		"/ui/default/?q=" + url.QueryEscape(hostile[1]) + "&session=" + url.QueryEscape(hostile[2]) + "&since=" + url.QueryEscape(hostile[0]),
		"/ui/default/confirm/undo?entry=" + url.QueryEscape(hostile[0]), "/ui/default/confirm/" + url.PathEscape(hostile[0]), "/ui/" + url.PathEscape(hostile[0]) + "/"} {
		c.visit(first)
	}
	c.run(400)
	for _, kind := range []string{"", "change/", "file", "sessions", "session", "trash", "trash/", "waiting", "health", "confirm/"} {
		if c.kinds[kind] == 0 {
			t.Errorf("no page %q was reached", kind)
		}
	}
	for _, h := range []string{hostile[0], hostile[1], hostile[2], hostile[4]} {
		if !strings.Contains(c.text.String(), h) {
			t.Errorf("%q is on no page as text, so that nothing was proved about it", h)
		}
	}
	t.Logf("%d pages: %v", len(c.seen), c.kinds)
}

// crawler follows every link.
type crawler struct {
	*testBrowser
	t     *testing.T
	queue []string
	seen  map[string]bool // without what differs each time a page is made
	kinds map[string]int
	text  strings.Builder
	bad   int
}

var pageKind = regexp.MustCompile(`^/ui/default/([a-z]*)(/?)`)

func (c *crawler) visit(address string) {
	if !c.seen[address] {
		c.seen[address] = true
		c.queue = append(c.queue, address)
	}
}

func (c *crawler) run(most int) {
	for n := 0; len(c.queue) > 0 && n < most && c.bad < 10; n++ {
		// The kinds of pages are taken in turn, the one that was seen least first.
		slices.SortStableFunc(c.queue, func(a, b string) int { return c.kinds[kindOf(a)] - c.kinds[kindOf(b)] })
		address := c.queue[0]
		c.queue = c.queue[1:]
		c.kinds[kindOf(address)]++
		a := c.get(address)
		c.check(address, a)
		s := parseHTML(a.body)
		for _, l := range s.links {
			c.visit(strings.SplitN(l, "#", 2)[0])
		}
		for _, f := range s.forms {
			if strings.Contains(f.action, "/do/") { // with a wrong seal nothing is done, and the answer has the fields
				fields := url.Values(f.fields)
				fields.Set("seal", "x")
				fields.Set("reason", hostile[n%len(hostile)])
				c.check("POST "+f.action, c.post(f.action, fields))
			}
		}
	}
}

func kindOf(address string) string {
	m := pageKind.FindStringSubmatch(address)
	if m == nil {
		return "else"
	}
	return m[1] + m[2]
}

func (c *crawler) check(address string, a answer) {
	if strings.HasPrefix(a.head.Get("Content-Type"), "text/plain") && a.head.Get("Content-Disposition") == "attachment" {
		if strings.Contains(a.body, secret) {
			c.t.Errorf("%s has what may not be read", address)
		}
		return // a file, which no browser shows as a page
	}
	s := parseHTML(a.body)
	for _, f := range s.faults {
		c.t.Errorf("%s: %s", address, f)
		c.bad++
	}
	if a.code >= 500 {
		c.t.Errorf("%s: %d %s", address, a.code, a.body)
		c.bad++
	}
	if strings.Contains(a.body, secret) {
		c.t.Errorf("%s shows what may not be read", address)
		c.bad++
	}
	if c.text.Len() < 32<<20 {
		c.text.WriteString(s.text.String())
	}
}

// TestStrictReader: parseHTML finds what it is there to find.
func TestStrictReader(t *testing.T) {
	for _, page := range []string{`<p>a<script>alert(1)</script></p>`, `<p onclick="x">a</p>`, `<p style="x">a</p>`, `<a href="javascript:alert(1)">a</a>`, `<a href="//evil.example">a</a>`,
		`<a href="https://evil.example">a</a>`, `<img src="/ui/static/x">`, `<p class=x>a</p>`, `<p>a`, `a</p>`, `<p>a < b</p>`, "<p>a\u202eb</p>", "<p title=\"\u202e\">a</p>",
		`<script src="https://evil.example/x.js"></script>`, `<p>&#x202e;</p>`, "<p>\x1b[31m</p>", `<p class="a" class="b"></p>`, `<!-- x -->`, `<base href="/ui/">`, `<a href="/ui/%" onfocus="x">`} {
		if s := parseHTML(page); len(s.faults) == 0 {
			t.Errorf("nothing is found in %q", page)
		}
	}
	if s := parseHTML(`<p id="x" class="a b">a &lt;script&gt; <a href="/ui/x?a=1&amp;b=2">b</a><br><input type="hidden" name="n" value="&#34;"></p>`); len(s.faults) > 0 || s.links[0] != "/ui/x?a=1&b=2" {
		t.Errorf("%v %v", s.faults, s.links)
	}
}
