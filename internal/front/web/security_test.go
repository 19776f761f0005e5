package web

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestNotSignedIn: a browser that is not signed in sees nothing and changes nothing.
func TestNotSignedIn(t *testing.T) {
	p := newTestSite(t, nil)
	tx := p.create("secret-name.txt", "secret-text\n")
	in := p.signIn()
	good := in.cookies[0]
	for name, cookie := range map[string]*http.Cookie{
		"no cookie":           nil,
		"a wrong one":         {Name: good.Name, Value: strings.Repeat("A", 43)},
		"another name":        {Name: "emend-1", Value: good.Value},
		"half of the right":   {Name: good.Name, Value: good.Value[:20]},
		"more than the right": {Name: good.Name, Value: good.Value + "x"},
		"the name of a visit": {Name: good.Name, Value: "ui-"},
		"the token as it is":  {Name: good.Name, Value: testToken},
		"an empty one":        {Name: good.Name},
	} {
		t.Run(name, func(t *testing.T) {
			b := &testBrowser{testSite: p, root: in.root}
			for _, path := range []string{"/ui/", "/ui/default/", "/ui/default/change/" + tx, "/ui/default/file?path=secret-name.txt", "/ui/default/health", "/ui/nobody/", "/", "/ui/default"} {
				b.cookies = nil
				if cookie != nil {
					b.cookies = []*http.Cookie{cookie}
				}
				a := b.get(path)
				if to, _ := url.Parse(a.head.Get("Location")); a.code != 303 || to.Path != "/ui/login" || strings.Contains(a.body, "secret-text") {
					t.Errorf("%s: %d %v %s", path, a.code, a.head, a.body)
				}
				b.ask("GET", path, "").want(t, 401, "nobody is signed in here")
			}
			b.ask("GET", "/ui/default/events", "", "Accept", "text/event-stream").want(t, 401)
			b.post("/ui/default/do/undo", b.form("undo", url.Values{"entry": {tx}})).want(t, 401)
			b.post("/ui/logout", nil).want(t, 401)
		})
	}
	if p.fileText("secret-name.txt") != "secret-text\n" {
		t.Error("somebody undid it")
	}
	in.get("/ui/default/").want(t, 200)
}

// TestAnotherSite: requests that another site's page sends are refused, even with cookie and seal.
func TestAnotherSite(t *testing.T) {
	p := newTestSite(t, nil)
	tx := p.create("a", "hello\n")
	b := p.signIn()
	host := strings.TrimPrefix(p.url, "http://")
	for name, head := range map[string][]string{
		"cross-site":                  {"Sec-Fetch-Site", "cross-site"},
		"same-site, another port":     {"Sec-Fetch-Site", "same-site"},
		"origin of another site":      {"Origin", "https://evil.example"},
		"origin of no site":           {"Origin", "null"},
		"origin of another port":      {"Origin", "http://127.0.0.1:1"},
		"origin of a longer name":     {"Origin", p.url + ".evil.example"},
		"origin of a program":         {"Origin", strings.Replace(p.url, "http://", "ftp://", 1)},
		"two origins":                 {"Origin", p.url, "Origin", "https://evil.example"},
		"a name that points here":     {"Host", "rebound.example" + host[strings.LastIndex(host, ":"):]},
		"that, with its own origin":   {"Host", "rebound.example", "Origin", "http://rebound.example"},
		"an address that is not ours": {"Host", "10.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/ui/default/", "/ui/login", "/ui/static/app.css", "/ui/default/events", "/ui/nobody/"} {
				a := b.ask("GET", path, "", head...)
				a.want(t, 403)
				if len(a.head.Values("Set-Cookie")) > 0 || a.head.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s: %v", path, a.head)
				}
			}
			body, form := b.form("undo", url.Values{"entry": {tx}}).Encode(), []string{"Content-Type", "application/x-www-form-urlencoded"}
			b.ask("POST", "/ui/default/do/undo", body, append(form, head...)...).want(t, 403)
			b.ask("POST", "/ui/login", "token="+testToken, append(form, head...)...).want(t, 403)
			b.ask("POST", "/ui/logout", "", append(form, head...)...).want(t, 403)
		})
	}
	if p.fileText("a") != "hello\n" {
		t.Error("another site undid it")
	}
	b.get("/ui/default/").want(t, 200)
}

