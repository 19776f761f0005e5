//go:build npm && linux

package agents

import (
	"slices"
	"testing"
)

// TestCodexSandbox: Codex always offers its own apply_patch. In its read-only sandbox that tool must be refused, and emend's
// must work.
func TestCodexSandbox(t *testing.T) {
	t.Parallel()
	p := install(t, codexSearch)
	w := newWorld(t)
	m := w.play(p, []step{
		{does: "patches with Codex's own tool", tool: "apply_patch", own: twoFiles, want: []string{"rejected"}},
		{does: "reads", tool: "read_file", call: always(object{"path": "server.conf"}), want: []string{"port = 3000"}},
		{does: "edits with the hash", tool: "edit_file", call: edit(1, "port = 3000", "port = 4000"), want: []string{"Edited server.conf"}},
	}, w.stdio(p))
	w.holds("afterwards", edited)
	t.Logf("%s %s in its read-only sandbox: its own apply_patch is refused: %.120q", p.name, p.version, m.seen()[0])
}

// TestCodexAsks: without approval Codex reads through emend and does not edit, by the annotations of the tools.
func TestCodexAsks(t *testing.T) {
	t.Parallel()
	cautious := *codex
	cautious.refused = "content" // Codex writes the refusal itself
	cautious.ask = func(prompt string) []string {
		return slices.DeleteFunc(codex.ask(prompt), func(arg string) bool { return arg == "-c" || arg == approved })
	}
	p := install(t, &cautious)
	w := newWorld(t)
	script := short()
	script[1].refused, script[1].want = true, []string{"requires approval"}
	m := w.play(p, script, w.stdio(p))
	w.holds("afterwards", first)
	t.Logf("%s %s without leave reads, and of an edit says: %.120q", p.name, p.version, m.seen()[1])
}
