package mcp

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// read is an honest call; the hostile cases spoil it.
var read = toolCall("read_file", `{"path":"a.txt"}`)

// hostile are clients that misbehave. Each gets a clear answer, and the server answers an honest call after each of
// them.
var hostile = []struct {
	name string
	conf HTTPConfig
	edit func(*Config)
	do   func(t *testing.T, s *site)
}{
	{name: "no token", do: func(t *testing.T, s *site) {
		r := s.want(request{token: "-", body: hello}, 401, "a token is needed", "Authorization: Bearer")
		if got := r.Header.Get("WWW-Authenticate"); got != `Bearer realm="emend"` {
			t.Errorf("WWW-Authenticate: %q", got)
		}
	}},
	{name: "wrong token", do: func(t *testing.T, s *site) {
		s.want(request{token: "Bearer " + testToken[:len(testToken)-1], body: hello}, 401, "the token is wrong")
		s.want(request{token: "Bearer " + testToken + "x", body: hello}, 401, "the token is wrong")
		s.want(request{token: "Bearer", body: hello}, 401, "the token is wrong")
	}},
	{name: "a server without a token lets nobody in", do: func(t *testing.T, s *site) {
		s.Token = ""
		defer func() { s.Token = testToken }()
		s.want(request{token: "Bearer ", body: hello}, 401)
	}},
	{name: "token in the query", do: func(t *testing.T, s *site) {
		s.want(request{token: "-", path: "/mcp?token=" + testToken + "&access_token=" + testToken, body: hello}, 401, "a token is needed")
	}},
	{name: "token by Basic", do: func(t *testing.T, s *site) {
		s.want(request{token: "Basic " + testToken, body: hello}, 401, "the token is wrong")
	}},
	{name: "two tokens", do: func(t *testing.T, s *site) {
		s.want(read.with("Authorization", "Bearer guess"), 401, "the token is wrong")
	}},
	{name: "origin null", do: func(t *testing.T, s *site) { s.want(read.with("Origin", "null"), 403, "Origin") }},
	{name: "origin of another site", do: func(t *testing.T, s *site) {
		s.want(read.with("Origin", "https://evil.example"), 403, "web pages are not answered")
	}},
	{name: "origin that looks like this machine", do: func(t *testing.T, s *site) {
		s.want(read.with("Origin", "https://localhost.evil.example"), 403)
		s.want(read.with("Origin", "http://"+s.at+".evil.example"), 403)
		s.want(read.with("Origin", "http://"+s.at+"@evil.example"), 403)
	}},
	{name: "origin of another port here", do: func(t *testing.T, s *site) { s.want(read.with("Origin", "http://127.0.0.1:1"), 403) }},
	{name: "origin on every method and address", do: func(t *testing.T, s *site) {
		for _, method := range []string{"GET", "HEAD", "DELETE", "OPTIONS", "PUT"} {
			for _, path := range []string{"/mcp", "/healthz", "/metrics", "/"} {
				s.want(request{method: method, path: path, head: []string{"Origin", "https://evil.example"}}, 403)
			}
		}
	}},
	{name: "preflight", do: func(t *testing.T, s *site) {
		r := s.want(request{method: "OPTIONS", token: "-", head: []string{"Origin", "https://evil.example", "Access-Control-Request-Method", "POST"}}, 403)
		for name := range r.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s is sent", name)
			}
		}
	}},
	{name: "host of another machine", do: func(t *testing.T, s *site) {
		s.want(read.with("Host", "evil.example"), 403, "Host header")
		s.want(read.with("Host", "localhost.evil.example:80"), 403, "Host header")
		s.want(request{method: "GET", path: "/healthz", token: "-", head: []string{"Host", "evil.example"}}, 403)
	}},
	{name: "fetch from another site", do: func(t *testing.T, s *site) {
		s.want(read.with("Sec-Fetch-Site", "cross-site"), 403, "another site")
		s.want(read.with("Sec-Fetch-Site", "same-site"), 403)
		s.want(read.with("Sec-Fetch-Site", "CROSS-SITE"), 403)
	}},
	{name: "stream without a session", do: func(t *testing.T, s *site) {
		s.want(request{method: "GET", head: []string{"Mcp-Protocol-Version", "2025-11-25"}}, 400, "Mcp-Session-Id")
	}},
	{name: "unknown session", do: func(t *testing.T, s *site) {
		s.want(old("AAAAAAAAAAAAAAAAAAAAAAAAAA", hello), 404, "session not found")
		s.want(request{method: "GET", head: []string{sessionHeader, "x"}}, 404)
		s.want(request{method: "DELETE", head: []string{sessionHeader, "x"}}, 404)
	}},
	{name: "guessed sessions", do: func(t *testing.T, s *site) {
		id := s.session()
		if len(id) < 26 {
			t.Errorf("the id %q has fewer than 128 bits", id)
		}
		for range 300 {
			s.want(old(rand.Text(), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 404)
		}
		s.want(old(id[:len(id)-1], `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 404)
	}},
	{name: "ending somebody else's session", do: func(t *testing.T, s *site) {
		id := s.session()
		s.want(request{method: "DELETE", token: "-", head: []string{sessionHeader, id}}, 401)
		s.want(request{method: "DELETE", token: "Bearer guess", head: []string{sessionHeader, id}}, 401)
		s.want(old(id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 200, "read_file")
	}},
	{name: "a session after its end", do: func(t *testing.T, s *site) {
		id := s.session()
		s.want(request{method: "DELETE", head: []string{sessionHeader, id}}, 204)
		s.want(old(id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 404)
		if n := s.sessions.count(); n != 0 {
			t.Errorf("%d sessions are kept", n)
		}
	}},
	{name: "wrong content type", do: func(t *testing.T, s *site) {
		s.want(read.with("Content-Type", "text/plain"), 415, "application/json")
		s.want(read.with("Content-Type", "application/x-www-form-urlencoded"), 415)
		s.want(old("", hello).with("Content-Type", ""), 415)
	}},
	{name: "wrong Accept", do: func(t *testing.T, s *site) {
		s.want(read.with("Accept", "text/html"), 400, "Accept")
		s.want(old("", hello).with("Accept", "application/json"), 400, "Accept")
	}},
	{name: "100 MB that are announced", do: func(t *testing.T, s *site) {
		r, body := s.raw(s.text("POST", "/mcp", "", "Content-Length", "104857600"))
		if r.StatusCode != 413 || !strings.Contains(body, "make several calls") {
			t.Errorf("code %d: %s", r.StatusCode, body)
		}
	}},
	{name: "100 MB that are not announced", conf: HTTPConfig{MaxBody: 1 << 20}, do: func(t *testing.T, s *site) {
		c := s.dial(s.text("POST", "/mcp", "", "Transfer-Encoding", "chunked"))
		go func() {
			chunk := "100000\r\n" + strings.Repeat("x", 1<<20) + "\r\n"
			for range 100 {
				if _, err := io.WriteString(c, chunk); err != nil {
					return
				}
			}
		}()
		if r, body := answer(t, bufio.NewReader(c)); r.StatusCode != 413 || !strings.Contains(body, "larger than 1048576 bytes") {
			t.Errorf("code %d: %s", r.StatusCode, body)
		}
		if n := s.metrics.received.Load(); n > 2<<20 {
			t.Errorf("%d bytes were read", n)
		}
	}},
	{name: "many large bodies at once", conf: HTTPConfig{MaxBody: 1 << 20, BodyWait: time.Millisecond}, do: func(t *testing.T, s *site) {
		var all []net.Conn
		for range 2 {
			all = append(all, s.dial(s.text("POST", "/mcp", "{", "Content-Length", "1048576")))
		}
		eventually(t, "they are in hand", func() bool { return s.memory.inUse() == 2*copiesOfBody<<20 })
		large := read
		large.body += strings.Repeat(" ", 1<<16)
		if r := s.want(large, 503, "too much is being sent at once"); r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		s.good() // a small one still fits
		for _, c := range all {
			c.Close()
		}
		eventually(t, "they are gone", func() bool { return s.memory.inUse() == 0 })
		s.want(large, 200)
	}},
	{name: "a large body waits for room", conf: HTTPConfig{MaxBody: 1 << 20, BodyWait: time.Minute}, do: func(t *testing.T, s *site) {
		first, second := s.dial(s.text("POST", "/mcp", "{", "Content-Length", "1048576")), s.dial(s.text("POST", "/mcp", "{", "Content-Length", "1048576"))
		eventually(t, "they are in hand", func() bool { return s.memory.inUse() == 2*copiesOfBody<<20 })
		time.AfterFunc(10*time.Millisecond, func() { first.Close() })
		large := read
		large.body += strings.Repeat(" ", 1<<16)
		s.want(large, 200)
		second.Close()
	}},
	{name: "calls that did not say how large they are", do: func(t *testing.T, s *site) {
		b := s.blocking()
		r := toolCall("block", `{}`)
		chunked := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(r.body), r.body)
		for range 8 {
			s.dial(s.text("POST", "/mcp", chunked, append(r.head, "Transfer-Encoding", "chunked")...))
			<-b.began
		}
		s.good()
		b.release()
	}},
	{name: "compressed body", do: func(t *testing.T, s *site) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		io.WriteString(z, read.body) //nolint:errcheck // writes to memory
		z.Close()
		s.want(request{body: b.String(), head: []string{"Content-Encoding", "gzip"}}, 415, "compressed")
	}},
	{name: "malformed JSON", do: func(t *testing.T, s *site) {
		for _, body := range []string{`{"jsonrpc":"2.0",`, `}{`, "\x00", "{}{}", `{"jsonrpc":"2.0","id":1,"method":"tools/list"`, "\xff\xfe{}"} {
			s.want(request{body: body, head: read.head}, 400, "not JSON")
			s.want(old("", body), 400, "not JSON")
		}
	}},
	{name: "JSON that is no message", do: func(t *testing.T, s *site) {
		for _, body := range []string{`1`, `"x"`, `null`, `{}`, `[]`, `{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`} {
			s.want(old("", body), 400)
			s.want(request{body: body, head: read.head}, 400)
		}
	}},
	{name: "empty body", do: func(t *testing.T, s *site) { s.want(old("", ""), 400, "non-empty body") }},
	{name: "batch", do: func(t *testing.T, s *site) {
		s.want(request{body: "[" + read.body + "," + read.body + "]", head: read.head}, 400, "batch is not taken")
		for _, version := range []string{"2025-11-25", "2025-03-26", ""} {
			s.want(old("", " ["+hello+","+hello+"]").with("Mcp-Protocol-Version", version), 400, "batch is not taken")
		}
	}},
	{name: "deep nesting", do: func(t *testing.T, s *site) {
		const deep = 1 << 20
		s.want(old("", strings.Repeat("[", deep)), 400, "nested too deeply")
		s.want(old("", strings.Repeat(`{"a":`, deep)+"1"+strings.Repeat("}", deep)), 400, "nested too deeply")
		s.want(toolCall("read_file", `{"path":`+strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+`}`), 400, "nesting depth")
		s.want(toolCall("read_file", `{"path":`+strings.Repeat("[", 900)+strings.Repeat("]", 900)+`}`), 200, "isError")
	}},
	{name: "millions of values", do: func(t *testing.T, s *site) {
		many := strings.Repeat("0,", maxValues) + "0"
		s.want(request{body: strings.Replace(read.body, `"_meta":{`, `"_meta":{"x":[`+many+`],`, 1), head: read.head}, 413, "values")
		s.want(toolCall("edit_file", `{"path":"a.txt","edits":[`+many+`]}`), 413, "values")
		s.want(toolCall("create_file", `{"path":"commas","content":"`+many+`"}`), 200)
	}},
	{name: "huge header", do: func(t *testing.T, s *site) {
		if r, _ := s.raw(s.text("POST", "/mcp", "", "X-Huge", strings.Repeat("x", 70<<10))); r.StatusCode != 431 {
			t.Errorf("code %d", r.StatusCode)
		}
	}},
	{name: "many headers", do: func(t *testing.T, s *site) {
		r, _ := s.raw(s.text("POST", "/mcp", "", "X-Many", strings.Repeat("x\r\nX-Many: ", 7000)))
		if r.StatusCode != 431 {
			t.Errorf("code %d", r.StatusCode)
		}
	}},
	{name: "a path that climbs", do: func(t *testing.T, s *site) {
		for _, path := range []string{"/mcp/../../etc/passwd", "/mcp/..", "/mcp/default/..", "/mcp/default/../../metrics", "//mcp", "/mcp/%2e%2e/", "/mcp/default/", "/mcp/default%00"} {
			if r, body := s.raw(s.text("GET", path, "")); r.StatusCode != 404 || !strings.Contains(body, "the server is at /mcp") {
				t.Errorf("%s: code %d: %s", path, r.StatusCode, body)
			}
		}
	}},
	{name: "unknown workspace", do: func(t *testing.T, s *site) {
		r := read
		r.path = "/mcp/other"
		s.want(r, 404, "/mcp/default")
	}},
	{name: "what is here is not told without a token", do: func(t *testing.T, s *site) {
		for _, path := range []string{"/", "/mcp/default", "/mcp/other", "/metrics", "/favicon.ico", "/debug/pprof/"} {
			s.want(request{method: "GET", path: path, token: "-"}, 401, "a token is needed")
		}
	}},
	{name: "revision that never was", do: func(t *testing.T, s *site) {
		s.want(old("", hello).with("Mcp-Protocol-Version", "2020-01-01"), 400, "Unsupported protocol version")
		s.want(old("", hello).with("Mcp-Protocol-Version", "../../x"), 400, "Unsupported protocol version")
	}},
	{name: "revision that is not yet", do: func(t *testing.T, s *site) {
		body := strings.ReplaceAll(read.body, "2026-07-28", "2099-01-01")
		s.want(request{body: body, head: read.head}.with("Mcp-Protocol-Version", "2099-01-01"), 400, "-32022")
	}},
	{name: "the header says another revision than the message", do: func(t *testing.T, s *site) {
		s.want(request{body: strings.ReplaceAll(read.body, "2026-07-28", "2025-11-25"), head: read.head}, 400, "-32020")
	}},
	{name: "a message of 2026 without the header", do: func(t *testing.T, s *site) {
		s.want(request{body: read.body}, 400, "-32020", "header is required")
	}},
	{name: "headers name another tool", do: func(t *testing.T, s *site) {
		s.want(read.with("Mcp-Name", "delete_file"), 400, "-32020")
		s.want(read.with("Mcp-Method", "tools/list"), 400, "-32020")
	}},
	{name: "Last-Event-ID on a message", do: func(t *testing.T, s *site) {
		s.want(old(s.session(), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`).with("Last-Event-ID", "x_1"), 400)
	}},
	{name: "half-open connections", conf: HTTPConfig{HeaderTimeout: 200 * time.Millisecond, BodyTimeout: 200 * time.Millisecond}, do: func(t *testing.T, s *site) {
		for i := range 60 {
			text := s.text("POST", "/mcp", `{"jsonrpc"`, "Content-Length", "500")
			c := s.dial(text[:len(text)*i/60])
			if i%2 == 0 {
				c.(*net.TCPConn).CloseWrite() //nolint:errcheck // it may be closed already
			}
		}
	}},
	{name: "slow header", conf: HTTPConfig{HeaderTimeout: 100 * time.Millisecond}, do: func(t *testing.T, s *site) {
		c := s.dial("POST /mcp HTTP/1.1\r\nHost: " + s.at + "\r\n")
		if b, err := io.ReadAll(c); err != nil {
			t.Errorf("the connection stays open: %v %q", err, b)
		}
	}},
	{name: "slow body", conf: HTTPConfig{BodyTimeout: 100 * time.Millisecond}, do: func(t *testing.T, s *site) {
		r, body := s.raw(s.text("POST", "/mcp", `{"jsonrpc"`, "Content-Length", "500"))
		if r.StatusCode != 408 || !strings.Contains(body, "did not come within") || !r.Close {
			t.Errorf("code %d, close %t: %s", r.StatusCode, r.Close, body)
		}
	}},
	{name: "bodies that are announced and do not come", conf: HTTPConfig{HeaderTimeout: 100 * time.Millisecond, BodyTimeout: 100 * time.Millisecond}, do: func(t *testing.T, s *site) {
		for _, length := range [][]string{{"Content-Length", "500"}, {"Transfer-Encoding", "chunked"}} {
			for _, text := range []string{
				strings.Replace(s.text("POST", "/mcp", "", length...), testToken, "guess", 1), s.text("POST", "/other", "", length...), s.text("DELETE", "/mcp", "", length...),
				s.text("GET", "/healthz", "", length...), strings.Replace(s.text("GET", "/healthz", "", length...), s.at, "evil.example", 1),
			} {
				c := s.dial(text)
				if b, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(b), "HTTP/1.1 ") {
					t.Errorf("%.20q: %.40q, and the connection stays open: %v", text, b, err)
				}
			}
		}
	}},
	{name: "body that is cut short", do: func(t *testing.T, s *site) {
		c := s.dial(s.text("POST", "/mcp", `{"jsonrpc"`, "Content-Length", "500"))
		c.(*net.TCPConn).CloseWrite() //nolint:errcheck // the answer shows it
		if r, body := answer(t, bufio.NewReader(c)); r.StatusCode != 400 || !strings.Contains(body, "cut short") {
			t.Errorf("code %d: %s", r.StatusCode, body)
		}
	}},
	{name: "slow reader", conf: HTTPConfig{WriteTimeout: 200 * time.Millisecond}, edit: nil, do: func(t *testing.T, s *site) {
		big := strings.Repeat("x", 24<<20)
		s.SDK().AddTool(&sdk.Tool{Name: "big", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: big}}}, nil
		})
		r := toolCall("big", `{}`)
		c := s.dial(s.text("POST", "/mcp", r.body, append(r.head, "Content-Length", strconv.Itoa(len(r.body)))...))
		// It is owed for a fifth of a second only: a slow machine may see it when it is given up already.
		eventually(t, "the answer is owed", func() bool { return s.calls.unsent.Load() > 24<<20 || s.metrics.sent.Load() > 0 })
		eventually(t, "the answer is given up", func() bool { return s.metrics.sent.Load() > 0 && s.calls.unsent.Load() == 0 })
		n, _ := io.Copy(io.Discard, c)
		if n >= 24<<20 {
			t.Errorf("all %d bytes came: nothing was slow", n)
		}
	}},
	{name: "HTTP/1.0", do: func(t *testing.T, s *site) {
		if r, body := s.raw("GET /healthz HTTP/1.0\r\n\r\n"); r.StatusCode != 403 || !strings.Contains(body, "Host") {
			t.Errorf("code %d: %s", r.StatusCode, body)
		}
		if r, body := s.raw("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"); r.StatusCode != 200 || body != "ok\n" {
			t.Errorf("code %d: %s", r.StatusCode, body)
		}
		s.raw("GET /healthz HTTP/0.9\r\n\r\n")
	}},
	{name: "no HTTP at all", do: func(t *testing.T, s *site) {
		for _, text := range []string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + strings.Repeat("\x00", 100) + "\r\n\r\n", hello + "\n\n", "\r\n\r\n\r\n"} {
			s.dial(text)
		}
		if r, _ := s.raw("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); r.StatusCode < 400 {
			t.Errorf("code %d", r.StatusCode)
		}
	}},
	{name: "pipelining", do: func(t *testing.T, s *site) {
		one := s.text("POST", "/mcp", read.body, append(read.head, "Content-Length", strconv.Itoa(len(read.body)))...)
		r := bufio.NewReader(s.dial(strings.Repeat(one, 20)))
		for i := range 20 {
			if resp, body := answer(t, r); resp.StatusCode != 200 || !strings.Contains(body, "hello of") {
				t.Fatalf("answer %d: code %d: %s", i, resp.StatusCode, body)
			}
		}
	}},
	{name: "two lengths", do: func(t *testing.T, s *site) {
		for _, head := range [][]string{{"Content-Length", "4", "Content-Length", "5"}, {"Content-Length", "-1"}, {"Content-Length", "99999999999999999999"},
			{"Transfer-Encoding", "chunked, gzip"}, {"Host", "evil.example"}} {
			if r, body := s.raw(s.text("POST", "/mcp", "1234", head...)); r.StatusCode != 400 && r.StatusCode != 501 {
				t.Errorf("%s: code %d: %s", head, r.StatusCode, body)
			}
		}
	}},
	{name: "a second request hidden in a body", do: func(t *testing.T, s *site) {
		inner := s.text("DELETE", "/mcp", "")
		c := s.dial(s.text("POST", "/mcp", "0\r\n\r\n"+inner, "Content-Length", strconv.Itoa(5+len(inner)), "Transfer-Encoding", "chunked"))
		r, _ := answer(t, bufio.NewReader(c))
		if r.StatusCode != 400 {
			t.Errorf("code %d", r.StatusCode)
		}
	}},
	{name: "methods that are not served", do: func(t *testing.T, s *site) {
		for _, method := range []string{"PUT", "PATCH", "TRACE", "HEAD", "PROPFIND", "OPTIONS"} {
			if r := s.want(request{method: method}, 405); !strings.Contains(r.Header.Get("Allow"), "POST") {
				t.Errorf("%s: Allow: %q", method, r.Header.Get("Allow"))
			}
			s.want(request{method: method, head: []string{"Mcp-Protocol-Version", "2026-07-28"}}, 405)
		}
		s.want(request{method: "POST", path: "/healthz"}, 405, "ask with GET")
		s.want(request{method: "DELETE", path: "/metrics"}, 405)
		if r, _ := s.raw("CONNECT example.com:443 HTTP/1.1\r\nHost: " + s.at + "\r\n\r\n"); r.StatusCode < 400 {
			t.Errorf("CONNECT: code %d", r.StatusCode)
		}
	}},
	{name: "1000 sessions beyond the cap", conf: HTTPConfig{MaxSessions: 10}, do: func(t *testing.T, s *site) {
		first := s.session()
		for range 1000 {
			s.want(old("", hello), 200)
		}
		if n := s.sessions.count(); n > 10 {
			t.Errorf("%d sessions are kept", n)
		}
		s.want(old(first, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 404)
		id := s.session()
		s.want(old(id, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`), 200)
		eventually(t, "the library has let go of the others", func() bool { return sessionsOf(s.SDK()) <= 10 })
	}},
	{name: "sessions that are all at work", conf: HTTPConfig{MaxSessions: 2}, do: func(t *testing.T, s *site) {
		b := s.blocking()
		for range 2 {
			b.in(old(s.session(), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"block"}}`))
		}
		if r := s.want(old("", hello), 503, "too many sessions", "--max-sessions"); r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		b.release()
		s.session()
	}},
	{name: "a session that nobody uses", conf: HTTPConfig{SessionIdle: 30 * time.Millisecond}, do: func(t *testing.T, s *site) {
		s.want(old("", hello), 200)
		eventually(t, "the session has ended", func() bool { return s.sessions.count() == 0 && sessionsOf(s.SDK()) == 0 })
	}},
	{name: "a flood of requests", conf: HTTPConfig{MaxRate: 5}, do: func(t *testing.T, s *site) {
		codes := map[int]int{}
		for range 30 {
			r, body := s.ask(read)
			codes[r.StatusCode]++
			if r.StatusCode == 429 && (r.Header.Get("Retry-After") == "" || !strings.Contains(body, "wait for one")) {
				t.Errorf("%v: %s", r.Header, body)
			}
		}
		if codes[200] < 10 || codes[429] == 0 {
			t.Errorf("%v", codes)
		}
		s.rate.Reset("127.0.0.1") // the second is over
	}},
	{name: "a flood without a token takes nothing from the others", conf: HTTPConfig{MaxRate: 5}, do: func(t *testing.T, s *site) {
		codes := map[int]int{}
		for range 30 {
			r, _ := s.ask(request{token: "Bearer guess"})
			codes[r.StatusCode]++
		}
		if codes[401] < 10 || codes[429] == 0 {
			t.Errorf("%v", codes)
		}
	}},
	{name: "a flood of calls", edit: func(c *Config) { c.MaxCalls = 1 }, do: func(t *testing.T, s *site) {
		b := s.blocking()
		for range 1 + waitingPerCall {
			b.in(toolCall("block", `{}`))
		}
		eventually(t, "all are in hand", func() bool { running, waiting := s.calls.counts(); return running == 1 && waiting == waitingPerCall })
		for range 50 {
			_, body := s.ask(read)
			if r := result(t, body); !r.IsError || !strings.Contains(r.Content[0].Text, "the server is busy") || !strings.Contains(r.Content[0].Text, "Call again") {
				t.Fatalf("%s", body)
			}
		}
		b.release()
	}},
	{name: "too many connections", conf: HTTPConfig{MaxConns: 8}, do: func(t *testing.T, s *site) {
		var all []net.Conn
		for range 8 {
			all = append(all, s.dial(""))
		}
		eventually(t, "the next one is turned away", func() bool {
			b := make([]byte, 1)
			c := s.dial("")
			defer c.Close()
			c.SetReadDeadline(time.Now().Add(100 * time.Millisecond)) //nolint:errcheck // a socket has deadlines
			_, err := c.Read(b)
			return err == io.EOF
		})
		for _, c := range all {
			c.Close()
		}
		eventually(t, "there is room again", func() bool {
			r, err := s.client().Do(s.new(request{method: "GET", path: "/healthz"}))
			if err == nil {
				r.Body.Close()
			}
			return err == nil
		})
	}},
	{name: "a panic in a tool", do: func(t *testing.T, s *site) {
		s.SDK().AddTool(&sdk.Tool{Name: "panics", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			panic("a secret")
		})
		_, body := s.ask(toolCall("panics", `{}`))
		if !strings.Contains(body, "a defect in emend") || strings.Contains(body, "a secret") {
			t.Error(body)
		}
		s.want(old(s.session(), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"panics"}}`), 200, "a defect in emend")
		if running, _ := s.calls.counts(); running != 0 {
			t.Errorf("%d calls are still in hand", running)
		}
	}},
	{name: "unknown tools and methods", do: func(t *testing.T, s *site) {
		s.want(toolCall("no_such_tool", `{}`), 400, "unknown tool")
		s.want(request{body: rpc("no/such", ""), head: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "no/such"}}, 404, "-32601")
	}},
	{name: "arguments of every wrong type", do: everyWrongType},
	{name: "one id for many calls", do: func(t *testing.T, s *site) {
		b := s.blocking()
		id := s.session()
		again := old(id, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"block"}}`)
		b.in(again)
		s.want(again, 400, "duplicate in-flight request ID")
		b.release()
	}},
	{name: "clients that leave in the middle", do: func(t *testing.T, s *site) {
		b := s.blocking()
		for range 20 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				if r, err := s.client().Do(s.new(toolCall("block", `{}`)).WithContext(ctx)); err == nil {
					r.Body.Close()
				}
			}()
			<-b.began
			cancel()
			<-done
		}
		eventually(t, "their calls have ended", func() bool { running, _ := s.calls.counts(); return running == 0 })
	}},
}

