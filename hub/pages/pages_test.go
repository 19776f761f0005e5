package pages_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/hub/broker"
	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/hubtest"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/ingest"
	"github.com/emend-dev/emend/hub/join"
	"github.com/emend-dev/emend/hub/out"
	"github.com/emend-dev/emend/hub/pages"
	"github.com/emend-dev/emend/hub/wire"
)

var must, until = hubtest.Must, hubtest.Until

// world is a hub with its pages.
type world struct {
	t       testing.TB
	hub     *hubtest.Hub
	index   *index.Index
	control *control.Control
	url     string
	key     ed25519.PrivateKey
	secrets map[string]string // of people
}

func newWorld(t testing.TB) *world {
	public, key, err := ed25519.GenerateKey(nil)
	must(t, err)
	w := &world{t: t, key: key, secrets: map[string]string{}}
	pinned := wire.KeyText(public)
	w.hub = hubtest.Serve(t, broker.Options{PolicyKey: pinned})
	w.index, err = index.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), 4)
	must(t, err)
	t.Cleanup(func() { w.index.Close() })
	w.control, err = control.Open(t.Context(), w.hub.Broker, control.Options{PolicyKey: pinned})
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { ingest.New(w.hub.Broker, w.index, slog.New(slog.DiscardHandler)).Run(ctx) }) //nolint:errcheck // it ends with the context
	running.Go(func() { w.control.Run(ctx) })                                                        //nolint:errcheck // as above
	t.Cleanup(func() { cancel(); running.Wait() })
	server := httptest.NewServer(pages.New(pages.Config{Broker: w.hub.Broker, Index: w.index, Control: w.control, URL: w.hub.URL, Own: true, Version: "test"}).AlwaysLookUp())
	t.Cleanup(server.Close)
	w.url = server.URL
	for name, token := range map[string]control.Token{"vera": {Role: control.Viewer}, "anna": {Role: control.Approver}, "adam": {Role: control.Admin}, "ada": {Role: control.Approver, Labels: []string{"a"}}} {
		token.Name = name
		secret, _, err := w.control.Issue(t.Context(), control.Operator, token)
		must(t, err)
		w.secrets[name] = secret
	}
	return w
}

type space struct {
	id, dir string
	ws      *emend.Workspace
}

// join joins a workspace that allows everything, with a file that a person is asked about.
func (w *world) join(name string, labels ...string) *space {
	w.t.Helper()
	return w.joinAllowing("undo,approve,policy,stop", name, labels...)
}

func (w *world) joinAllowing(allowed, name string, labels ...string) *space {
	w.t.Helper()
	m := w.hub.Enrol(w.t, name, labels...)
	sp := &space{id: m.Joined.Workspace, dir: hubtest.Workspace(w.t)}
	policy := filepath.Join(w.t.TempDir(), "policy.toml")
	must(w.t, os.WriteFile(policy, []byte("[write]\nask = [\"asked*\"]\n"), 0o600))
	allow, err := wire.ParseAllow(allowed)
	must(w.t, err)
	sp.ws, err = emend.Open(sp.dir, emend.Policy(policy))
	must(w.t, err)
	w.t.Cleanup(func() { sp.ws.Close() })
	hubtest.Change(w.t, sp.dir, 2)
	j, _ := hubtest.Join(w.t, join.Options{Dir: sp.dir, Membership: m, Allow: allow, PolicyFile: policy, Ship: wire.ShipDiffs})
	hubtest.Flush(w.t, j)
	until(w.t, name+" is there", func() bool {
		p, err := w.hub.PresenceOf(w.t.Context(), sp.id)
		must(w.t, err)
		return p != nil
	})
	w.settle()
	return sp
}

// settle waits until the index has all that the stream has.
func (w *world) settle() {
	w.t.Helper()
	last, _, err := w.hub.Last(w.t.Context())
	must(w.t, err)
	until(w.t, "the index has all", func() bool {
		n, err := w.index.Position(w.t.Context())
		must(w.t, err)
		return n >= last
	})
}

// ask has an agent write a file that a person is asked about.
func (w *world) ask(sp *space, path, content string) <-chan error {
	w.t.Helper()
	leave, err := sp.ws.Host().PageOpen(api.AnsweredByHub)
	must(w.t, err)
	result := make(chan error, 1)
	go func() {
		defer leave()
		ctx := emend.WithActor(context.Background(), api.Actor{Client: "claude-code/2.1.329", Session: "s-9"})
		_, err := sp.ws.Create(emend.WithAsker(ctx, func(ctx context.Context, q api.Question) (string, error) {
			return sp.ws.Host().AskAtPage(ctx, q, 60*time.Second, nil)
		}), api.CreateRequest{Path: path, Content: content})
		result <- err
	}()
	until(w.t, "the question is at the hub", func() bool {
		all, err := w.hub.Questions(w.t.Context())
		must(w.t, err)
		return slices.ContainsFunc(all, func(q wire.Question) bool { return q.Workspace == sp.id && q.Paths[0].Path == path })
	})
	return result
}

