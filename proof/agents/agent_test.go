//go:build npm && linux

package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emend-dev/emend/proof/npm"
)

// agent is a coding agent.
type agent struct {
	name    string
	lock    string   // lock directory for npm
	pkg     string   // the package whose version is shown
	program []string // path below node_modules, as a pattern
	node    bool     // the program is a script for Node
	setup   string   // its name for emend setup
	// own lists the agent's own tools that change files.
	own []string
	// keeps: its own tools cannot be disabled.
	keeps bool
	// client is the name that it sends to a server.
	client string
	// callID is a pattern of the ids of its calls, if it sends any. N is the number of the step.
	callID string
	// session is a pattern for a file below the HOME whose name has its session, ID, if it sends one.
	session string
	// told is the part of a result that its model sees if a result has both. refused is the same for a refusal.
	told, refused string
	// base writes the configuration for a model at url, and returns the environment.
	base func(w *account, url string) []string
	// plug writes the configuration for emend. It may return additional arguments.
	plug func(w *account, s server) []string
	// ask returns the arguments that give it a prompt.
	ask func(prompt string) []string
}

// server is a command, or an address with a token.
type server struct {
	command []string
	url     string
	token   string
}

var agents = []*agent{claudeCode, claudeSearch, codex, codexSearch, codexCode, opencode, geminiCLI}

// program is an installed agent.
type program struct {
	*agent
	version string
	command []string
}

// install installs an agent, or skips the test with the reason.
func install(t *testing.T, a *agent) program {
	t.Helper()
	dir, err := npm.Install(t.Context(), a.lock)
	if err != nil {
		t.Skipf("NOT RUN: %s: %v", a.name, err)
	}
	modules := filepath.Join(dir, "node_modules")
	var found []string
	for _, pattern := range a.program {
		more, _ := filepath.Glob(filepath.Join(modules, filepath.FromSlash(pattern)))
		found = append(found, more...)
	}
	if len(found) == 0 {
		t.Skipf("NOT RUN: %s: the package has no program for this machine", a.name)
	}
	p := program{agent: a, version: version(t, filepath.Join(modules, filepath.FromSlash(a.pkg))), command: found[:1]}
	if a.node {
		p.command = []string{"node", found[0]}
	}
	if err := p.runs(t); err != nil {
		t.Skipf("NOT RUN: %s: %v", a.name, err)
	}
	return p
}

// tried holds the result of the first run of each program: a func() error by command.
var tried sync.Map

// runs reports whether a program runs on this machine.
func (p program) runs(t *testing.T) error {
	try := sync.OnceValue(func() error {
		home := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
		defer cancel()
		cmd := exec.CommandContext(ctx, p.command[0], slices.Concat(p.command[1:], []string{"--version"})...)
		cmd.Dir, cmd.Env = home, []string{"HOME=" + home, "TMPDIR=" + home, "PATH=" + path()}
		out, err := cmd.CombinedOutput()
		if err == nil && !strings.Contains(string(out), p.version) {
			err = errors.New("it does not say that it is version " + p.version)
		}
		if err != nil {
			return fmt.Errorf("its program does not run here: %w: %.200q", err, out)
		}
		return nil
	})
	once, _ := tried.LoadOrStore(p.command[len(p.command)-1], try)
	return once.(func() error)()
}

func version(t *testing.T, dir string) string {
	t.Helper()
	var in struct{ Version string }
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err != nil {
		t.Fatal(err)
	}
	return in.Version
}