// TestHeaders: every answer forbids frames, inline scripts, other hosts and guesses of its type.
func TestHeaders(t *testing.T) {
	p := newTestSite(t, nil)
	p.create("a", "hello\n")
	in, out := p.signIn(), &testBrowser{testSite: p}
	for name, a := range map[string]answer{
		"page":        in.get("/ui/default/"),
		"first":       in.get("/ui/"),
		"login":       out.get("/ui/login"),
		"wrong token": out.post("/ui/login", url.Values{"token": {"guess"}}),
		"stranger":    out.get("/ui/default/"),
		"script":      out.ask("GET", "/ui/default/", ""),
		"other site":  in.ask("GET", "/ui/default/", "", "Origin", "https://evil.example"),
		"nowhere":     in.get("/ui/default/nowhere"),
		"no space":    in.get("/ui/nobody/"),
		"style":       out.ask("GET", "/ui/static/app.css", ""),
		"no style":    out.ask("GET", "/ui/static/none.css", ""),
		"bad form":    in.post("/ui/default/do/undo", url.Values{"entry": {"x"}}),
		"no tool":     in.post("/ui/default/do/write_file", nil),
		"large":       in.post("/ui/default/do/undo", url.Values{"entry": {strings.Repeat("x", 70<<10)}}),
		"method":      in.ask("DELETE", "/ui/default/", ""),
		"options":     in.ask("OPTIONS", "/ui/default/do/undo", ""),
		"trace":       in.ask("TRACE", "/ui/default/", ""),
		"cleaned":     in.get("/ui/default/../default/"),
		"head":        in.ask("HEAD", "/ui/default/", ""),
		"done":        in.post("/ui/login", url.Values{"token": {testToken}}),
	} {
		want := map[string]string{"X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Content-Security-Policy": contentPolicy}
		for header, value := range want {
			if got := a.head.Values(header); len(got) != 1 || got[0] != value {
				t.Errorf("%s (%d): %s: %q", name, a.code, header, got)
			}
		}
		if name != "style" && a.head.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: Cache-Control: %q", name, a.head.Get("Cache-Control"))
		}
	}
	// The policy has exactly these directives.
	want := map[string]string{"default-src": "'none'", "script-src": "'self'", "style-src": "'self'", "img-src": "'self'", "connect-src": "'self'", "form-action": "'self'",
		"frame-ancestors": "'none'", "base-uri": "'none'", "require-trusted-types-for": "'script'", "trusted-types": "'none'"}
	got := map[string]string{}
	for part := range strings.SplitSeq(contentPolicy, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		got[name] += value
	}
	if !maps.Equal(got, want) {
		t.Errorf("the policy is %v", got)
	}
}