// browser is a browser that signed in.
type browser struct {
	*world
	cookie, root string
}

type answer struct {
	code int
	head http.Header
	body string
}

func (b *browser) send(method, address, body string, headers ...string) answer {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.url + address
	}
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	must(b.t, err)
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	r.Header.Set("Accept", "text/html")
	for p := range slices.Chunk(headers, 2) {
		if r.Header.Set(p[0], p[1]); p[0] == "Host" {
			r.Host = p[1]
		}
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(r)
	must(b.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(b.t, err)
	return answer{res.StatusCode, res.Header, string(text)}
}

func (b *browser) get(path string) answer { return b.send("GET", b.root+path, "") }

func (b *browser) post(path string, form url.Values, headers ...string) answer {
	return b.send("POST", path, form.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, headers...)...)
}

func (w *world) signIn(name string) *browser {
	w.t.Helper()
	b := &browser{world: w}
	a := b.post("/ui/login", url.Values{"token": {w.secrets[name]}})
	if a.code != 303 {
		w.t.Fatalf("signing in: %d %s", a.code, a.body)
	}
	b.root = a.head.Get("Location")
	b.cookie, _, _ = strings.Cut(a.head.Get("Set-Cookie"), ";")
	return b
}

// form is a form of a page.
type formOf struct {
	action string
	fields url.Values
}

var formPattern = regexp.MustCompile(`(?s)<form[^>]*action="([^"]*)"[^>]*>(.*?)</form>`)
var hiddenPattern = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// forms returns the forms of a page that do an act, with what must be in them.
func (a answer) forms(act string, with ...string) (out []formOf) {
	for _, m := range formPattern.FindAllStringSubmatch(a.body, -1) {
		if !strings.HasSuffix(m[1], "/do/"+act) {
			continue
		}
		f := formOf{html.UnescapeString(m[1]), url.Values{}}
		for _, h := range hiddenPattern.FindAllStringSubmatch(m[2], -1) {
			f.fields.Set(html.UnescapeString(h[1]), html.UnescapeString(h[2]))
		}
		ok := true
		for p := range slices.Chunk(with, 2) {
			ok = ok && f.fields.Get(p[0]) == p[1]
		}
		if ok {
			out = append(out, f)
		}
	}
	return out
}

// submit sends the only form of a page that does an act, and follows to the page after it.
func (b *browser) submit(a answer, act string, with []string, filled ...string) answer {
	b.t.Helper()
	forms := a.forms(act, with...)
	if len(forms) == 0 {
		b.t.Fatalf("the page has no form for %s: %s", act, a.body)
	}
	for p := range slices.Chunk(filled, 2) {
		forms[0].fields.Set(p[0], p[1])
	}
	done := b.post(forms[0].action, forms[0].fields)
	if done.code == 303 {
		return b.send("GET", done.head.Get("Location"), "")
	}
	return done
}

func (a answer) want(t testing.TB, code int, says ...string) {
	t.Helper()
	_, body, _ := strings.Cut(a.body, `<main id="main"`)
	body = body[:min(len(body), 1500)]
	if a.code != code {
		t.Errorf("status %d, want %d: %s", a.code, code, body)
	}
	for _, s := range says {
		if !strings.Contains(a.body, s) {
			t.Errorf("the page does not say %q:\n%s", s, body)
		}
	}
}

