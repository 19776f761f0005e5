//go:build unix

package siege

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/emend-dev/emend/internal/front/cli"
)

// roleVar makes this test binary act as emend.
const roleVar = "EMEND_SIEGE_ROLE"

func TestMain(m *testing.M) {
	if os.Getenv(roleVar) == "emend" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// emend returns a command that runs the program, with the settings below home only.
func emend(home string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{roleVar + "=emend", "HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "PATH=" + os.Getenv("PATH"),
		"GORACE=halt_on_error=1"}
	return cmd
}

// run runs the program to its end and returns its output.
func run(t *testing.T, home string, args ...string) []byte {
	t.Helper()
	var out, said bytes.Buffer
	cmd := emend(home, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("emend %q: %v\n%.2000s%.2000s", args, err, said.Bytes(), out.Bytes())
	}
	return out.Bytes()
}

// number returns the value of an environment variable, or def.
func number(t *testing.T, name string, def int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s is no number above 0", name, s)
	}
	return n
}

// status returns the exit code of a program.
func status(err error) int {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return e.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}
