//go:build oracle

package oracle

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// tcase is a tree and a patch for both programs.
type tcase struct {
	files map[string]string
	patch string
}

// outcome is the result of one program.
type outcome struct {
	ok   bool
	tree map[string]string
	said string
	// Only of emend:
	steps []plan.Step
	errs  fail.List
}

// ours returns what emend does with c.
func ours(c tcase) (out outcome) {
	out = outcome{tree: c.files}
	defer func() {
		if r := recover(); r != nil {
			out = outcome{tree: map[string]string{"panic": fmt.Sprint(r)}, said: fmt.Sprint("panic: ", r)}
		}
	}()
	d := codex()
	parsed, err := d.Parse(c.patch, dialect.Options{})
	if err != nil {
		return out.refused(err)
	}
	p, err := plan.Build(context.Background(), parsed.Patch, d.Rules(dialect.Options{}), disk{plan.Memory(c.files)}, plan.Options{})
	if err != nil {
		return out.refused(err)
	}
	tree := maps.Clone(c.files)
	for _, s := range p.Steps {
		perform(tree, s)
	}
	return outcome{ok: true, tree: tree, steps: p.Steps}
}

// disk is a tree in memory. No path leads through a file.
type disk struct{ plan.Memory }

func (d disk) Look(ctx context.Context, p string, absolute bool) (plan.File, error) {
	for dir := path.Dir(path.Clean(p)); dir != "."; dir = path.Dir(dir) {
		if _, isFile := d.Memory[dir]; isFile {
			return plan.File{}, &fail.Error{Kind: fail.NotFound, Path: p, Msg: fail.Quote(dir) + throughFile}
		}
	}
	return d.Memory.Look(ctx, p, absolute)
}

const throughFile = " is not a directory"

func (o outcome) refused(err error) outcome {
	o.said, o.errs = err.Error(), fail.All(err)
	return o
}

func codex() *dialect.Dialect {
	i := slices.IndexFunc(dialect.All, func(d *dialect.Dialect) bool { return d.Name == "codex" })
	return dialect.All[i]
}

func perform(tree map[string]string, s plan.Step) {
	switch s.Op {
	case patch.Delete:
		delete(tree, s.Path)
	case patch.Move:
		delete(tree, s.Path)
		tree[s.To] = s.After
	default:
		tree[s.Path] = s.After
	}
}

// String formats c so that parse can read it.
func (c tcase) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		fmt.Fprintf(&b, "file %q\n", name)
		for line := range strings.SplitAfterSeq(c.files[name], "\n") {
			if line != "" {
				fmt.Fprintf(&b, "\t%q\n", line)
			}
		}
	}
	b.WriteString("patch\n")
	for line := range strings.SplitAfterSeq(c.patch, "\n") {
		if line != "" {
			fmt.Fprintf(&b, "\t%q\n", line)
		}
	}
	return b.String()
}

// parse parses the format of String.
func parse(s string) (tcase, error) {
	c := tcase{files: map[string]string{}}
	name, inPatch := "", false
	for line := range strings.SplitSeq(strings.TrimSpace(s), "\n") {
		var text string
		var err error
		rest, isFile := strings.CutPrefix(line, "file ")
		switch {
		case isFile:
			name, err = strconv.Unquote(rest)
			c.files[name] = ""
		case line == "patch":
			inPatch = true
		default:
			text, err = strconv.Unquote(strings.TrimSpace(line))
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", line, err)
		}
		if inPatch {
			c.patch += text
		} else if name != "" {
			c.files[name] += text
		}
	}
	return c, nil
}
