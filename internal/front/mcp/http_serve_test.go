package mcp

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestStopping checks that a stopping server says so to health checks and new calls, and answers the calls in hand.
func TestStopping(t *testing.T) {
	s := serve(t, HTTPConfig{Grace: time.Minute}, nil)
	b := s.blocking()
	session := s.session()
	b.in(toolCall("block", `{}`))
	b.in(old(session, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"block"}}`))
	listening := s.listen(session)

	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	eventually(t, "/healthz says so", func() bool {
		r, body := s.ask(request{method: "GET", path: "/healthz"})
		return r.StatusCode == 503 && strings.Contains(body, "the server is stopping")
	})
	s.want(read, 503, "the server is stopping")
	s.want(old(session, `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`), 503, "the server is stopping")
	select {
	case err := <-stopped:
		t.Fatalf("it stopped (%v) with calls in hand", err)
	case <-time.After(20 * time.Millisecond):
	}
	b.release() // checks both answers
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if err := <-listening; err != nil {
		t.Errorf("the stream that only listened was cut off: %v", err)
	}
	if _, err := http.Get("http://" + s.at + "/healthz"); err == nil {
		t.Error("it still answers")
	}
}

// listen opens the stream of a session. The channel receives how it ended.
func (s *site) listen(session string) <-chan error {
	s.t.Helper()
	resp, err := (&http.Client{Transport: &http.Transport{}}).Do(s.new(request{method: "GET", head: []string{sessionHeader, session, "Mcp-Protocol-Version", "2025-11-25"}}))
	if err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("%v %v", resp, err)
	}
	ended := make(chan error, 1)
	go func() {
		defer resp.Body.Close()
		_, err := io.Copy(io.Discard, resp.Body)
		ended <- err
	}()
	return ended
}

// TestLastAnswers checks that the answer of a finished call reaches the client, even if the server ends right after
// it.
func TestLastAnswers(t *testing.T) {
	for range 20 {
		s := serve(t, HTTPConfig{Grace: time.Minute}, nil)
		b := s.blocking()
		session := s.session()
		for i := range 16 {
			b.in(toolCall("block", `{}`))
			b.in(old(session, `{"jsonrpc":"2.0","id":`+strconv.Itoa(10+i)+`,"method":"tools/call","params":{"name":"block"}}`))
		}
		stopped := make(chan error, 1)
		go func() { stopped <- s.stop() }()
		eventually(t, "it stops", s.draining.Load)
		b.release() // checks every answer
		if err := <-stopped; err != nil {
			t.Fatal(err)
		}
	}
}

// TestGrace checks that calls that outlast the grace period are cancelled and answered, and that the server waits for
// one that must finish.
func TestGrace(t *testing.T) {
	s := serve(t, HTTPConfig{Grace: 10 * time.Millisecond}, nil)
	var order []string
	var mu sync.Mutex
	say := func(what string) { mu.Lock(); order = append(order, what); mu.Unlock() }
	began := make(chan struct{})
	s.SDK().AddTool(&sdk.Tool{Name: "commit", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		close(began)
		<-ctx.Done()
		say("cancelled")
		<-time.After(50 * time.Millisecond) // a commit in progress ignores ctx
		say("finished")
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "committed"}}}, nil
	})
	answered := make(chan string, 1)
	go func() {
		_, body := s.ask(toolCall("commit", `{}`))
		answered <- body
	}()
	<-began
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	say("stopped")
	if body := <-answered; !strings.Contains(body, "committed") {
		t.Errorf("the answer was lost: %s", body)
	}
	if got := strings.Join(order, " "); got != "cancelled finished stopped" {
		t.Errorf("the order was: %s", got)
	}
}

// TestNoCallsAfterTheEnd checks that over every transport, a call after the end is told so.
func TestNoCallsAfterTheEnd(t *testing.T) {
	l := newCallLimit(1)
	leave, err := l.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	idle := l.close()
	select {
	case <-idle:
		t.Error("idle with a call in hand")
	default:
	}
	if _, err := l.enter(t.Context()); err == nil || !strings.Contains(err.Error(), "is stopping") {
		t.Errorf("a call came in: %v", err)
	}
	leave()
	<-idle
	<-l.close()
}
