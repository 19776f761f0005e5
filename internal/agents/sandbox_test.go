//go:build npm && linux

package agents

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Codex cannot be told to offer no apply_patch of its own. In its read-only sandbox that tool is refused, and emend's work.
func TestCodexSandbox(t *testing.T) {
	t.Parallel()
	p := install(t, codexSearch)
	w := newWorld(t)
	script := append([]step{{does: "patches with Codex's own tool", tool: "apply_patch", own: twoFiles, want: []string{"rejected"}}}, short()...)
	script[2].call = edit(1, "port = 3000", "port = 4000")
	m := w.model(script)
	w.env = append(w.env, p.base(w, m.url)...)
	args := p.plug(w, server{command: []string{emendProgram, "serve", w.work}})
	w.start(slices.Concat(p.command, p.ask(prompt), args)...)
	m.check(p.agent)
	want := maps.Clone(first)
	want["server.conf"] = strings.ReplaceAll(first["server.conf"], "3000", "4000")
	w.holds("afterwards", want)
	t.Logf("%s %s in its read-only sandbox: its own apply_patch is refused (%.120q)", p.name, p.version, m.turns[len(m.turns)-1].results[0])
}
