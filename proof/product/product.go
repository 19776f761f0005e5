// Package product builds emend for the proofs and benchmarks: in its own module, with the versions of its own go.mod, whichever
// module the caller belongs to.
package product

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Dir returns the root directory of emend's module. The working directory must be below a module that requires it.
func Dir(ctx context.Context) (string, error) {
	out, err := run(exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/emend-dev/emend"))
	return strings.TrimSpace(string(out)), err
}

// Build builds cmd/emend to the file out. Flags are those of go build.
func Build(ctx context.Context, out string, flags ...string) error {
	return build(ctx, out, os.Environ(), flags)
}

// BuildRelease builds cmd/emend to the file out as a release is built.
func BuildRelease(ctx context.Context, out string) error {
	return build(ctx, out, append(os.Environ(), "CGO_ENABLED=0"), []string{"-trimpath", "-ldflags", "-s -w"})
}

func build(ctx context.Context, out string, env, flags []string) error {
	dir, err := Dir(ctx)
	if err != nil {
		return err
	}
	if out, err = filepath.Abs(out); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", append(append([]string{"build", "-o", out}, flags...), "./cmd/emend")...)
	cmd.Dir, cmd.Env = dir, env
	_, err = run(cmd)
	return err
}

// run returns the standard output of cmd. An error has what it said.
func run(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(said.Bytes()))
	}
	return out, err
}
