package main

import (
	"context"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/proof/npm"
	"github.com/emend-dev/emend/proof/product"
)

// Names of the peers in the tables.
const (
	codex    = "Codex"
	gitApply = "git apply"
	threeWay = "git apply --3way"
	gnu      = "GNU patch"
)

// others lists the systems other than emend, in the order of the tables.
var others = []string{codex, gitApply, threeWay, gnu}

// findPeers builds emend as a release is built, and finds or installs the others.
func findPeers(ctx context.Context, scratch string) ([]*peer, error) {
	program := filepath.Join(scratch, "emend")
	if err := product.BuildRelease(ctx, program); err != nil {
		return nil, err
	}
	all := []*peer{own("emend", program), own("emend --lenient", program, "--lenient"), codexProgram(ctx)}
	return append(all, unifiedPeers(ctx)...), nil
}

// unifiedPeers returns the programs that take unified diffs, without special options.
func unifiedPeers(ctx context.Context) []*peer {
	take := func(name, program string, args ...string) *peer {
		p := installed(ctx, name, program)
		p.args = func(*scratchDir, string) []string { return append([]string{program}, args...) }
		return p
	}
	three := take(threeWay, "git", "apply", "--3way", "-")
	three.tree = repository
	return []*peer{take(gitApply, "git", "apply", "-"), three, take(gnu, "patch", "-p1")}
}

// own returns the program emend with a profile.
func own(profile, program string, more ...string) *peer {
	return &peer{name: profile, twin: profile, path: program, args: func(r *scratchDir, dir string) []string {
		return append([]string{"emend", "--json", "--durability=none", "--root", dir, "--store", r.storeOf(profile),
			"apply", "--dialect", "emend", "--allow-protected", "**"}, more...)
	}}
}

func installed(ctx context.Context, name, program string) *peer {
	p := &peer{name: name, unified: true}
	path, err := exec.LookPath(program)
	var out []byte
	if err == nil {
		out, err = exec.CommandContext(ctx, path, "--version").Output()
	}
	if err != nil {
		p.why = err.Error()
	}
	p.path, p.version = path, firstLine(out)
	return p
}

func firstLine(out []byte) string {
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}

// codexProgram returns Codex's own program, in the version of the oracle's lock file.
func codexProgram(ctx context.Context) *peer {
	p := &peer{name: codex, args: func(*scratchDir, string) []string { return []string{"apply_patch"} }} // under this name the program applies patches
	dir, err := npm.Install(ctx, "../proof/oracle/testdata/codex")
	var found []string
	if err == nil {
		found, err = filepath.Glob(filepath.Join(dir, "node_modules", "@openai", "codex-*", "vendor", "*", "bin", "codex*"))
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("its package has no program for this machine")
	}
	if err == nil {
		p.path = found[0]
		p.version, err = packageVersion(filepath.Join(dir, "node_modules", "@openai", "codex"))
	}
	if err != nil {
		p.why = err.Error()
	}
	return p
}

func packageVersion(dir string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	var is struct{ Name, Version string }
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	return is.Name + " " + is.Version, err
}

// repository creates a repository in dir. It has the file that the author of the patch saw, and the current file in its index.
// The patch names the former in its index line, which lets git merge.
func repository(ctx context.Context, p *peer, dir string, c *damage.Case, name string) (index string, err error) {
	add := []string{"update-index", "--add", name}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		if err := p.git(ctx, dir, "init", "--quiet"); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, "read"), []byte(c.Read), 0o666); err != nil {
			return "", err
		}
		add = append(add, "read") // the same for every damage of one change
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(c.Disk), 0o666); err != nil {
		return "", err
	}
	return fmt.Sprintf("index %s..%s 100644\n", blob(c.Read), strings.Repeat("1", 40)), p.git(ctx, dir, add...)
}

func (p *peer) git(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir, cmd.Env = dir, environ(&scratchDir{dir: filepath.Dir(dir)}, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// blob returns git's hash of a file with this content.
func blob(content string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
}
