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

// agent is a coding agent that people use.
type agent struct {
	name    string
	lock    string   // the directory that says what npm is to fetch
	pkg     string   // the package that has its version
	program []string // what runs it, below node_modules; a pattern
	node    bool     // the program is a script
	setup   string   // what emend setup calls it
	// own are the agent's own tools that change files.
	own []string
	// keeps says that it has no way to do without its own tools.
	keeps bool
	// client is what it calls itself towards a server.
	client string
	// callID is a pattern of the names that it gives to calls towards a server, where it has such: N is the number of the step.
	callID string
	// session is a pattern of a file below the HOME that tells what it calls its session, ID, where a server is told too.
	session string
	// told is which part of a result it shows its model where a result has both, refused the same of a refusal.
	told, refused string
	// base writes what it needs to talk to a model at url, and returns its environment.
	base func(w *world, url string) []string
	// plug writes how it reaches emend; where it takes arguments for that, it returns them.
	plug func(w *world, s server) []string
	// ask is the command line that gives it something to do.
	ask func(prompt string) []string
}

// server is how emend is reached: by a command, or at an address with a token.
type server struct {
	command []string
	url     string
	token   string
}

var agents = []*agent{claudeCode, claudeSearch, codex, codexSearch, codexCode, opencode, geminiCLI}

// program is an agent that is installed here.
type program struct {
	*agent
	version string
	command []string
}

// install fetches an agent, or skips the test and says why.
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

// tried is what came of running a program for the first time: a func() error for each command.
var tried sync.Map

// runs tells whether a program runs on this machine at all.
func (p program) runs(t *testing.T) error {
	try := sync.OnceValue(func() error {
		home := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
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