// TestPages: every page shows what there is, to who may see it.
func TestPages(t *testing.T) {
	w := newWorld(t)
	one, two := w.join("one", "a"), w.join("two", "b")
	for _, who := range []string{"vera", "anna", "adam"} {
		b := w.signIn(who)
		b.get("").want(t, 200, ">one</a>", ">two</a>", "<code>a</code>")
		b.get("timeline").want(t, 200, "Created", "f-", ">one</a>", ">two</a>")
		if body := b.get("timeline").body; !strings.Contains(body, `<p class="said">`) || strings.Contains(body, "</a> · ") {
			t.Error("a row has dots beside those of the style sheet")
		}
		b.get("timeline?q=nothing+has+this").want(t, 200, "No results")
		b.get("timeline?since=rubbish").want(t, 200, "not a time")
		b.get("timeline?workspace="+one.id+"&kind=commit&client=test&since=1h").want(t, 200, "Created", ">one</a>")
		b.get("sessions").want(t, 200, "s-1", "2 calls")
		b.get("session/"+one.id+"?name=s-1").want(t, 200, "Session", "2 calls")
		b.get("workspace/"+one.id).want(t, 200, "<h1>one</h1>", one.id, "undo,approve,policy,stop")
		b.get("waiting").want(t, 200, "No pending approvals")
		b.get("policy").want(t, 200, "No policy has been rolled out")
		b.get("stop").want(t, 200, "Nothing is stopped")
		b.get("acts").want(t, 200, "signed in")
		b.get("acts?check=1").want(t, 200, "intact")
		entry := regexp.MustCompile(`href="([^"]*/entry/` + one.id + `/[^"]*)"`).FindStringSubmatch(b.get("timeline").body)
		if entry == nil {
			t.Fatal("no entry is linked")
		}
		b.send("GET", entry[1], "").want(t, 200, "agent", "text 1", "Record hash")
		b.get("nothing").want(t, 404)
		b.get("entry/"+one.id+"/999").want(t, 404)
		b.get("workspace/"+strings.Replace(one.id, one.id[5:9], "AAAA", 1)).want(t, 404)
	}
	ada := w.signIn("ada") // her token is for label a
	for _, path := range []string{"", "timeline", "sessions", "acts", "waiting", "timeline?workspace=" + two.id, "timeline?label=b"} {
		if a := ada.get(path); a.code != 200 || strings.Contains(a.body, "two") || strings.Contains(a.body, two.id[:20]) && !strings.Contains(path, two.id) {
			t.Errorf("%q shows a workspace of another label: %d", path, a.code)
		}
	}
	for _, path := range []string{"workspace/" + two.id, "session/" + two.id + "?name=s-1", "entry/" + two.id + "/1", "file?repository=" + two.id + "&path=x", "confirm/undo?workspace=" + two.id + "&session=s-1"} {
		ada.get(path).want(t, 404)
	}
	w.signIn("adam").get("access").want(t, 200, "Issue a token", ">ada<")
	for _, who := range []string{"vera", "anna", "ada"} {
		w.signIn(who).get("access").want(t, 403)
	}
	vera := w.signIn("vera")
	for _, path := range []string{"", "timeline", "waiting", "policy", "stop", "workspace/" + one.id} {
		if n := strings.Count(vera.get(path).body, `method="post"`); n != 1 { // that to sign out
			t.Errorf("%s offers a viewer %d forms", path, n)
		}
	}
}

// TestAnswer: what waits is answered at the page, once, as it was shown.
func TestAnswer(t *testing.T) {
	w := newWorld(t)
	sp := w.join("one", "a")
	result := w.ask(sp, "asked-1", "<script>alert(1)</script>\n")
	b := w.signIn("ada")
	page := b.get("waiting")
	page.want(t, 200, "Claude Code 2.1", "asked-1", "Allow once", "&lt;script&gt;alert(1)")
	stale := page.forms("answer", "allow", "true")[0]
	b.submit(page, "answer", []string{"allow", "false"}, "reason", "not on Fridays").want(t, 200, "Denied. The agent gets the reason.")
	if err := <-result; err == nil || !strings.Contains(err.Error(), "not on Fridays") {
		t.Errorf("the call ended with %v", err)
	}
	b.post(stale.action, stale.fields).want(t, 409)
	result = w.ask(sp, "asked-2", "text\n")
	b.submit(b.get("waiting"), "answer", []string{"allow", "true"}).want(t, 200, "Allowed. The call continues.")
	if err := <-result; err != nil {
		t.Errorf("the call ended with %v", err)
	}
	b.get("acts").want(t, 200, "allowed a call of one", "denied a call of one: not on Fridays")
}

// TestUndo: an undo is previewed, and does what was shown.
func TestUndo(t *testing.T) {
	w := newWorld(t)
	sp := w.join("one", "a")
	b := w.signIn("anna")
	preview := b.get("confirm/undo?workspace=" + sp.id + "&session=s-1")
	preview.want(t, 200, "Preview", "f-", "text 1")
	hubtest.Change(t, sp.dir, 1)
	b.submit(preview, "undo", nil).want(t, 409, "something else than was shown")
	b.submit(b.get("confirm/undo?workspace="+sp.id+"&session=s-1"), "undo", nil).want(t, 200, "Undone.")
	if left, _ := filepath.Glob(filepath.Join(sp.dir, "f-*")); len(left) != 0 {
		t.Errorf("files are left: %v", left)
	}
	w.signIn("vera").get("confirm/undo?workspace="+sp.id+"&session=s-1").want(t, 403)
	b.get("confirm/undo?workspace="+sp.id+"&entry=nothing").want(t, 200, "Conflicts")

	// Where the policy asks a person, and the owner lets the hub undo alone, the preview says so, and has no button.
	two := w.joinAllowing("undo", "two", "a")
	yes := emend.WithAnsweredBy(emend.WithAsker(t.Context(), func(context.Context, api.Question) (string, error) { return api.AnsweredByPage, nil }), api.AnsweredByPage)
	made, err := two.ws.Create(yes, api.CreateRequest{Path: "asked", Content: "one\n"})
	must(t, err)
	preview = b.get("confirm/undo?workspace=" + two.id + "&entry=" + made.Tx)
	preview.want(t, 200, "Not possible from here", "--allow undo,approve", "asked")
	if forms := preview.forms("undo"); len(forms) != 0 {
		t.Errorf("there is a button all the same: %v", forms)
	}
}