// TestTokenStays: the token is in no answer and no log, and the cookie is out of reach of scripts and other sites.
func TestTokenStays(t *testing.T) {
	p := newTestSite(t, nil)
	tx := p.create("a", "hello\n")
	b := p.signIn()
	c := b.cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != b.root || !strings.HasPrefix(b.root, "/ui/~") || len(b.root) != len("/ui/~/")+26 || c.Domain != "" || c.Secure || c.Name != "emend" || len(c.Value) != 43 {
		t.Errorf("the cookie: %v", c)
	}
	all := []answer{b.post("/ui/login", url.Values{"token": {testToken}, "next": {"/ui/default/?token=" + "x"}}), b.get("/ui/login"), b.get("/ui/"), b.get("/ui/default/"),
		b.get("/ui/default/change/" + tx), b.get("/ui/default/nowhere"), b.post("/ui/default/do/undo", b.form("undo", url.Values{"entry": {tx}}))}
	gone := b.post("/ui/logout", nil)
	all = append(all, gone, b.get("/ui/default/"), b.post("/ui/login", url.Values{"token": {testToken + "x"}, "next": {"/ui/"}}))
	for i, a := range all {
		if text := fmt.Sprint(a.head, a.body); strings.Contains(text, testToken) || strings.Contains(a.body, c.Value) {
			t.Errorf("%d: the token or the secret is in %s", i, text)
		}
	}
	if logs := p.logs.String(); strings.Contains(logs, testToken) || strings.Contains(logs, c.Value) || strings.Contains(logs, strings.Trim(c.Path, "/")) {
		t.Error("the log has it")
	}
	// Under TLS, of a proxy or its own, browsers send the cookie over TLS only.
	r, _ := http.NewRequest("POST", "/ui/login", nil)
	r.Header.Set("Origin", "https://host.example")
	if !newCookie(r, "x", "/ui/~x/").Secure {
		t.Error("the cookie goes without TLS")
	}
	r.Header.Del("Origin")
	if r.TLS = new(tls.ConnectionState); !newCookie(r, "x", "/ui/~x/").Secure {
		t.Error("the cookie of a server with TLS goes without")
	}
	// Headers in which a client claims to be a proxy are ignored.
	r.TLS, r.Host = nil, "127.0.0.1:1"
	for _, name := range []string{"X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "Forwarded"} {
		r.Header.Set(name, "https")
	}
	if c := newCookie(r, "x", "/ui/~x/"); c.Secure || c.Path != "/ui/~x/" {
		t.Errorf("the cookie is as a client says: %v", c)
	}
}

// TestLoginSessions: a browser's session ends by signing out, after a time without requests, and when there are too many
// newer ones.
func TestLoginSessions(t *testing.T) {
	p := newTestSite(t, nil)
	now := time.Now()
	p.logins.now = func() time.Time { return now }
	a, b := p.signIn(), p.signIn()
	old := a.cookies
	a.post("/ui/logout", nil).want(t, 303)
	if c := a.cookies[0]; c.Value != "" || c.MaxAge >= 0 {
		t.Errorf("the cookie stays: %v", c)
	}
	a.cookies = old
	a.get("/ui/default/").want(t, 303)
	now = now.Add(maxLoginIdle)
	b.get("/ui/default/").want(t, 200)
	now = now.Add(maxLoginIdle + time.Second)
	b.get("/ui/default/").want(t, 303)

	first := p.signIn()
	for range 1000 {
		now = now.Add(time.Millisecond)
		p.logins.create()
	}
	first.get("/ui/default/").want(t, 303)
	if n := len(p.logins.byHash); n != maxLogins {
		t.Errorf("%d visits are remembered", n)
	}
	p.signIn().get("/ui/default/").want(t, 200)
}

// TestManyLogins: of a browser that signs in again and again, only the newest sessions are remembered.
func TestManyLogins(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	before := *b
	for range 1000 {
		b.post("/ui/login", url.Values{"token": {testToken}}).want(t, 303)
	}
	if n := len(p.logins.byHash); n != maxLogins {
		t.Errorf("%d sessions are remembered", n)
	}
	b.get("/ui/default/").want(t, 200)
	before.get("/ui/default/").want(t, 303)
}

// TestWrongTokens: wrong tokens are slowed down, and do not keep out the right one.
func TestWrongTokens(t *testing.T) {
	p := newTestSite(t, nil)
	codes := map[int]int{}
	b := &testBrowser{testSite: p}
	for _, guess := range []string{"", testToken[:10], testToken + "x", strings.ToUpper(testToken)} {
		b.post("/ui/login", url.Values{"token": {guess}}).want(t, 401, "This is not the token")
	}
	for range 100 {
		codes[b.post("/ui/login", url.Values{"token": {"guess"}}).code]++
	}
	if codes[401] > 50 || codes[429] < 50 || len(b.cookies) > 0 {
		t.Errorf("%v, %v", codes, b.cookies)
	}
	b.ask("GET", "/ui/login?token="+testToken, "").want(t, 200)
	b.ask("GET", "/ui/default/", "", "Authorization", "Bearer "+testToken).want(t, 401)
	p.signIn().get("/ui/default/").want(t, 200)

	none := newTestSite(t, func(c *Config) { c.Token = "" })
	(&testBrowser{testSite: none}).post("/ui/login", url.Values{"token": {""}}).want(t, 401)
}

