//go:build npm && linux

package agents

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// emendProgram is what the agents run.
var emendProgram string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agents")
	if err != nil {
		panic(err)
	}
	emendProgram = filepath.Join(dir, "emend")
	if out, err := exec.Command("go", "build", "-o", emendProgram, "../../cmd/emend").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n", out)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

const prompt = "Do what the script says."

// Each agent does the whole story over standard input and output, and undo takes all of it back.
func TestStory(t *testing.T) {
	for _, a := range agents {
		t.Run(slug(a), func(t *testing.T) {
			t.Parallel()
			p := install(t, a)
			w := newWorld(t)
			m := w.model(story(w.person))
			w.env = append(w.env, a.base(w, m.url)...)
			args := a.plug(w, server{command: w.tapped(emendProgram, "serve", w.work)})
			took := w.start(append(append(p.command, a.ask(prompt)...), args...)...)
			m.check(a)
			w.holds("afterwards", last)
			session := w.recorded(p)
			t.Logf("%s %s: speaks %s; shows its model %s, of a refusal %s; %d turns%s; %.1f s", a.name, p.version, w.revision(),
				a.told, a.refused, len(m.turns), m.aside(), took.Seconds())
			w.takeBack(session)
		})
	}
}

func slug(a *agent) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(a.name))
}

// model starts a model for this account. All ways out of this machine lead to it.
func (w *world) model(script []step) *model {
	dir := filepath.Join(w.root, "model")
	m := &model{t: w.TB, script: script, sought: map[string]bool{}, keep: func(name string, data []byte) { w.write(filepath.Join(dir, name), string(data)) }}
	m.url = m.serve()
	w.env = append(w.env, "HTTP_PROXY="+m.url, "HTTPS_PROXY="+m.url, "http_proxy="+m.url, "https_proxy="+m.url,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	return m
}

// tapped is a command whose two streams are written down.
func (w *world) tapped(command ...string) []string {
	in, out := filepath.Join(w.root, "wire-in"), filepath.Join(w.root, "wire-out")
	return append([]string{"/bin/sh", "-c", `in=$1 out=$2; shift 2; tee -a "$in" | "$@" | tee -a "$out"`, "sh", in, out}, command...)
}