// TestStopAndPolicy: the kill switch, and a policy from its publication to its rollout.
func TestStopAndPolicy(t *testing.T) {
	w := newWorld(t)
	sp := w.join("one", "a")
	anna, adam := w.signIn("anna"), w.signIn("adam")
	create := func() error {
		_, err := sp.ws.Create(t.Context(), api.CreateRequest{Path: fmt.Sprintf("x%d", time.Now().UnixNano()), Content: "x\n"})
		return err
	}
	anna.submit(anna.get("stop"), "stop", nil, "label", "a", "reason", "an incident").want(t, 200, "1 workspace confirmed it at once", "label a", "an incident")
	if err := create(); err == nil || !strings.Contains(err.Error(), "an incident") {
		t.Errorf("a stopped workspace can be changed: %v", err)
	}
	until(t, "the fleet has a stopped workspace", func() bool { return strings.Contains(anna.get("?state=stopped").body, ">one</a>") })
	anna.submit(anna.get("stop"), "resume", nil).want(t, 200, "Nothing is stopped")
	must(t, create())

	signed, err := wire.Sign(wire.Pack{Name: "team", Version: 1, At: time.Now(), Policy: "[write]\ndeny = [\"x*\"]\n"}, w.key)
	must(t, err)
	text, err := json.Marshal(signed)
	must(t, err)
	adam.submit(adam.get("policy"), "publish", nil, "pack", "rubbish").want(t, 409, "no signed policy pack")
	adam.submit(adam.get("policy"), "publish", nil, "pack", string(text)).want(t, 200, "Published team version 1")
	rolled := adam.submit(adam.get("policy"), "rollout", nil, "label", "a")
	rolled.want(t, 200, "Rolled out.", "1 workspace refused") // this workspace has a policy of its owner
	until(t, "the page says why", func() bool { return strings.Contains(adam.get("policy").body, "own policy") })
	adam.get("policy").want(t, 200, "0 of 1")
}

// TestRolloutKeepsPageOpen: right after a new policy, calls can still wait for an answer from the hub.
func TestRolloutKeepsPageOpen(t *testing.T) {
	w := newWorld(t)
	dir := hubtest.Workspace(t)
	hubtest.Change(t, dir, 1)
	ask := filepath.Join(t.TempDir(), "ask.toml")
	must(t, os.WriteFile(ask, []byte("[write]\nask = [\"asked*\"]\n"), 0o600))
	ws, err := emend.Open(dir, emend.Policy(ask))
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	allow, err := wire.ParseAllow("approve,policy")
	must(t, err)
	m := w.hub.Enrol(t, "one", "a")
	j, _ := hubtest.Join(t, join.Options{Dir: dir, Membership: m, Allow: allow, PolicyFile: filepath.Join(t.TempDir(), "policy.toml")})
	hubtest.Flush(t, j)
	waits := func() bool { // and is refused after a moment
		_, err := ws.Create(emend.WithAsker(t.Context(), func(ctx context.Context, q api.Question) (string, error) {
			return ws.Host().AskAtPage(ctx, q, time.Millisecond, nil)
		}), api.CreateRequest{Path: "asked", Content: "x\n"})
		return err != nil && !strings.Contains(err.Error(), "no page is open")
	}
	until(t, "calls can wait", waits)
	until(t, "the hub knows it", func() bool {
		p, err := w.hub.PresenceOf(t.Context(), m.Joined.Workspace)
		must(t, err)
		return p != nil
	})
	w.settle()
	signed, err := wire.Sign(wire.Pack{Name: "team", Version: 1, At: time.Now(), Policy: "[write]\ndeny = [\"x*\"]\n"}, w.key)
	must(t, err)
	text, err := json.Marshal(signed)
	must(t, err)
	adam := w.signIn("adam")
	adam.submit(adam.get("policy"), "publish", nil, "pack", string(text)).want(t, 200, "Published team version 1")
	adam.submit(adam.get("policy"), "rollout", nil, "label", "a").want(t, 200, "1 workspace confirmed it at once")
	if !waits() {
		t.Error("no page is open after the rollout")
	}
}

