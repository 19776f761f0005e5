package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/bench/internal/modpairs"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// diffKind is one way to write the diff between two trees.
type diffKind struct {
	name  string
	git   []string // arguments of git diff; nil for GNU diff
	gnu   []string // arguments of GNU diff
	apply []string // what git apply needs to take it
}

var diffKinds = []diffKind{
	{name: "git diff -U0", git: []string{"-U0", "--no-renames"}, apply: []string{"--unidiff-zero"}},
	{name: "git diff -U1", git: []string{"-U1", "--no-renames"}},
	{name: "git diff", git: []string{"-U3", "--no-renames"}},
	{name: "git diff -U10", git: []string{"-U10", "--no-renames"}},
	{name: "git diff -M", git: []string{"-U3", "-M"}},
	{name: "git diff -M -C -C", git: []string{"-U3", "-M", "-C", "--find-copies-harder"}},
	{name: "diff -ruN", gnu: []string{"-ruN"}},
	{name: "diff -rN -U0", gnu: []string{"-rN", "-U0"}, apply: []string{"--unidiff-zero"}},
	{name: "diff -rcN", gnu: []string{"-rcN"}},
}

// diffTally counts the files of one kind of diff.
type diffTally struct {
	diffs, files int
	emend        map[outcome]int // by file
	git, gnu     map[outcome]int
	refusals     map[string]int
	wrong        []string // files that emend made other than they are, or than git apply makes them
}

// memory is a directory in memory.
type memory = plan.Memory

// versions groups the changes between two versions of a module.
func versions(pairs []modpairs.Pair) (groups [][]modpairs.Pair) {
	for i := 0; i < len(pairs); {
		n := i
		for n < len(pairs) && pairs[n].Module == pairs[i].Module && pairs[n].From == pairs[i].From {
			n++
		}
		groups = append(groups, pairs[i:n])
		i = n
	}
	return groups
}

// proveDiffs has git and GNU diff write every change as unified diffs, one for all files that differ between two versions, and puts
// each of them to emend, git apply and GNU patch.
func proveDiffs(ctx context.Context, c config, stdout, stderr io.Writer) error {
	sum, err := prepare(ctx, c, stderr)
	if err != nil {
		return err
	}
	tallies := map[string]*diffTally{}
	for _, k := range diffKinds {
		tallies[k.name] = &diffTally{emend: map[outcome]int{}, git: map[outcome]int{}, gnu: map[outcome]int{}, refusals: map[string]int{}}
	}
	changes, binaries, start := 0, 0, time.Now()
	page := func(done, of int) (string, error) {
		out := diffPage(tallies, changes, binaries, fmt.Sprintf("%d of %d pairs of versions, in a random order (seed %d)", done, of, c.seed))
		if c.out == "" {
			return out, nil
		}
		return out, os.WriteFile(c.out, []byte(out), 0o666)
	}
	groups := versions(sum.pairs)
	rand.New(rand.NewPCG(c.seed, 0)).Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	done := 0
	for _, group := range groups {
		if ctx.Err() != nil || c.most > 0 && time.Since(start) > c.most {
			break // what was done so far is told
		}
		before, after := memory{}, memory{}
		for _, p := range group {
			old, new, err := p.Load()
			if err != nil {
				return err
			}
			if text.Binary(old) || text.Binary(new) {
				binaries++
				continue
			}
			changes++
			if p.HasOld {
				before[p.Path] = old
			}
			if p.HasNew {
				after[p.Path] = new
			}
		}
		fmt.Fprintf(stderr, "%s %s..%s: %d files\n", group[0].Module, group[0].From, group[0].To, len(group))
		for _, k := range diffKinds {
			if err := k.prove(ctx, tallies[k.name], before, after); err != nil && ctx.Err() == nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
		done++
		if _, err := page(done, len(groups)); err != nil {
			return err
		}
	}
	out, err := page(done, len(groups))
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, out)
	for _, t := range tallies {
		if len(t.wrong) > 0 {
			return errors.New("emend made other bytes")
		}
	}
	return ctx.Err()
}

