//go:build npm && linux

package agents

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/proof/product"
)

// emendProgram is the path of emend.
var emendProgram string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agents")
	if err != nil {
		panic(err)
	}
	emendProgram = filepath.Join(dir, "emend")
	if err := product.Build(context.Background(), emendProgram); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestStory has each agent do the whole story over standard input and output. Then undo must undo all of it.
func TestStory(t *testing.T) {
	for _, a := range agents {
		t.Run(slug(a), func(t *testing.T) {
			t.Parallel()
			p := install(t, a)
			w := newWorld(t)
			m := w.play(p, story(w.person), w.stdio(p))
			w.holds("afterwards", last)
			if own := m.offered(a.own); len(own) != len(a.own) {
				t.Errorf("of its own tools %q the model is offered %q: TestSetup would prove nothing", a.own, own)
			}
			m.checkOffered()
			session := w.recorded(p, records)
			w.dialects()
			t.Logf("%s %s: speaks %s; shows its model %s, of a refusal %s; %d turns%s; %.1f s", a.name, p.version, w.revision(),
				a.told, a.refused, len(m.turns), m.otherRequests(), m.took.Seconds())
			w.undoSession(session)
			documented(t, fmt.Sprintf("\n| %s | %s | %s | %s | %s |", a.name, p.version, w.revision(), a.told, a.refused))
		})
	}
}

// documented checks that docs/agents.md has a row for what was seen.
func documented(t *testing.T, row string) {
	t.Helper()
	doc, err := os.ReadFile("../../docs/agents.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), row) {
		t.Errorf("docs/agents.md has no row that begins with %q", row)
	}
}

func slug(a *agent) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(a.name))
}

// play has an agent go through a script. Once it has its model, plug tells it how to reach emend and returns additional
// arguments.
func (w *account) play(p program, script []step, plug func() []string) *model {
	w.Helper()
	m := w.model(script)
	w.env = append(w.env, p.base(w, m.url)...)
	args := plug()
	m.took = w.start(slices.Concat(p.command, p.ask("Do what the script says."), args)...)
	m.check(p.agent)
	return m
}

// stdio has an agent start emend itself.
func (w *account) stdio(p program) func() []string {
	return func() []string { return p.plug(w, server{command: w.recordStreams(emendProgram, "serve", w.work)}) }
}

// model starts a model for this account. All traffic to other hosts goes to it.
func (w *account) model(script []step) *model {
	w.Helper()
	dir := filepath.Join(w.root, "model")
	m := &model{t: w.TB, script: script, sought: map[string]bool{}}
	m.keep = func(name string, data []byte) { w.write(filepath.Join(dir, name), string(data)) }
	m.url = m.serve()
	w.env = append(w.env, "HTTP_PROXY="+m.url, "HTTPS_PROXY="+m.url, "http_proxy="+m.url, "https_proxy="+m.url,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	return m
}