// TestAccess: a token and an invitation are shown once, and a revoked token opens nothing more, also where it is signed in.
func TestAccess(t *testing.T) {
	w := newWorld(t)
	adam := w.signIn("adam")
	a := adam.submit(adam.get("access"), "issue", nil, "name", "eve", "role", "viewer", "labels", "x, y", "days", "30")
	a.want(t, 200, "Shown once")
	secret := regexp.MustCompile(`<code id="secret">([^<]*)`).FindStringSubmatch(a.body)
	w.secrets["eve"] = secret[1]
	eve := w.signIn("eve")
	eve.get("").want(t, 200, "viewer of x, y")
	adam.get("access").want(t, 200, ">eve<")
	if strings.Contains(adam.get("access").body, secret[1]) {
		t.Error("the secret is shown again")
	}
	tokens, err := w.control.Tokens(t.Context())
	must(t, err)
	for _, token := range tokens {
		if token.Name == "eve" {
			adam.submit(adam.get("access"), "revoke", []string{"token", token.ID}).want(t, 200, "Revoked.")
		}
	}
	eve.get("").want(t, 401)
	if a := eve.get("events"); a.code == 200 || strings.Contains(a.body, "event:") {
		t.Errorf("a revoked token hears what is new: %d", a.code)
	}
	if a := eve.post("/ui/login", url.Values{"token": {secret[1]}}); a.code != 401 {
		t.Errorf("a revoked token signs in: %d", a.code)
	}
	adam.submit(adam.get("access"), "invite", nil, "name", "ci", "labels", "a", "uses", "2", "hours", "1").want(t, 200, "https://127.0.0.1")
	adam.submit(adam.get("access"), "invite", nil, "name", "ci", "uses", "0", "hours", "1").want(t, 409)
	adam.submit(adam.get("access"), "issue", nil, "name", "x", "role", "emperor").want(t, 409)
}

// TestForgedForms: a form is good once, for the browser, the act and the fields that it was made for, and from this site.
func TestForgedForms(t *testing.T) {
	w := newWorld(t)
	sp := w.join("one", "a")
	anna, other := w.signIn("anna"), w.signIn("anna")
	made := func(b *browser) formOf { return b.get("workspace/" + sp.id).forms("stop")[0] }
	for name, send := range map[string]func() answer{
		"no seal": func() answer { f := made(anna); f.fields.Del("seal"); return anna.post(f.action, f.fields) },
		"half a seal": func() answer {
			f := made(anna)
			f.fields.Set("seal", f.fields.Get("seal")[:30])
			return anna.post(f.action, f.fields)
		},
		"of another visit": func() answer {
			f := made(anna)
			f.fields.Set("seal", made(other).fields.Get("seal"))
			return anna.post(f.action, f.fields)
		},
		"another act": func() answer {
			f := made(anna)
			return anna.post(strings.Replace(f.action, "do/stop", "do/expel", 1), f.fields)
		},
		"another workspace": func() answer {
			f := made(anna)
			f.fields.Set("workspace", "U"+sp.id)
			return anna.post(f.action, f.fields)
		},
		"all workspaces": func() answer { f := made(anna); f.fields.Del("workspace"); return anna.post(f.action, f.fields) },
		"a field more":   func() answer { f := made(anna); f.fields.Set("label", "a"); return anna.post(f.action, f.fields) },
		"a field twice":  func() answer { f := made(anna); f.fields.Add("workspace", sp.id); return anna.post(f.action, f.fields) },
		"by GET":         func() answer { f := made(anna); return anna.send("GET", f.action+"?"+f.fields.Encode(), "") },
		"in the query":   func() answer { f := made(anna); return anna.post(f.action+"?"+f.fields.Encode(), nil) },
		"as JSON": func() answer {
			f := made(anna)
			return anna.send("POST", f.action, `{}`, "Content-Type", "application/json")
		},
		"as text": func() answer {
			f := made(anna)
			return anna.send("POST", f.action, f.fields.Encode(), "Content-Type", "text/plain")
		},
		"huge": func() answer {
			f := made(anna)
			f.fields.Set("reason", strings.Repeat("x", 1<<20))
			return anna.post(f.action, f.fields)
		},
		"no act": func() answer {
			f := made(anna)
			return anna.post(strings.Replace(f.action, "do/stop", "do/nothing", 1), f.fields)
		},
		"no cookie": func() answer { f := made(anna); return (&browser{world: w}).post(f.action, f.fields) },
		"another root": func() answer {
			f := made(anna)
			return anna.post(strings.Replace(f.action, anna.root, other.root, 1), f.fields)
		},
		"another site": func() answer { f := made(anna); return anna.post(f.action, f.fields, "Origin", "https://evil.example") },
		"another port": func() answer { f := made(anna); return anna.post(f.action, f.fields, "Origin", "http://127.0.0.1:1") },
		"cross-site":   func() answer { f := made(anna); return anna.post(f.action, f.fields, "Sec-Fetch-Site", "cross-site") },
		"same site":    func() answer { f := made(anna); return anna.post(f.action, f.fields, "Sec-Fetch-Site", "same-site") },
		"another host": func() answer { f := made(anna); return anna.post(f.action, f.fields, "Host", "evil.example") },
	} {
		if a := send(); a.code < 400 || a.code >= 500 {
			t.Errorf("%s: %d", name, a.code)
		}
		stops, err := w.control.Stops(t.Context())
		must(t, err)
		if len(stops) != 0 {
			t.Fatalf("%s: it was done", name)
		}
	}
	f := made(anna)
	if a := anna.post(f.action, f.fields); a.code != 303 {
		t.Fatalf("the form itself: %d %s", a.code, a.body)
	}
	anna.post(f.action, f.fields).want(t, 409)
	vera := w.signIn("vera")
	if forms := vera.get("stop").forms("resume"); len(forms) != 0 {
		t.Error("a viewer is offered to resume")
	}
	for _, next := range []string{"https://evil.example/", "//evil.example", "/ui/../x", `\\evil`} {
		f := anna.get("stop").forms("resume")
		if len(f) == 0 {
			f = anna.get("workspace/" + sp.id).forms("stop")
		}
		f[0].fields.Set("next", next)
		if a := anna.post(f[0].action, f[0].fields); !strings.HasPrefix(a.head.Get("Location"), anna.root) {
			t.Errorf("next %q leads to %q (%d)", next, a.head.Get("Location"), a.code)
		}
	}
}

