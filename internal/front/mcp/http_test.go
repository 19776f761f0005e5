package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// site is a server that listens on a local port until its test ends.
type site struct {
	*HTTP
	t    testing.TB
	at   string // host:port
	dir  string // of its first workspace
	logs *safeBuffer
	stop func() error // stops the server and waits for it
}

const testToken = "emend_0123456789abcdefghijklmnopqrstuvwxyz"

// safeBuffer is a buffer for several writers.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// serve starts a server over workspaces with these names. Each has a file that says hello.
func serve(t testing.TB, c HTTPConfig, edit func(*Config), names ...string) *site {
	t.Helper()
	if len(names) == 0 {
		names = []string{"default"}
	}
	s := &site{t: t, logs: &safeBuffer{}}
	conf := Config{Version: "test", Log: slog.New(slog.NewTextHandler(s.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	for _, name := range names {
		dir := t.TempDir()
		if s.dir == "" {
			s.dir = dir
		}
		if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello of "+name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		ws, err := emend.Open(dir, emend.NoSync())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ws.Close() })
		conf.Workspaces = append(conf.Workspaces, tool.Workspace{Name: name, Workspace: ws})
	}
	if edit != nil {
		edit(&conf)
	}
	if c.Token == "" {
		c.Token = testToken
	}
	s.HTTP = New(conf).HTTP(c)
	s.begin()
	return s
}

func (s *site) begin() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	s.at = l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	s.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	s.t.Cleanup(func() {
		if err := s.stop(); err != nil {
			s.t.Errorf("the server ended with %v", err)
		}
	})
}

// request is a request of a test. Empty fields have the values of an honest client.
type request struct {
	method, path, body string
	token              string // "-" for none
	head               []string
}

// rpc returns a request of the revision without sessions.
func rpc(method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
}

// toolCall returns a tool call of the revision without sessions.
func toolCall(tool, args string) request {
	return request{body: rpc("tools/call", `"name":"`+tool+`","arguments":`+args),
		head: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}}
}

// old returns a message of a revision with sessions.
func old(session, body string) request {
	r := request{body: body, head: []string{"Mcp-Protocol-Version", "2025-11-25"}}
	if session != "" {
		r.head = append(r.head, sessionHeader, session)
	}
	return r
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`

func (r request) with(head ...string) request {
	r.head = append(append([]string{}, r.head...), head...)
	return r
}

func (s *site) new(r request) *http.Request {
	s.t.Helper()
	method, path := cmp.Or(r.method, http.MethodPost), cmp.Or(r.path, "/mcp")
	req, err := http.NewRequest(method, "http://"+s.at+path, strings.NewReader(r.body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if r.token != "-" {
		req.Header.Set("Authorization", cmp.Or(r.token, "Bearer "+testToken))
	}
	for i := 0; i+1 < len(r.head); i += 2 {
		switch name, value := r.head[i], r.head[i+1]; {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		case name == "Authorization":
			req.Header.Add(name, value)
		default:
			req.Header.Set(name, value)
		}
	}
	return req
}

// client returns a client with its own connections, which are closed at the end of the test.
func (s *site) client() *http.Client {
	tr := &http.Transport{}
	s.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// ask sends a request and returns the whole answer.
func (s *site) ask(r request) (*http.Response, string) {
	s.t.Helper()
	tr := &http.Transport{DisableKeepAlives: true}
	resp, err := (&http.Client{Transport: tr, Timeout: 20 * time.Second, CheckRedirect: s.client().CheckRedirect}).Do(s.new(r))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp, string(b)
}

// want sends a request and checks the status and some words of the answer.
func (s *site) want(r request, code int, words ...string) *http.Response {
	s.t.Helper()
	resp, body := s.ask(r)
	if resp.StatusCode != code {
		s.t.Errorf("code %d, want %d: %.300s", resp.StatusCode, code, body)
	}
	for _, w := range words {
		if !strings.Contains(body, w) {
			s.t.Errorf("%q is not in the answer: %.300s", w, body)
		}
	}
	return resp
}

// good makes a call that every server must answer, whatever happened before.
func (s *site) good() {
	s.t.Helper()
	s.want(toolCall("read_file", `{"path":"a.txt"}`), 200, "hello of ")
}

// session opens a session and returns its id.
func (s *site) session() string {
	s.t.Helper()
	id := s.want(old("", hello), 200, `"protocolVersion":"2025-11-25"`).Header.Get(sessionHeader)
	s.want(old(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202)
	return id
}

// dial connects and sends text. Reads have a deadline.
func (s *site) dial(text string) net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.at)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second)) //nolint:errcheck // a socket has deadlines
	if _, err := io.WriteString(c, text); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// raw sends text as it is and returns the first answer.
func (s *site) raw(text string) (*http.Response, string) {
	s.t.Helper()
	return answer(s.t, bufio.NewReader(s.dial(text)))
}

func answer(t testing.TB, r *bufio.Reader) (*http.Response, string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(resp.Body)
	return resp, string(b)
}

// text returns the bytes of an HTTP/1.1 request.
func (s *site) text(method, path, body string, head ...string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n",
		method, path, s.at, testToken)
	for i := 0; i+1 < len(head); i += 2 {
		fmt.Fprintf(&out, "%s: %s\r\n", head[i], head[i+1])
	}
	return out.String() + "\r\n" + body
}

// eventually waits for a condition that another goroutine will fulfil.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it did not come to: %s", what)
		}
	}
}

// result decodes the result of a call from an answer in either form.
func result(t testing.TB, body string) (out struct {
	IsError bool
	Content []struct{ Text string }
}) {
	t.Helper()
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			body = data
		}
	}
	var m struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("%v: %.200s", err, body)
	}
	if err := json.Unmarshal(m.Result, &out); err != nil {
		t.Fatalf("%v: %.200s", err, body)
	}
	return out
}
