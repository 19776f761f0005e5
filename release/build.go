package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is a system and a processor, in Go's names.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program is the name of the binary.
func (t target) program() string {
	if t.os == "windows" {
		return "emend.exe"
	}
	return "emend"
}

var allTargets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"linux", "riscv64"}, {"linux", "386"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

// pickTargets returns the targets in a list with commas, in their usual order; all for none.
func pickTargets(list string) ([]target, error) {
	if list == "" {
		return allTargets, nil
	}
	var out []target
	names := strings.Split(list, ",")
	for _, t := range allTargets {
		if i := slices.Index(names, t.String()); i >= 0 {
			out = append(out, t)
			names = slices.Delete(names, i, i+1)
		}
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("-targets has %q; the targets are %v", names[0], allTargets)
	}
	return out, nil
}

// commit identifies the source of a release.
type commit struct {
	hash string
	time time.Time
}

// binary is emend for one target.
type binary struct {
	target
	path string
	data []byte
	info *buildinfo.BuildInfo
}

// sourceDir returns the directory of emend's module, which is above this one.
func sourceDir(ctx context.Context) (string, error) {
	self, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}")
	return filepath.Dir(self), err
}

// findSource finds emend's module and the commit.
func (r *release) findSource(ctx context.Context) error {
	root, err := sourceDir(ctx)
	if err != nil {
		return err
	}
	r.root = root
	changed, err := output(ctx, root, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if changed != "" && !r.dirty {
		return fmt.Errorf("these files are not as they were committed; commit them, or say -dirty:\n%s", changed)
	}
	said, err := output(ctx, root, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return err
	}
	hash, seconds, _ := strings.Cut(said, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return err
	}
	if r.commit = (commit{hash, time.Unix(n, 0).UTC()}); changed != "" {
		r.commit.hash += "-dirty"
	}
	return nil
}

const module = "github.com/emend-dev/emend"

// buildTags leave out of Go's library what emend never reaches: its servers speak HTTP/1.1 only, and it is no client.
const buildTags = "nethttpomithttp2"

// build builds a binary for each target. They are static, and hold no path of this machine.
func (r *release) build(ctx context.Context) error {
	for _, t := range r.targets {
		if !r.quiet {
			fmt.Fprintln(os.Stderr, " ", t)
		}
		b, err := r.buildFor(ctx, t)
		if err != nil {
			return err
		}
		r.built = append(r.built, b)
	}
	return nil
}

func (r *release) buildFor(ctx context.Context, t target) (binary, error) {
	b := binary{target: t, path: filepath.Join(r.work, t.os+"-"+t.arch, t.program())}
	const in = " -X " + module + "/internal/version."
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-tags="+buildTags,
		"-buildvcs=false", // it says whether the tree is a worktree
		"-ldflags=-s -w"+in+"release="+r.version+in+"commit="+r.commit.hash, "-o", b.path, "./cmd/emend")
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if _, err := runCommand(cmd); err != nil {
		return b, err
	}
	var err error
	if b.data, err = os.ReadFile(b.path); err != nil {
		return b, err
	}
	b.info, err = buildinfo.Read(bytes.NewReader(b.data))
	return b, err
}

// host returns a binary that runs here.
func (r *release) host(ctx context.Context) (binary, error) {
	t := target{runtime.GOOS, runtime.GOARCH}
	if i := slices.IndexFunc(r.built, func(b binary) bool { return b.target == t }); i >= 0 {
		return r.built[i], nil
	}
	return r.buildFor(ctx, t)
}

// output returns what a command prints, without its last newline.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := runCommand(cmd)
	return strings.TrimSuffix(string(out), "\n"), err
}

// runCommand returns what a command prints. An error has what it said.
func runCommand(cmd *exec.Cmd) ([]byte, error) {
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		text := cmp.Or(string(bytes.TrimSpace(said.Bytes())), string(out))
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, text)
	}
	return out, nil
}
