//go:build linux

package scenes

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/cli"
)

// roleVar makes this test binary act as another program: emend itself, or a process of a scene.
const roleVar = "EMEND_SCENES_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "emend":
		code := cli.Main()
		peak()
		os.Exit(code)
	case "worker":
		os.Exit(workerMain())
	case "counter":
		os.Exit(countMain())
	}
	os.Exit(m.Run())
}

// number returns the value of an environment variable, or def.
func number(t *testing.T, name string, def int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		t.Fatalf("%s=%s is no number", name, s)
	}
	return n
}

func seed(t *testing.T) uint64 { return uint64(number(t, "EMEND_SCENES_SEED", 1)) }

// workspace creates an empty workspace with a mark that makes it a root, whatever is above it.
func workspace(t *testing.T, options ...emend.Option) *emend.Workspace {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	ws, err := emend.Open(dir, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

func write(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func envelope(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// said is the output of emend, and its exit code.
type said struct {
	stdout, stderr string
	code           int
}

// run runs emend in dir as a process.
func run(t *testing.T, dir, stdin string, args ...string) said {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), roleVar+"=emend", "NO_COLOR=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return said{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
