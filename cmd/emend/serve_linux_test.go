package main

import (
	"strings"
	"testing"
)

// TestServeByHand: who starts it at a terminal is told what it waits for, on standard error alone.
func TestServeByHand(t *testing.T) {
	p := person{dir: workspace(t, nil), types: "\x04"}
	got := p.run(t, "serve")
	if got.code != 0 || got.out != "" || !strings.Contains(got.err, "waiting for an MCP client on standard input") || !strings.Contains(got.err, "emend setup") {
		t.Errorf("%+v", got)
	}
	if got := p.run(t, "serve", "--quiet"); got.code != 0 || got.out != "" || strings.Contains(got.err, "waiting") {
		t.Errorf("--quiet: %+v", got)
	}
}
