package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/bench/internal/line"
	"github.com/emend-dev/emend/proof/npm"
	"github.com/emend-dev/emend/proof/product"
)

// server is a program with its language for calls.
type server struct {
	name string
	args []string // without the directory, which comes last
	talk *line.Language
}

// programs are the programs that are compared.
type programs struct {
	emend, empty string
	node         string // "" if there is none
	modules      string // directory of what npm installed
	sources      string // directory of Go's sources
	versions     []string
	missing      []string
}

// theirs is the filesystem server of the protocol's authors.
const theirs = "@modelcontextprotocol/server-filesystem"

func find(ctx context.Context, scratch string) (*programs, error) {
	p := &programs{emend: filepath.Join(scratch, "emend"), empty: filepath.Join(scratch, "empty")}
	if err := product.BuildRelease(ctx, p.emend); err != nil {
		return nil, err
	}
	if err := build(ctx, p.empty, "empty"); err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	p.sources = filepath.Join(strings.TrimSpace(string(root)), "src")
	if err := p.findPeers(ctx); err != nil {
		p.node, p.missing = "", append(p.missing, fmt.Sprintf("%s: %v", theirs, err))
	}
	return p, nil
}

// build builds one of the servers of this benchmark as a release is built.
func build(ctx context.Context, as, name string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", as, "github.com/emend-dev/emend/bench/mcp/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build mcp/%s: %w: %s", name, err, out)
	}
	return nil
}

func (p *programs) findPeers(ctx context.Context) (err error) {
	if p.node, err = exec.LookPath("node"); err != nil {
		return err
	}
	if p.modules, err = npm.Install(ctx, "mcp/packages"); err != nil {
		return err
	}
	version, err := exec.CommandContext(ctx, p.node, "--version").Output()
	if err != nil {
		return err
	}
	p.versions = append(p.versions, "node "+strings.TrimSpace(string(version)))
	for _, name := range []string{theirs, "@modelcontextprotocol/sdk"} {
		var is struct{ Version string }
		text, err := os.ReadFile(filepath.Join(p.modules, "node_modules", filepath.FromSlash(name), "package.json"))
		if err == nil {
			err = json.Unmarshal(text, &is)
		}
		if err != nil {
			return err
		}
		p.versions = append(p.versions, name+" "+is.Version)
	}
	return nil
}

// servers returns the servers of the race.
func (p *programs) servers() []server {
	out := []server{
		{"emend", []string{p.emend, "serve"}, &line.Our},
		{"emend, durability none", []string{p.emend, "--durability=none", "serve"}, &line.Our},
	}
	if p.node != "" {
		out = append(out, server{"server-filesystem", []string{p.node, p.their()}, &line.Their})
	}
	return out
}

func (p *programs) their() string {
	return filepath.Join(p.modules, "node_modules", filepath.FromSlash(theirs), "dist", "index.js")
}

func environmentMap(home string) map[string]string {
	out := map[string]string{}
	for _, kv := range line.Environment(home) {
		name, value, _ := strings.Cut(kv, "=")
		out[name] = value
	}
	return out
}
