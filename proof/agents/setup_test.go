//go:build npm && linux

package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetup has each agent that emend setup configures read and edit. Its own tools that change files must not be offered;
// TestStory shows that they are offered without the setup.
func TestSetup(t *testing.T) {
	for _, a := range []*agent{claudeCode, codexSearch, opencode, geminiCLI} {
		t.Run(slug(a), func(t *testing.T) {
			t.Parallel()
			p := install(t, a)
			w := newWorld(t)
			w.env = append(w.env, "PATH="+w.named(p)+":"+path())
			m := w.play(p, short(), func() []string {
				w.run("setup", a.setup, "--write")
				return nil
			})
			w.holds("afterwards", edited)
			left := m.offered(a.own)
			if (len(left) > 0) != a.keeps {
				t.Errorf("after emend setup the model is offered %q", left)
			}
			t.Logf("%s %s after emend setup: of %q offered: %q; %.1f s", a.name, p.version, a.own, left, m.took.Seconds())
		})
	}
}

// named returns a directory in which the agent's program has its usual name.
func (w *account) named(p program) string {
	w.Helper()
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
