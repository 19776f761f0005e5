package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend/internal/npm"
)

// contender is a program that applies patches, or a part of emend's way to do so.
type contender struct {
	name    string
	form    string   // the form of patch that it reads on standard input
	path    string   // the program
	args    []string // with its name
	version string
	ours    bool // emend
	part    bool // changes nothing: it is there to say where the time goes
}

// The names under which the parts of emend's time are found.
const (
	started  = "emend, started only"
	planned  = "emend apply --dry-run"
	unsynced = "emend apply --durability=none"
	durable  = "emend apply"
)

// contenders lists the programs that are there, and says of the others why they are not.
func contenders(ctx context.Context, emend, scratch string) (all []contender, missing []string) {
	all = []contender{
		{name: durable, path: emend, args: []string{"emend", "apply", "--quiet", "--dialect", "emend"}},
		{name: unsynced, path: emend, args: []string{"emend", "apply", "--quiet", "--dialect", "emend", "--durability=none"}},
		{name: planned, path: emend, args: []string{"emend", "apply", "--quiet", "--dialect", "emend", "--dry-run"}, part: true},
		{name: started, path: emend, args: []string{"emend", "version"}, part: true},
	}
	for i := range all {
		all[i].form, all[i].ours = "emend", true
	}
	peers := []contender{
		{name: "git apply", form: "unified", args: []string{"git", "apply", "--whitespace=nowarn", "-"}, version: "--version"},
		{name: "GNU patch", form: "unified", args: []string{"patch", "--strip=1", "--silent", "--force", "--no-backup-if-mismatch",
			"--reject-file=-"}, version: "--version"},
		{name: "Codex", form: "codex", path: codex(), args: []string{"apply_patch"}},
	}
	for _, p := range peers {
		if err := p.find(ctx, scratch); err != nil {
			missing = append(missing, fmt.Sprintf("%s: not here: %v", p.name, err))
			continue
		}
		all = append(all, p)
	}
	return all, missing
}

// find looks for the program and asks which one it is.
func (c *contender) find(ctx context.Context, scratch string) (err error) {
	if c.version == "" { // Codex says its version only under its own name
		if c.path == "" {
			return fmt.Errorf("npm cannot install it here")
		}
		c.version = codexVersion(c.path)
		return nil
	}
	if c.path, err = exec.LookPath(c.args[0]); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.path, c.version)
	cmd.Env = environment(scratch)
	out, err := cmd.Output()
	c.version, _, _ = strings.Cut(string(out), "\n")
	return err
}

// codexInstalled is where npm installs the program.
const codexInstalled = "node_modules/@openai/codex-*/vendor/*/bin/codex"

// codex is the program that internal/oracle compares with, or "".
func codex() string {
	dir, err := npm.Install(context.Background(), "internal/oracle/testdata/codex")
	if err != nil {
		return ""
	}
	found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(codexInstalled)))
	if err != nil || len(found) == 0 {
		return ""
	}
	return found[0]
}

func codexVersion(path string) string {
	dir, _, _ := strings.Cut(path, string(filepath.Separator)+"node_modules"+string(filepath.Separator))
	var is struct{ Version string }
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "@openai", "codex", "package.json"))
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	if err != nil {
		return "Codex"
	}
	return "Codex " + is.Version
}

// warm lets emend make its store in a tree, which happens once in the life of one, and leaves nothing else there.
func warm(ctx context.Context, emend, dir string) error {
	for _, section := range []string{"*** Add File: warm\n+warm\n", "*** Delete File: warm\n"} {
		cmd := exec.CommandContext(ctx, emend, "apply", "--quiet")
		cmd.Dir, cmd.Env = dir, environment(dir)
		cmd.Stdin = strings.NewReader("*** Begin Patch\n" + section + "*** End Patch\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("emend apply, to make a store: %w: %s", err, out)
		}
	}
	return nil
}

// command is the program at work on a patch in dir.
func (c *contender) command(ctx context.Context, dir string, stdin *os.File) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.path)
	cmd.Args, cmd.Dir, cmd.Stdin, cmd.Env = c.args, dir, stdin, environment(dir)
	return cmd
}

// environment holds no settings of the user's, and no repository around the tree.
func environment(dir string) []string {
	return append(os.Environ(), "LC_ALL=C", "HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "PWD="+dir)
}