// TestRedirectsStayHere: redirects after signing in, and after a form, stay on this site.
func TestRedirectsStayHere(t *testing.T) {
	for address, want := range map[string]string{
		"/ui/default/change/12?x=1": "/ui/default/change/12?x=1", "": "/ui/", "https://evil.example/ui/": "/ui/", "//evil.example/ui/": "/ui/",
		`/\evil.example`: "/ui/", `/ui/\evil.example`: "/ui/", "javascript:alert(1)": "/ui/", "/ui/../x": "/ui/", "/ui/%2e%2e/x": "/ui/", "/ui": "/ui/", "/": "/ui/",
		"/ui/a\r\nSet-Cookie: x=1": "/ui/", "http:/ui/": "/ui/", "/ui//evil.example": "/ui/", "/ui/a#b": "/ui/a", "/ui/default/file?path=../../x": "/ui/default/file?path=../../x",
	} {
		if got := localAddress("/ui/", address); got != want {
			t.Errorf("%q: %q, want %q", address, got, want)
		}
	}
	p := newTestSite(t, nil)
	for _, next := range []string{"https://evil.example", "//evil.example", "/elsewhere"} {
		a := (&testBrowser{testSite: p}).post("/ui/login", url.Values{"token": {testToken}, "next": {next}})
		if a.head.Get("Location") != "/ui/" {
			t.Errorf("%s: %s", next, a.head.Get("Location"))
		}
		for _, b := range []*testBrowser{{testSite: p}, p.signIn()} {
			b.get("/ui/login?next="+url.QueryEscape(next)).want(t, 200, `value="/ui/"`)
		}
	}
}