// hostile is a name that an agent or a workspace may choose.
const hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\u202egnp.exe\u200b\x1b[31m{{.}}javascript:alert(1)"

var valuePattern = regexp.MustCompile(` value="[^"]*"`)

// TestEveryForm: no form of any act is good for another person, without the cookie, with a token elsewhere than where one signs in, or from another
// site; and no token does through the API what its role may not. Nothing of it is in the hub's log.
func TestEveryForm(t *testing.T) {
	w := newWorld(t)
	sp := w.join("one", "a")
	adam := w.signIn("adam")
	others := map[string]*browser{"vera": w.signIn("vera"), "anna": w.signIn("anna"), "nobody": {world: w}}
	for version := range 2 {
		signed, err := wire.Sign(wire.Pack{Name: "team", Version: uint64(version + 1), At: time.Now().Add(time.Duration(version) * time.Second), Policy: "[write]\ndeny = [\"x*\"]\n"}, w.key)
		must(t, err)
		adam.submit(adam.get("policy"), "publish", nil, "pack", string(jsonOf(t, signed))).want(t, 200)
	}
	_, err := w.control.Stop(t.Context(), control.Operator, control.Stop{Label: "other", Reason: "x"})
	must(t, err)
	w.ask(sp, "asked-1", "text\n")
	where := map[string]string{"answer": "waiting", "undo": "confirm/undo?workspace=" + sp.id + "&session=s-1", "stop": "workspace/" + sp.id, "resume": "stop", "publish": "policy", "rollout": "policy",
		"issue": "access", "revoke": "access", "invite": "access", "member": "workspace/" + sp.id, "expel": "workspace/" + sp.id}
	if len(where) != pages.Acts() {
		t.Errorf("there are %d acts, and %d are tried", pages.Acts(), len(where))
	}
	done := func() int {
		all, err := w.control.Acts(t.Context(), 0, 1000)
		must(t, err)
		return len(all)
	}
	before := done()
	for act, page := range where {
		made := func() formOf {
			forms := adam.get(page).forms(act)
			if len(forms) == 0 {
				t.Fatalf("%s has no form for %s", page, act)
			}
			return forms[0]
		}
		token := "token=" + url.QueryEscape(w.secrets["adam"])
		tries := map[string]func(f formOf) answer{
			"another site":     func(f formOf) answer { return adam.post(f.action, f.fields, "Origin", "https://evil.example") },
			"no site":          func(f formOf) answer { return adam.post(f.action, f.fields, "Origin", "null") },
			"without a seal":   func(f formOf) answer { f.fields.Del("seal"); return adam.post(f.action, f.fields) },
			"all in the query": func(f formOf) answer { return adam.post(f.action+"?"+f.fields.Encode(), nil) },
		}
		for who, b := range others {
			tries["by "+who] = func(f formOf) answer { return b.post(f.action, f.fields) }
			if b.root != "" {
				tries["at the root of "+who] = func(f formOf) answer { return b.post(strings.Replace(f.action, adam.root, b.root, 1), f.fields) }
			}
			tries["with a token in the query, by "+who] = func(f formOf) answer { return b.post(f.action+"?"+token, f.fields) }
			tries["with a token in a header, by "+who] = func(f formOf) answer {
				return b.post(f.action, f.fields, "Authorization", "Bearer "+w.secrets["adam"])
			}
		}
		for name, try := range tries {
			if a := try(made()); a.code < 400 || a.code >= 500 {
				t.Errorf("%s %s: %d", act, name, a.code)
			}
		}
		f := made() // the API, with what the form has
		f.fields.Del("seal")
		f.fields.Del("next")
		args := map[string]any{}
		for k := range f.fields {
			args[k] = f.fields.Get(k)
		}
		api := func(query string, headers ...string) int {
			return (&browser{world: w}).send("POST", "/api/v1/do/"+act+query, string(jsonOf(t, args)), append(headers, "Content-Type", "application/json")...).code
		}
		refused := []string{"vera"}
		if !slices.Contains([]string{"answer", "undo", "stop", "resume"}, act) {
			refused = append(refused, "anna", "ada")
		}
		for k, v := range map[string]string{"name": "x", "role": "viewer", "uses": "1", "hours": "1", "label": "a", "pack": w.packFor(act)} {
			if args[k] == nil && (k != "label" || act == "rollout") {
				args[k] = v
			}
		}
		for _, who := range refused {
			if code := api("", "Authorization", "Bearer "+w.secrets[who]); code != 403 {
				t.Errorf("%s through the API by %s: %d", act, who, code)
			}
		}
		if code := api("?" + token); code != 401 {
			t.Errorf("%s through the API with a token in the query: %d", act, code)
		}
	}
	if n := done(); n != before {
		t.Errorf("%d acts were done", n-before)
	}
	adam.submit(adam.get("waiting"), "answer", []string{"allow", "false"}).want(t, 200) // the forms themselves are good
}

// packFor returns a pack that could be published, if that is the act.
func (w *world) packFor(act string) string {
	if act != "publish" {
		return ""
	}
	signed, err := wire.Sign(wire.Pack{Name: "team", Version: 9, At: time.Now().Add(time.Hour), Policy: "[write]\ndeny = [\"x*\"]\n"}, w.key)
	must(w.t, err)
	return string(jsonOf(w.t, signed))
}

// TestHostileNames: whatever names and messages workspaces send, pages show them as text, and what cannot be seen as an escape.
func TestHostileNames(t *testing.T) {
	w := newWorld(t)
	m := w.hub.Enrol(t, strings.ReplaceAll(hostile, "\x1b", ""), hostile)
	id := m.Joined.Workspace
	l := hubtest.LogOf(m)
	lines := hubtest.HostileLines(l, hostile)
	for _, path := range []struct {
		subject string
		data    []byte
	}{
		{wire.RecordsSubject(id), l.Message(api.Head{}, lines...)},
		{wire.PresenceSubject(id), l.Say(wire.PresenceSubject(id), wire.Presence{V: 1, Workspace: id, At: time.Now(), Root: hostile, Host: hostile, Emend: hostile, Ship: wire.Ship(hostile), Problem: hostile, PackError: hostile,
			Pack: &wire.PackName{Name: hostile}, Frozen: &api.Frozen{By: hostile, Reason: hostile}, Policy: hostile, Every: time.Minute, Allow: wire.Allow{Approve: true}})},
		{wire.QuestionSubject(id, "q1"), l.Say(wire.QuestionSubject(id, "q1"), wire.Question{V: 1, Workspace: id, ID: "q1", Since: time.Now(), Deadline: time.Now().Add(time.Minute), Root: hostile, Actor: api.Actor{Client: hostile, Session: hostile, Agent: hostile, Tool: hostile},
			Paths: []api.AskedPath{{Path: hostile, Rule: hostile, Why: hostile, Write: true}}, Diff: "# " + hostile + "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-" + hostile + "\n+" + hostile + "\n", Digest: hostile})},
	} {
		if _, err := w.hub.JetStream().Publish(t.Context(), path.subject, path.data); err != nil {
			t.Fatal(err)
		}
	}
	w.settle()
	b := w.signIn("adam")
	for _, path := range []string{"", "timeline", "timeline?q=" + url.QueryEscape(hostile), "timeline?" + url.Values{"label": {hostile}}.Encode(), "sessions", "waiting", "workspace/" + id, "entry/" + id + "/1", "entry/" + id + "/2",
		"session/" + id + "?name=" + url.QueryEscape(hostile), "file?repository=" + id + "&path=" + url.QueryEscape(hostile), "stop", "policy", "acts", "confirm/undo?workspace=" + id + "&entry=" + url.QueryEscape(hostile)} {
		a := b.get(path)
		if a.code != 200 {
			t.Errorf("%s: %d %s", path, a.code, a.body)
		}
		a.body = valuePattern.ReplaceAllString(a.body, "") // what a form sends back must be what it was
		for _, bad := range []string{"<script>alert", "<img", "onerror=alert(1)>", "\u202e", "\u200b", "\x1b", `href="javascript:`} {
			if strings.Contains(a.body, bad) {
				at := strings.Index(a.body, bad)
				t.Errorf("%s has %q: …%s…", path, bad, a.body[max(0, at-200):min(len(a.body), at+80)])
			}
		}
		if !strings.Contains(a.head.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s has no content security policy", path)
		}
	}
}

func jsonOf(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return data
}

// TestAPI: programs see and do the same, with a token and no cookie.
func TestAPI(t *testing.T) {
	w := newWorld(t)
	one := w.join("one", "a")
	w.join("two", "b")
	call := func(who, method, path string, body any, headers ...string) (int, map[string]any) {
		t.Helper()
		var text []byte
		if body != nil {
			text = jsonOf(t, body)
		}
		headers = append([]string{"Authorization", "Bearer " + w.secrets[who], "Content-Type", "application/json"}, headers...)
		a := (&browser{world: w}).send(method, "/api/v1/"+path, string(text), headers...)
		var out any
		d := json.NewDecoder(bytes.NewReader([]byte(a.body)))
		if err := d.Decode(&out); err != nil {
			t.Fatalf("%s: %d %q", path, a.code, a.body)
		}
		if list, ok := out.([]any); ok {
			return a.code, map[string]any{"list": list}
		}
		return a.code, out.(map[string]any)
	}
	_, line := call("vera", "GET", "timeline?workspace="+one.id, nil)
	entry := line["entries"].([]any)[0].(map[string]any)["entry"].(string)
	for _, path := range []string{"fleet", "timeline", "timeline?path=first&since=1h", "sessions", "findings", "waiting", "policy", "stops", "acts", "verify", "entry/" + one.id + "/" + entry} {
		if code, v := call("vera", "GET", path, nil); code != 200 {
			t.Errorf("%s: %d %v", path, code, v)
		}
	}
	if _, v := call("adam", "GET", "fleet", nil); len(v["list"].([]any)) != 2 {
		t.Errorf("the fleet is %v", v)
	}
	if _, v := call("ada", "GET", "fleet", nil); len(v["list"].([]any)) != 1 {
		t.Errorf("ada's fleet is %v", v)
	}
	for path, want := range map[string]int{"nothing": 404, "timeline?since=x": 400, "entry/" + one.id + "/99": 404, "tokens": 403} {
		if code, v := call("vera", "GET", path, nil); code != want {
			t.Errorf("%s: %d %v, want %d", path, code, v, want)
		}
	}
	for name, headers := range map[string][]string{"no token": {"Authorization", ""}, "a wrong token": {"Authorization", "Bearer emendhub_x"}, "basic": {"Authorization", "Basic eDp5"},
		"another site": {"Origin", "https://evil.example"}, "another host": {"Host", "evil.example"}} {
		if code, v := call("adam", "GET", "fleet", nil, headers...); code != 401 && code != 403 {
			t.Errorf("%s: %d %v", name, code, v)
		}
	}
	for who, spaces := range map[string]int{"vera": 2, "ada": 1} {
		a := (&browser{world: w}).send("GET", "/api/v1/events?after=0", "", "Authorization", "Bearer "+w.secrets[who])
		seen := map[string]bool{}
		for line := range strings.SplitSeq(strings.TrimSpace(a.body), "\n") {
			var e out.Event
			must(t, json.Unmarshal([]byte(line), &e))
			seen[e.Workspace.ID] = true
		}
		if a.code != 200 || len(seen) != spaces {
			t.Errorf("%s reads the events of %d workspaces: %d", who, len(seen), a.code)
		}
	}
	b := w.signIn("adam")
	if a := b.send("GET", "/api/v1/fleet", ""); a.code != 401 {
		t.Errorf("a browser's cookie opens the API: %d", a.code)
	}
	if code, v := call("vera", "POST", "do/stop", map[string]any{"label": "a"}); code != 403 {
		t.Errorf("a viewer stops: %d %v", code, v)
	}
	code, v := call("anna", "POST", "do/stop", map[string]any{"label": "a", "reason": "x"})
	if code != 200 || len(v["results"].([]any)) != 1 {
		t.Errorf("%d %v", code, v)
	}
	if code, v := call("anna", "POST", "do/resume", map[string]any{"label": "a"}); code != 200 {
		t.Errorf("%d %v", code, v)
	}
	code, v = call("anna", "POST", "preview", map[string]any{"workspace": one.id, "session": "s-1"})
	if code != 200 || v["effect"] == "" {
		t.Fatalf("%d %v", code, v)
	}
	if code, v := call("anna", "POST", "do/undo", map[string]any{"workspace": one.id, "session": "s-1", "effect": v["effect"]}); code != 200 {
		t.Errorf("%d %v", code, v)
	}
	if code, v := call("adam", "POST", "do/issue", map[string]any{"name": "bot", "role": "viewer", "labels": []string{"a"}}); code != 200 || v["secret"] == "" {
		t.Errorf("%d %v", code, v)
	}
	if _, v := call("adam", "GET", "tokens", nil); strings.Contains(fmt.Sprint(v), "hash:") && !strings.Contains(fmt.Sprint(v), "hash: ") {
		t.Errorf("tokens are listed with their hashes: %v", v)
	}
}
