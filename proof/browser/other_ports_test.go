package browser

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// neighbour is somebody else's server at another port of this machine. It keeps every request that it gets.
type neighbour struct {
	port string

	mu  sync.Mutex
	got []*http.Request
}

// neighbourPage asks its own server for everything that emend has addresses for, and emend's for what it may.
const neighbourPage = `<!DOCTYPE html><html lang="en"><title>busy</title><h1>x</h1>
<form method="post" action="/ui/login"><input name="token" value="x"></form><script>
const paths = ["/", "/ui", "/ui/", "/ui/login", "/ui/default/", "/ui/default/events", "/ui/static/app.js", "/ui/~", "/ui/~/", "/ui/~/default/", "/ui/~x/default/"]
const image = at => new Promise(done => { const i = new Image(); i.onload = i.onerror = done; i.src = at })
const frame = at => new Promise(done => { const f = document.createElement("iframe"); f.onload = f.onerror = done; f.src = at; document.body.append(f) })
if (window === top) addEventListener("load", async () => {
	const asks = []
	for (const p of paths) {
		for (const method of ["GET", "POST"]) asks.push(fetch(p + "?by=fetch", { method, credentials: "include" }))
		asks.push(image(p + "?by=image"), frame(p + "?by=frame"))
	}
	asks.push(fetch(%q + "/ui/", { mode: "no-cors", credentials: "include" }))
	await Promise.allSettled(asks)
	document.title = "done"
})
</script>`

func newNeighbour(t *testing.T, emend string) *neighbour {
	t.Helper()
	n := &neighbour{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.mu.Lock()
		n.got = append(n.got, r)
		n.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, neighbourPage, emend)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // the browser tries each certificate once before it ignores what is wrong with it
	if strings.HasPrefix(emend, "https:") {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	n.port = s.URL[strings.LastIndex(s.URL, ":"):]
	return n
}

// TestOtherPorts signs in, and then visits another server of this machine. A browser has one set of cookies for all ports of a
// host. Still that server must be sent nothing that opens emend's pages: neither the cookie, nor the root to which it is bound.
func TestOtherPorts(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.cart()
	visitOtherPorts(t, w.ui())
}

// TestOtherPortsOverTLS is the same over TLS, with a server for other machines.
func TestOtherPortsOverTLS(t *testing.T) {
	t.Parallel()
	w := shop(t)
	w.cart()
	cert, key := w.certificate()
	visitOtherPorts(t, w.serve("serve", "--http", "127.0.0.1:0", "--remote", "--tls-cert", cert, "--tls-key", key))
}

// certificate writes the certificate of net/http/httptest, and its key, to files.
func (w *world) certificate() (cert, key string) {
	w.t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pair := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		w.t.Fatal(err)
	}
	cert, key = filepath.Join(w.home, "cert.pem"), filepath.Join(w.home, "cert.key")
	w.put(cert, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})))
	w.put(key, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	return cert, key
}

func visitOtherPorts(t *testing.T, s *server) {
	t.Helper()
	b := s.pages(t)
	b.until("the page is live", live)
	secrets := b.cookie()
	n := newNeighbour(t, s.base)
	scheme, _, _ := strings.Cut(s.base, ":")
	for _, host := range []string{"127.0.0.1", "localhost", "shop.localhost"} {
		b.open("")
		b.until("the timeline", timelineHas("src/prices.ts"))
		at := scheme + "://" + host + n.port
		b.do("leave for "+at, evaluate("location.href = "+quote(at)))
		b.until("it has asked", `location.host === `+quote(host+n.port)+` && document.title === "done"`)
		for _, path := range []string{"/ui/", "/ui/default/", "/ui/~/default/"} {
			b.do("open "+at+path, evaluate("location.href = "+quote(at+path)))
			b.until("it has asked", `location.pathname === `+quote(path)+` && document.title === "done"`)
		}
		b.do("send a form", evaluate("document.forms[0].submit()"))
		b.until("it is sent", `location.pathname === "/ui/login" && document.title === "done"`)
	}
	b.open("")
	b.until("the session goes on", timelineHas("src/prices.ts"))
	b.complaints.forget() // other hosts, and refused requests to emend
	n.check(t, s.base, secrets.Value, path.Base(secrets.Path))
}

// check fails if a request to the neighbour has one of the secrets in it, or opens a page when it is sent on to emend.
func (n *neighbour) check(t *testing.T, emend string, secrets ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	leaks, tried := 0, map[string]bool{}
	for _, r := range n.got {
		text, err := httputil.DumpRequest(r, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range secrets {
			if strings.Contains(string(text), s) {
				if leaks++; leaks == 1 {
					t.Errorf("another port is sent %s:\n%s", s, text)
				}
			}
		}
		cookie := r.Header.Get("Cookie")
		if tried[r.URL.Path+cookie] {
			continue
		}
		tried[r.URL.Path+cookie] = true
		for _, path := range []string{r.URL.Path, "/ui/default/"} {
			if replay(t, emend+path, cookie) {
				t.Errorf("what another port was sent opens %s: the cookie %q", path, cookie)
			}
		}
	}
	t.Logf("other ports: %d requests, %d of them different, %d times a secret", len(n.got), len(tried), leaks)
	if len(n.got) < 100 {
		t.Errorf("only %d requests came", len(n.got))
	}
}

// replay asks for an address as a thief would, and reports whether it shows the timeline, or tells what is new.
func replay(t *testing.T, address, cookie string) bool {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Cookie", cookie)
	r, err := (&http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return true // and has no end
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(body), "src/prices.ts")
}