// TestCookieAlone: what a server at another port of this host may be sent opens nothing: the cookie without the root of its
// session, or the root without the cookie.
func TestCookieAlone(t *testing.T) {
	p := newTestSite(t, nil)
	tx := p.create("secret-name.txt", "secret-text\n")
	b, other := p.signIn(), p.signIn()
	mine, random := b.cookies, strings.TrimSuffix(strings.TrimPrefix(b.root, "/ui/~"), "/")
	port := p.url[strings.LastIndex(p.url, ":"):]
	for name, root := range map[string]string{
		"none":                      "/ui/",
		"of another session":        other.root,
		"the mark alone":            "/ui/~/",
		"half of it":                "/ui/~" + random[:13] + "/",
		"more than it":              "/ui/~" + random + "a/",
		"in upper case":             "/ui/~" + strings.ToUpper(random) + "/",
		"without the mark":          "/ui/" + random + "/",
		"below another":             "/ui/~x/~" + random + "/",
		"in a query":                "/ui/default/?~" + random + "/",
		"with a step back":          "/ui/~x/../~" + random + "/",
		"with an escaped step back": "/ui/~x/%2e%2e/~" + random + "/",
		"of the cookie":             "/ui/~" + mine[0].Value + "/",
	} {
		t.Run("root "+name, func(t *testing.T) {
			for _, host := range []string{"", "127.0.0.1", "localhost" + port, "LOCALHOST" + port, "[::1]" + port} {
				for _, path := range []string{"", "default/", "default/change/" + tx, "default/health", "default/events"} {
					thief, head := &testBrowser{testSite: p, cookies: mine}, []string{"Accept", "text/html"}
					if host != "" {
						head = append(head, "Host", host)
					}
					method := map[bool]string{false: "GET", true: "HEAD"}[path == "default/events"] // whose body would have no end
					if a := thief.ask(method, root+path, "", head...); a.code != 303 && a.code != 401 || strings.Contains(a.body, "secret") {
						t.Errorf("%s at %q: %d %s", path, host, a.code, a.body)
					}
				}
			}
			thief := &testBrowser{testSite: p, cookies: mine}
			thief.post(root+"default/do/undo", b.form("undo", url.Values{"entry": {tx}})).want(t, 401)
			thief.post(root+"logout", nil).want(t, 401)
		})
	}
	for _, cookie := range []*http.Cookie{nil, other.cookies[0], {Name: "emend", Value: random}} {
		thief := &testBrowser{testSite: p, root: b.root}
		if cookie != nil {
			thief.cookies = []*http.Cookie{cookie}
		}
		if a := thief.get("/ui/default/"); a.code != 303 || !strings.HasPrefix(a.head.Get("Location"), "/ui/login?") {
			t.Errorf("the root with %v: %d %v", cookie, a.code, a.head)
		}
	}
	for target, head := range map[string]string{p.url + "/ui/default/": strings.TrimPrefix(p.url, "http://"), "http://evil.example" + b.root: strings.TrimPrefix(p.url, "http://")} {
		if code := b.raw("GET " + target + " HTTP/1.1\r\nHost: " + head + "\r\nAccept: text/html\r\nCookie: emend=" + mine[0].Value + "\r\nConnection: close\r\n\r\n"); code != 303 && code != 403 {
			t.Errorf("the target %s: %d", target, code)
		}
	}
	b.cookies = mine
	b.get("/ui/default/").want(t, 200)
	if p.fileText("secret-name.txt") != "secret-text\n" {
		t.Error("somebody undid it")
	}
}

// raw sends a request as it is, and returns the status.
func (b *testBrowser) raw(text string) int {
	b.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	b.must(err)
	defer c.Close()
	_, err = c.Write([]byte(text))
	b.must(err)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	b.must(err)
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestRootNotInAnswers: an answer to a browser that is not signed in has no root in it, and the redirect after signing in
// takes that of the new session.
func TestRootNotInAnswers(t *testing.T) {
	p := newTestSite(t, nil)
	first := p.signIn()
	stranger := &testBrowser{testSite: p}
	a := stranger.get(first.root + "default/trash?x=1")
	if a.code != 303 || a.head.Get("Location") != "/ui/login?next="+url.QueryEscape("/ui/default/trash?x=1") {
		t.Errorf("%d %v", a.code, a.head)
	}
	stranger.get(a.head.Get("Location")).want(t, 200, `value="/ui/default/trash?x=1"`)
	a = stranger.post("/ui/login", url.Values{"token": {testToken}, "next": {first.root + "default/trash?x=1"}})
	if a.head.Get("Location") != "/ui/default/trash?x=1" || stranger.root == first.root {
		t.Errorf("%d %v", a.code, a.head)
	}
}

// TestWarningsBounded: a flood of wrong tokens, and of requests of other sites, does not fill the log.
func TestWarningsBounded(t *testing.T) {
	p := newTestSite(t, nil)
	b := &testBrowser{testSite: p}
	const sent = 50
	start := time.Now()
	for range sent {
		b.post("/ui/login", url.Values{"token": {"guess"}})
		b.ask("GET", "/ui/", "", "Origin", "https://evil.example")
	}
	most := 2 + int(time.Since(start).Seconds()) + 1
	for _, words := range []string{"a wrong token was sent", "by=origin"} {
		warned, all := 0, 0
		for line := range strings.Lines(p.logs.String()) {
			if strings.Contains(line, words) {
				all++
				warned += strings.Count(line, "level=WARN")
			}
		}
		if warned < 1 || warned > most || all != sent {
			t.Errorf("%q: %d lines, %d warnings, want %d and at most %d", words, all, warned, sent, most)
		}
	}
}
