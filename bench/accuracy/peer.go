package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/bench/accuracy/damage"
)

// peer is a program that applies patches. It has a directory of its own for each change.
type peer struct {
	name    string
	version string
	why     string // why it is missing, or ""
	unified bool   // it gets unified diffs
	twin    string // for emend itself: the profile whose outcomes it must have
	path    string
	args    func(r *scratchDir, dir string) []string
	tree    func(ctx context.Context, p *peer, dir string, c *damage.Case, name string) (index string, err error) // nil: the file alone
}

// form returns how the author of its patches makes hunks unique.
func (p *peer) form() damage.Form {
	if p.unified {
		return damage.Wide
	}
	return damage.Anchored
}

// scratchDir is the scratch directory of one change.
type scratchDir struct {
	dir   string
	cases int
}

func newRoom(scratch string) (*scratchDir, error) {
	dir, err := os.MkdirTemp(scratch, "room")
	if err != nil {
		return nil, err
	}
	return &scratchDir{dir: dir}, os.Mkdir(filepath.Join(dir, "home"), 0o777)
}

// storeOf returns where emend has its store, with a profile.
func (r *scratchDir) storeOf(profile string) string { return filepath.Join(r.dir, "store of "+profile) }

func (r *scratchDir) leave() { os.RemoveAll(r.dir) }

// patience is the time limit of a program for one patch.
const patience = 5 * time.Minute

// fare creates the files of c, and has p try the patch.
func (p *peer) fare(ctx context.Context, r *scratchDir, c *damage.Case) (trial, error) {
	dir, name := filepath.Join(r.dir, strings.ReplaceAll(p.name, " ", "-")), c.Path
	if p.unified || c.Slips() { // a new place for each case: an earlier one may have left files
		r.cases++
	}
	if p.unified {
		name = fmt.Sprintf("f%03d%s", r.cases, filepath.Ext(c.Path))
	} else if c.Slips() {
		dir = filepath.Join(dir, fmt.Sprintf("d%03d", r.cases))
	}
	// What emend keeps of the case before this one would give it versions of the files to merge with.
	if err := os.RemoveAll(r.storeOf(p.name)); err != nil {
		return trial{}, err
	}
	files := c.Files()
	files[0].Path = name
	for _, f := range files[1:] {
		if err := writeFile(dir, f.Path, f.Disk); err != nil {
			return trial{}, err
		}
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, filepath.FromSlash(name))), 0o777); err != nil {
		return trial{}, err
	}
	index, err := p.lay(ctx, dir, filepath.FromSlash(name), c)
	if err != nil {
		return trial{}, err
	}
	text := c.Text(false)
	if p.unified {
		text = c.Unified(name, index)
	}
	return fare(ctx, c, text, func(ctx context.Context, c *damage.Case, text string) (reply, error) {
		return p.send(ctx, r, dir, files, c, text)
	})
}

func (p *peer) lay(ctx context.Context, dir, name string, c *damage.Case) (index string, err error) {
	if p.tree != nil {
		return p.tree(ctx, p, dir, c, name)
	}
	return "", os.WriteFile(filepath.Join(dir, name), []byte(c.Disk), 0o666)
}

func (p *peer) send(ctx context.Context, r *scratchDir, dir string, files []damage.File, c *damage.Case, text string) (reply, error) {
	said, ok, err := p.run(ctx, r, dir, strings.ReplaceAll(text, damage.Root, dir))
	if err != nil {
		return reply{}, err
	}
	after := map[string]string{}
	for i, f := range files {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return reply{}, err
		}
		after[c.Files()[i].Path] = string(got)
	}
	out := judgeFiles(c, after, ok)
	out.said = strings.ReplaceAll(said, r.dir+string(filepath.Separator), "")
	if p.twin != "" {
		if err := json.Unmarshal([]byte(said), &out.answer); err != nil {
			return reply{}, fmt.Errorf("%w: %s", err, said)
		}
	}
	return out, nil
}

// run runs p in dir, without settings of this machine and without a terminal.
func (p *peer) run(ctx context.Context, r *scratchDir, dir, text string) (said string, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.path)
	cmd.Args = append(cmd.Args[:0], p.args(r, dir)...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environ(r, dir), strings.NewReader(text)
	cmd.SysProcAttr = withoutTerminal()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return "", false, fmt.Errorf("%s: %w", p.name, err)
	}
	return stdout.String() + stderr.String(), err == nil, nil
}

func environ(r *scratchDir, dir string) []string {
	home := filepath.Join(r.dir, "home")
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "PWD=" + dir,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES=" + r.dir}
}
