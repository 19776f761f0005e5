//go:build npm && linux

package agents

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestHTTP has each agent read and edit through a server that is already running, with a token.
func TestHTTP(t *testing.T) {
	for _, a := range []*agent{claudeCode, codex, opencode, geminiCLI} {
		t.Run(slug(a), func(t *testing.T) {
			t.Parallel()
			p := install(t, a)
			w := newWorld(t)
			tap := w.serveHTTP()
			m := w.play(p, short(), func() []string { return a.plug(w, tap.server) })
			w.holds("afterwards", edited)
			w.recorded(p, records[:1])
			t.Logf("%s %s over HTTP: speaks %s; %d requests of it; %d turns%s; %.1f s", a.name, p.version, tap.revision(), tap.requests,
				len(m.turns), m.otherRequests(), m.took.Seconds())
		})
	}
}

// recordingProxy is a proxy between an agent and the server. It passes everything on and remembers what the test asks for.
type recordingProxy struct {
	server

	mu       sync.Mutex
	requests int
	spoke    string
}

// announced matches what emend prints at its first start, in this order.
var announced = regexp.MustCompile(`(http://[0-9.:]+/mcp)|Authorization: Bearer (\S+)`)

// serveHTTP starts emend at a free address. It is stopped after the test.
func (w *account) serveHTTP() *recordingProxy {
	w.Helper()
	cmd := exec.Command(emendProgram, "serve", "--http", "127.0.0.1:0", w.work)
	cmd.Env, cmd.Dir = w.env, w.work
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	w.pids = append(w.pids, cmd.Process.Pid)
	w.Cleanup(func() { w.end(cmd) })
	var at server
	lines := bufio.NewScanner(said)
	for at.token == "" && lines.Scan() {
		if m := announced.FindStringSubmatch(lines.Text()); m != nil {
			at.url, at.token = cmp.Or(at.url, m[1]), m[2]
		}
	}
	if at.url == "" || at.token == "" {
		w.Fatal("emend serve does not say where it is and what the token is")
	}
	go io.Copy(io.Discard, said) // its log
	return w.recordVia(at)
}

// end stops a server.
func (w *account) end(cmd *exec.Cmd) {
	late := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if !late.Stop() {
		w.Error("the server did not end when it was told to")
	}
}

// recordVia returns a proxy for a server.
func (w *account) recordVia(at server) *recordingProxy {
	to, err := url.Parse(at.url)
	if err != nil {
		w.Fatal(err)
	}
	out := &recordingProxy{server: at}
	to.Path = ""
	// It needs connections of its own: a test server that closes also closes the idle connections of the standard transport.
	own := &http.Transport{}
	w.Cleanup(own.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{Transport: own, FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); strings.HasPrefix(r.URL.Path, "/mcp") && got != "Bearer "+at.token {
			w.Errorf("a request came without the token: %s %s", r.Method, r.URL)
		}
		out.saw(w, r)
		proxy.ServeHTTP(rw, r)
	}))
	w.Cleanup(s.Close)
	w.Cleanup(s.CloseClientConnections)
	out.url = s.URL + "/mcp"
	return out
}

// saw counts a request. Not every client sends the revision in a header, but each sends it in its first request.
func (t *recordingProxy) saw(w *account, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.Errorf("a request cannot be read: %v", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var in struct {
		Method string
		Params struct{ ProtocolVersion string }
	}
	json.Unmarshal(body, &in) // an empty body decodes to nothing
	t.mu.Lock()
	defer t.mu.Unlock()
	t.requests++
	switch v := r.Header.Get("Mcp-Protocol-Version"); {
	case v != "":
		t.spoke = v
	case in.Method == "initialize":
		t.spoke = in.Params.ProtocolVersion + " (without the header)"
	}
}

// revision returns the last revision that the agent used.
func (t *recordingProxy) revision() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return cmp.Or(t.spoke, "unknown")
}
