package mcp

import (
	"bufio"
	"context"
	"io"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEndWhileAsked checks that a client can end its session at once, even while a person is asked.
func TestEndWhileAsked(t *testing.T) {
	policy, _ := policed(t)
	s := serve(t, HTTPConfig{}, func(c *Config) { c.Workspaces = policy.Workspaces })
	id := s.want(old("", strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1)), 200).Header.Get(sessionHeader)
	s.want(old(id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`), 202)
	resp, err := s.client().Do(s.new(old(id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":"secret"}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answers := bufio.NewReader(resp.Body)
	for line := ""; !strings.Contains(line, "elicitation/create"); { // the client has the question
		if line, err = answers.ReadString('\n'); err != nil {
			t.Fatalf("%v, before the person was asked", err)
		}
	}
	s.want(request{method: "DELETE", head: []string{sessionHeader, "another", "Mcp-Protocol-Version", "2025-11-25"}}, 404)
	if n := len(s.askSlots); n != 1 {
		t.Errorf("%d questions wait when another session ends", n)
	}
	from := time.Now()
	s.want(request{method: "DELETE", head: []string{sessionHeader, id, "Mcp-Protocol-Version", "2025-11-25"}}, 204)
	if _, err := io.Copy(io.Discard, answers); err != nil {
		t.Error(err)
	}
	if took := time.Since(from); took > answerTime/100 || len(s.askSlots) != 0 {
		t.Errorf("it took %v, and %d questions wait", took, len(s.askSlots))
	}
}

// TestNobodyHearsOfASession checks that a session ends if its client left before it was told the id.
func TestNobodyHearsOfASession(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	s.SDK().AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			r, err := next(ctx, method, req)
			if method == "initialize" {
				leave()
				<-left
			}
			return r, err
		}
	})
	s.ServeHTTP(httptest.NewRecorder(), s.new(old("", hello)).WithContext(ctx))
	close(left)
	eventually(t, "the session has ended", func() bool { return sessionsOf(s.SDK()) == 0 })
	if n := s.sessions.count(); n != 0 || s.sessions.opening != 0 {
		t.Errorf("%d sessions are kept, and %d come", n, s.sessions.opening)
	}
	s.good()
}
