package sweep

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emend-dev/emend/proof/product"
)

// program is emend, and how to run it.
type program struct {
	path  string
	env   []string
	front []string            // a program that runs it
	flags []string            // before every verb
	user  *syscall.Credential // nil: as the test
}

var (
	buildDir  = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "emend-sweep-") })
	buildOnce = map[string]func() (string, error){
		"":        sync.OnceValues(func() (string, error) { return build("") }),
		"planted": sync.OnceValues(func() (string, error) { return build("planted") }),
	}
)

// build builds emend, without the race detector even if the test has it.
func build(tags string) (string, error) {
	dir, err := buildDir()
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "emend"+tags)
	return out, product.Build(context.Background(), out, "-tags", tags)
}

// newProgram returns emend, with a planted bug if one is named.
func newProgram(t *testing.T, bug string) program {
	t.Helper()
	bug = cmp.Or(bug, setting("BUG", ""))
	tags := ""
	if bug != "" {
		tags = "planted"
	}
	path, err := setting("EMEND", ""), error(nil)
	if path == "" || bug != "" && os.Getenv(namespaceVar) == "" {
		path, err = buildOnce[tags]()
	}
	if err != nil {
		t.Fatalf("build emend: %v", err)
	}
	home := t.TempDir()
	return program{path: path, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home,
		"XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home, "EMEND_PLANT=" + bug}}
}

// command returns a command that runs the program in dir.
func (p program) command(dir string, args ...string) Command {
	return Command{Path: p.path, Args: slices.Concat(p.flags, args), Env: p.env, Dir: dir, Under: dir, Limit: time.Minute}
}

// said is the result of an untraced run.
type said struct {
	exit int
	text string // both streams
}

// run runs the program untraced and returns its output.
func (p program) run(dir string, args ...string) said {
	r := p.result(dir, args...)
	return said{r.Exit, r.Out + r.ErrText}
}

// result runs the program untraced and returns how it ended.
func (p program) result(dir string, args ...string) Result {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	args = slices.Concat(p.flags, args)
	cmd := exec.CommandContext(ctx, p.path, args...)
	if len(p.front) > 0 {
		cmd = exec.CommandContext(ctx, p.front[0], slices.Concat(p.front[1:], []string{p.path}, args)...)
	}
	var out, errText bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, p.env, &out, &errText
	if p.user != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.user}
	}
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return Result{Exit: -1, ErrText: err.Error()}
	}
	r := Result{Exit: cmd.ProcessState.ExitCode(), Out: out.String(), ErrText: errText.String(), Hung: ctx.Err() != nil}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		r.Signal = status.Signal()
	}
	return r
}
