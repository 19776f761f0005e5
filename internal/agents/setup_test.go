//go:build npm && linux

package agents

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each agent that emend setup configures reads and edits, and its own tools that change files are not offered to its model.
func TestSetup(t *testing.T) {
	for _, a := range []*agent{claudeCode, codexSearch, opencode, geminiCLI} {
		t.Run(slug(a), func(t *testing.T) {
			t.Parallel()
			p := install(t, a)
			before := p.asked(t, func(w *world) []string {
				return p.plug(w, server{command: []string{emendProgram, "serve", w.work}})
			})
			if n := before.offered(a.own); n != len(a.own) {
				t.Errorf("without emend setup the model is offered %d of %q: the test proves nothing", n, a.own)
			}
			after := p.asked(t, func(w *world) []string {
				w.run("setup", a.setup, "--write")
				return nil
			})
			left := after.offered(a.own)
			if (left > 0) != a.keeps {
				t.Errorf("after emend setup the model is offered %d of %q", left, a.own)
			}
			t.Logf("%s %s after emend setup: %d of its own %s offered; %d tools in all, %d before", a.name, p.version, left,
				strings.Join(a.own, ", "), len(after.turns[0].tools), len(before.turns[0].tools))
		})
	}
}

// asked lets an agent read and edit in a world of its own; plug is how it comes to know emend.
func (p program) asked(t *testing.T, plug func(w *world) (args []string)) *model {
	t.Helper()
	w := newWorld(t)
	w.env = append(w.env, "PATH="+w.named(p)+":"+path())
	m := w.model(short())
	w.env = append(w.env, p.base(w, m.url)...)
	args := plug(w)
	w.start(slices.Concat(p.command, p.ask(prompt), args)...)
	m.check(p.agent)
	want := maps.Clone(first)
	want["server.conf"] = strings.ReplaceAll(first["server.conf"], "3000", "4000")
	w.holds("afterwards", want)
	if len(m.turns) == 0 {
		t.Fatalf("the model was not asked: %s", w.said())
	}
	return m
}

// named is a directory in which the agent's program has the name under which people run it.
func (w *world) named(p program) string {
	dir := filepath.Join(w.root, "bin")
	if err := os.Mkdir(dir, 0o755); err != nil {
		w.Fatal(err)
	}
	program := p.command[len(p.command)-1]
	if err := os.Symlink(program, filepath.Join(dir, strings.TrimSuffix(filepath.Base(program), ".js"))); err != nil {
		w.Fatal(err)
	}
	return dir
}

// offered counts the tools that the model may call by any of those names, in any turn.
func (m *model) offered(names []string) (n int) {
	for _, name := range names {
		if slices.ContainsFunc(m.turns, func(s shown) bool { return slices.Contains(s.tools, name) }) {
			n++
		}
	}
	return n
}