func TestHostileHTTP(t *testing.T) {
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			s := serve(t, tc.conf, tc.edit)
			tc.do(t, s)
			s.t = t
			s.good()
			s.want(old(s.session(), `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"a.txt"}}}`), 200, "hello of")
		})
	}
	t.Logf("%d hostile clients over HTTP; after each of them the server answered", len(hostile))
}

// everyWrongType calls every tool with values of every type in each of its fields, and with arguments that are no
// object.
func everyWrongType(t *testing.T, s *site) {
	values := []string{`null`, `true`, `-1`, `1.5`, `1e400`, `99999999999999999999`, `""`, `"x"`, `"\u0000"`, `"\ud800"`, `[]`, `[null]`, `[[]]`, `{}`, `{"a":{}}`}
	n := 0
	ask := func(tool, args string) {
		n++
		r, body := s.ask(toolCall(tool, args))
		if r.StatusCode != 200 && r.StatusCode != 400 {
			t.Errorf("%s %s: code %d: %s", tool, args, r.StatusCode, body)
		}
		if r.StatusCode == 200 && len(result(t, body).Content) == 0 {
			t.Errorf("%s %s: nothing is said: %s", tool, args, body)
		}
	}
	for _, tl := range s.profile().Tools {
		for _, v := range values {
			ask(tl.Name, v)
		}
		for field := range tl.Input().Properties {
			var args map[string]json.RawMessage
			if err := json.Unmarshal([]byte(tl.Example), &args); err != nil {
				t.Fatal(err)
			}
			for _, v := range values {
				args[field] = json.RawMessage(v)
				b, err := json.Marshal(args)
				if err != nil {
					b = []byte(`{"` + field + `":` + v + `}`)
				}
				ask(tl.Name, string(b))
			}
		}
	}
	t.Logf("%d calls of %d tools", n, len(s.profile().Tools))
}

// blocker is a tool that runs until it is released or its call is cancelled.
type blocker struct {
	s     *site
	began chan struct{}
	let   chan struct{}
	calls sync.WaitGroup
}

func (s *site) blocking() *blocker {
	b := &blocker{s: s, began: make(chan struct{}, 1000), let: make(chan struct{})}
	s.SDK().AddTool(&sdk.Tool{Name: "block", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		b.began <- struct{}{}
		select {
		case <-b.let:
		case <-ctx.Done():
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "blocked"}}}, nil
	})
	return b
}

// in sends a call that blocks, and returns when it runs or waits.
func (b *blocker) in(r request) {
	was, waiting := b.s.calls.counts()
	was += waiting
	b.calls.Go(func() { b.s.want(r, http.StatusOK, "blocked") })
	eventually(b.s.t, "the call is in hand", func() bool { running, waiting := b.s.calls.counts(); return running+waiting > was })
}

// release ends all blocked calls.
func (b *blocker) release() {
	close(b.let)
	b.calls.Wait()
}

func sessionsOf(s *sdk.Server) int {
	n := 0
	for range s.Sessions() {
		n++
	}
	return n
}
