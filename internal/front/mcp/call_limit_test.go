package mcp

import (
	"context"
	"strings"
	"testing"
)

// TestWaiting checks that a call that is cancelled while it waits gives its place back.
func TestWaiting(t *testing.T) {
	l := newCallLimit(1)
	leave, err := l.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.enter(ctx); err == nil || !strings.Contains(err.Error(), "cancelled while it waited") {
		t.Errorf("%v", err)
	}
	if running, waiting := l.counts(); running != 1 || waiting != 0 {
		t.Errorf("%d run and %d wait", running, waiting)
	}
	leave()
	if running, waiting := l.counts(); running != 0 || waiting != 0 {
		t.Errorf("%d run and %d wait", running, waiting)
	}
}

// TestOwed checks that no call begins while too many bytes of answers are unread.
func TestOwed(t *testing.T) {
	s := serve(t, HTTPConfig{}, nil)
	s.calls.unsent.Store(maxUnsent + 1)
	if _, body := s.ask(read); !strings.Contains(body, "answers are not read") || !result(t, body).IsError {
		t.Error(body)
	}
	s.want(readResource, 200, `"code":-32000`, "answers are not read")
	s.calls.unsent.Store(0)
	s.good()
	s.want(readResource, 200, "hello of")
	if n := s.calls.unsent.Load(); n != 0 {
		t.Errorf("%d bytes are owed, and all are read", n)
	}
}

var readResource = request{body: rpc("resources/read", `"uri":"emend://file/a.txt"`),
	head: []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "resources/read", "Mcp-Name", "emend://file/a.txt"}}

// TestResourcesWait checks that reads of resources are limited like tool calls.
func TestResourcesWait(t *testing.T) {
	s := serve(t, HTTPConfig{}, func(c *Config) { c.MaxCalls = 1 })
	b := s.blocking()
	b.in(toolCall("block", `{}`))
	b.calls.Go(func() { s.want(readResource, 200, "hello of") })
	eventually(t, "it waits", func() bool { _, waiting := s.calls.counts(); return waiting == 1 })
	b.release()
}
