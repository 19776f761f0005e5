package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/proof/npm"
	"github.com/emend-dev/emend/proof/product"
)

// program is a program that is measured, or why it is missing.
type program struct {
	name, path, version, why string
}

// programs are all programs that are measured.
type programs struct {
	emend, rg, fd, patch, git, strace, codex, node, filesystem, sha256sum program
	launch, hash                                                          string // built from this module
}

// all returns the programs that are not built here.
func (p *programs) all() []*program {
	return []*program{&p.rg, &p.fd, &p.patch, &p.git, &p.codex, &p.node, &p.filesystem, &p.sha256sum, &p.strace}
}

// find builds emend as a release is built, and finds or installs the others.
func find(ctx context.Context, scratch string) (*programs, error) {
	p := &programs{launch: filepath.Join(scratch, "launch"), hash: filepath.Join(scratch, "hash"),
		emend: program{name: "emend", path: filepath.Join(scratch, "emend")}}
	if err := product.BuildRelease(ctx, p.emend.path); err != nil {
		return nil, err
	}
	for path, pkg := range map[string]string{p.launch: "launch", p.hash: "hash"} {
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/emend-dev/emend/bench/"+pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := build.CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("go build %s, which has to run in the module of the benchmarks: %w: %s", pkg, err, out)
		}
	}
	p.rg = debian(ctx, "rg", "ripgrep")
	p.fd = debian(ctx, "fd", "fd-find")
	p.patch = debian(ctx, "patch", "patch")
	p.git = debian(ctx, "git", "git")
	p.strace = debian(ctx, "strace", "strace")
	p.sha256sum = debian(ctx, "sha256sum", "coreutils")
	p.node = system(ctx, "node")
	p.codex = packaged(ctx, "codex", "../proof/oracle/testdata/codex", "@openai/codex", "@openai/codex-*/vendor/*/bin/codex")
	p.filesystem = packaged(ctx, "server-filesystem", "mcp/packages", theirs, theirs+"/dist/index.js")
	return p, p.codex.as("apply_patch", scratch)
}

// as renames a program by a link: Codex's program applies patches only under that name.
func (p *program) as(name, scratch string) error {
	if p.why != "" {
		return nil
	}
	link := filepath.Join(scratch, name)
	err := os.Symlink(p.path, link)
	p.name, p.path = name, link
	return err
}

// theirs is the filesystem server of the protocol's authors.
const theirs = "@modelcontextprotocol/server-filesystem"

// debian finds a program. If it is missing, and this process is root, its package is installed.
func debian(ctx context.Context, name, pkg string) program {
	p := system(ctx, name)
	if p.why == "" || os.Geteuid() != 0 {
		return p
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return p
	}
	for _, args := range [][]string{{"update", "-qq"}, {"install", "-y", "-qq", "--no-install-recommends", pkg}} {
		if out, err := exec.CommandContext(ctx, apt, args...).CombinedOutput(); err != nil {
			p.why = fmt.Sprintf("apt-get %s: %v: %s", args[0], err, lastLine(out))
			return p
		}
	}
	return system(ctx, name)
}

// system finds a program in PATH. Debian calls fd fdfind.
func system(ctx context.Context, name string) program {
	p := program{name: name}
	for _, n := range []string{name, name + "find"} {
		path, err := exec.LookPath(n)
		if err != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, path, map[bool]string{true: "-V", false: "--version"}[name == "strace"]).Output()
		if err != nil {
			p.why = fmt.Sprintf("%s --version: %v", n, err)
			return p
		}
		p.path, p.version, _ = strings.Cut(path, "\n")
		p.version, _, _ = strings.Cut(strings.TrimSpace(string(out)), "\n")
		return p
	}
	p.why = "it is not installed"
	return p
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// packaged installs a program from npm, in the version of the lock file.
func packaged(ctx context.Context, name, lock, pkg, file string) program {
	p := program{name: name}
	dir, err := npm.Install(ctx, lock)
	if err == nil {
		p.path, err = only(filepath.Join(dir, "node_modules", filepath.FromSlash(file)))
	}
	if err == nil {
		p.version, err = packageVersion(filepath.Join(dir, "node_modules", filepath.FromSlash(pkg)))
	}
	if err != nil {
		p.why = err.Error()
	}
	p.version = pkg + " " + p.version
	return p
}

// only returns the first file that matches the pattern.
func only(pattern string) (string, error) {
	found, err := filepath.Glob(pattern)
	if err == nil && len(found) == 0 {
		err = errors.New("its package has no program for this machine")
	}
	if err != nil {
		return "", err
	}
	return found[0], nil
}

func packageVersion(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var is struct{ Version string }
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	return is.Version, err
}