// prove judges one diff.
func (k diffKind) prove(ctx context.Context, t *diffTally, before, after memory) error {
	dir, err := os.MkdirTemp("", "realdiffs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	diff, err := k.write(ctx, dir, before, after)
	if err != nil {
		return err
	}
	paths := slices.Collect(unionOf(before, after))
	t.diffs++
	t.files += len(paths)
	made, refused := byEmend(ctx, diff, before)
	for why, n := range refused {
		t.refusals[why] += n
	}
	byGit, err := k.byPeer(ctx, dir, "git", slices.Concat(peers[0].args[:len(peers[0].args)-1], k.apply, []string{"-"}), diff, before)
	if err != nil {
		return err
	}
	byPatch, err := k.byPeer(ctx, dir, "gnu", peers[1].args, diff, before)
	if err != nil {
		return err
	}
	for _, p := range paths {
		t.emend[compared(made, after, p)]++
		t.git[compared(byGit, after, p)]++
		t.gnu[compared(byPatch, after, p)]++
		said := byGit == nil || compared(byGit, after, p) == exact // diff does not write that a file is empty
		if made != nil && (said && compared(made, after, p) != exact || byGit != nil && compared(made, byGit, p) != exact) {
			t.wrong = append(t.wrong, p)
		}
	}
	return nil
}

func unionOf(a, b memory) func(func(string) bool) {
	return func(yield func(string) bool) {
		for p := range a {
			if !yield(p) {
				return
			}
		}
		for p := range b {
			if _, both := a[p]; !both && !yield(p) {
				return
			}
		}
	}
}

// compared compares one file of a tree, which is nil if the diff was refused, with what it is to be.
func compared(got, want memory, p string) outcome {
	a, has := got[p]
	b, wants := want[p]
	switch {
	case got == nil:
		return refused
	case has == wants && a == b:
		return exact
	}
	return wrong
}

// byEmend plans the diff and returns the tree that it leaves; nil if it is refused, with the reasons.
func byEmend(ctx context.Context, diff string, before memory) (memory, map[string]int) {
	d, err := dialect.Detect(diff)
	if err == nil && d != dialect.Unified {
		err = fmt.Errorf("read as %s", d.Name)
	}
	if err == nil {
		var parsed dialect.Parsed
		if parsed, err = d.Parse(diff, dialect.Options{}); err == nil {
			var p *plan.Plan
			if p, err = plan.Build(ctx, parsed.Patch, d.Rules(dialect.Options{}), before, plan.Options{}); err == nil {
				return applied(p, before), nil
			}
		}
	}
	why := map[string]int{}
	for _, e := range fail.All(err) {
		why[reason(e)]++
	}
	return nil, why
}

func applied(p *plan.Plan, before memory) memory {
	out := memory{}
	maps.Copy(out, before)
	for i := range p.Steps {
		s := &p.Steps[i]
		switch s.Op {
		case patch.Delete:
			delete(out, s.Path)
		case patch.Move:
			delete(out, s.Path)
			out[s.To] = s.After
		default:
			out[s.Path] = s.After
		}
	}
	return out
}

// write has git or GNU diff write the diff between two trees.
func (k diffKind) write(ctx context.Context, dir string, before, after memory) (string, error) {
	if k.git == nil {
		if err := errors.Join(lay(filepath.Join(dir, "a"), before), lay(filepath.Join(dir, "b"), after)); err != nil {
			return "", err
		}
		out, err := runIn(ctx, dir, nil, append(append([]string{"diff"}, k.gnu...), "a", "b")...)
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
			err = nil // they differ
		}
		return out, err
	}
	repo := filepath.Join(dir, "repo")
	git := func(args ...string) (string, error) {
		return runIn(ctx, repo, nil, append([]string{"git", "-c", "core.autocrlf=false", "-c", "user.name=n", "-c", "user.email=e",
			"-c", "core.safecrlf=false"}, args...)...)
	}
	if err := lay(repo, before); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A", "-f"}, {"commit", "-q", "--allow-empty", "-m", "m"}} {
		if out, err := git(args...); err != nil {
			return "", fmt.Errorf("%w: %s", err, out)
		}
	}
	entries, err := os.ReadDir(repo)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		if e.Name() != ".git" {
			os.RemoveAll(filepath.Join(repo, e.Name()))
		}
	}
	if err := lay(repo, after); err != nil {
		return "", err
	}
	if out, err := git("add", "-A", "-f"); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return git(append([]string{"diff", "--cached", "--text"}, k.git...)...)
}

// byPeer applies the diff with a peer, and returns the tree that it leaves; nil if it refuses.
func (k diffKind) byPeer(ctx context.Context, dir, name string, args []string, diff string, before memory) (memory, error) {
	root := filepath.Join(dir, "by "+name)
	if err := lay(root, before); err != nil {
		return nil, err
	}
	if _, err := runIn(ctx, root, strings.NewReader(diff), args...); err != nil {
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
			return nil, nil
		}
		return nil, err
	}
	out := memory{}
	return out, filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		rel, _ := filepath.Rel(root, p)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
}

// lay writes a tree to a directory.
func lay(root string, files memory) error {
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	for name, data := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o777), os.WriteFile(p, []byte(data), 0o666)); err != nil {
			return err
		}
	}
	return nil
}

// runIn runs a program in a directory, without the settings of this machine and of a repository around it.
func runIn(ctx context.Context, dir string, stdin io.Reader, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stdin = dir, stdin
	cmd.Env = append(os.Environ(), "LC_ALL=C", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "PWD="+dir)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), err
}

// diffPage formats the results as Markdown.
func diffPage(tallies map[string]*diffTally, changes, binaries int, which string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Real diffs\n\n%d changed, added or deleted files between consecutive versions of modules; %d more are binary and were left out.\n", changes, binaries)
	fmt.Fprintf(&b, "These are %s. One diff has all files of two versions. %s; %s.\n\n", which, peers[0].version(), peers[1].version())
	tw := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	fmt.Fprintln(tw, "| written by\t| diffs\t| files\t| emend: same\t| refused\t| other\t| git apply: same\t| refused\t| other\t| patch: same\t| refused\t| other\t|")
	fmt.Fprintln(tw, "| ---\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t| ---:\t|")
	for _, k := range diffKinds {
		t := tallies[k.name]
		fmt.Fprintf(tw, "| `%s`\t| %d\t| %d", k.name, t.diffs, t.files)
		for _, by := range []map[outcome]int{t.emend, t.git, t.gnu} {
			fmt.Fprintf(tw, "\t| %d\t| %d\t| %d", by[exact], by[refused], by[wrong])
		}
		fmt.Fprintln(tw, "\t|")
	}
	tw.Flush()
	for _, k := range diffKinds {
		t := tallies[k.name]
		for why, n := range t.refusals {
			fmt.Fprintf(&b, "\n- %s, refused by emend %d times: %s", k.name, n, why)
		}
		for _, p := range slices.Sorted(slices.Values(t.wrong)) {
			fmt.Fprintf(&b, "\n- %s, other bytes: %s", k.name, p)
		}
	}
	b.WriteString("\n\nOther: `diff` says of an empty file neither that it comes nor that it goes, and nobody makes or removes it.\n")
	return b.String()
}
