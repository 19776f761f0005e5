package find

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

// GlobQuery says which paths to find.
type GlobQuery struct {
	Pattern string // matched against the path from the root
	Exclude []string
	Limit   int // at most so many; 0 is any number
}

// Glob returns the paths that match, in order.
func Glob(ctx context.Context, g *guard.Guard, o Options, q GlobQuery) ([]Found, Summary, error) {
	p, err := newGlobber(&q)
	if err != nil {
		return nil, Summary{}, err
	}
	var list [][]Found
	do := func(d *dir, names []guard.Name) []Found {
		out := foundAll(d, names)
		if !o.NamesOnly {
			describe(d.folder, out)
		}
		return out
	}
	err = walkMatches(ctx, g, &o, p, nil, do, func(all []Found) bool {
		room := p.takeUpTo(len(all))
		list = append(list, all[:room])
		return !p.More
	})
	return slices.Concat(list...), p.Summary, err
}

// GlobTo writes the paths that match to out, one a line, in order, and does not hold them. Directories end in a slash, and
// characters that control a terminal are escaped. It returns how many paths it wrote.
func GlobTo(ctx context.Context, g *guard.Guard, o Options, q GlobQuery, out io.Writer) (int, Summary, error) {
	p, err := newGlobber(&q)
	if err != nil {
		return 0, Summary{}, err
	}
	var failed error
	err = walkMatches(ctx, g, &o, p, weighLines, pathLines, func(text []byte) bool {
		lines := bytes.Count(text, newline)
		room := p.takeUpTo(lines)
		if _, failed = out.Write(firstLines([][]byte{text}, room, room < lines)[0]); failed != nil {
			return false
		}
		return !p.More
	})
	return p.total, p.Summary, cmp.Or(failed, err)
}

// pathLines returns the paths of names in a directory as lines.
func pathLines(d *dir, names []guard.Name) []byte {
	prefix := report.OneLine(d.path)
	if prefix != "" {
		prefix += "/"
	}
	size := len(names) * (len(prefix) + len("/\n"))
	for i := range names {
		size += len(names[i].Name)
	}
	out := make([]byte, 0, size)
	for i := range names {
		out = append(append(out, prefix...), report.OneLine(names[i].Name)...)
		if names[i].Kind == guard.Directory {
			out = append(out, '/')
		}
		out = append(out, '\n')
	}
	return out
}

// weighLines estimates how many names the text has, for the walk.
func weighLines(text []byte) int { return len(text) / 64 }

// globber is a search for paths.
type globber struct {
	Summary
	total   int
	limit   int
	exclude []globPattern
	pattern globPattern
}

func newGlobber(q *GlobQuery) (*globber, error) {
	pattern, err := parsePatternAt(q.Pattern, false, true)
	if err = cmp.Or(err, refuseLeadingSlash(q.Pattern)); err != nil {
		return nil, err
	}
	exclude, err := parsePatterns(q.Exclude, false)
	return &globber{limit: q.Limit, exclude: exclude, pattern: pattern}, err
}

func (p *globber) wants(d *dir, n *guard.Name) (take, enter bool) {
	isDir := n.Kind == guard.Directory
	if matchesAny(p.exclude, d.rel, n.Name, isDir) {
		return false, false
	}
	return p.pattern.match(d.rel, n.Name, isDir), isDir && p.pattern.mayMatchBelow(d.rel, n.Name)
}

// takeUpTo counts as many of n more paths as are wanted, and returns how many.
func (p *globber) takeUpTo(n int) int {
	room := n
	if p.limit > 0 {
		room = min(room, p.limit-p.total)
	}
	p.total, p.More = p.total+room, room < n
	return room
}

// walkMatches walks, and calls do for the paths that match.
func walkMatches[T any](ctx context.Context, g *guard.Guard, o *Options, p *globber, weigh func([]T) int,
	do func(*dir, []guard.Name) []T, emit func([]T) bool) error {
	ig := newIgnorer(g, o)
	root, err := ig.openRoot(g, o.Root)
	if err != nil {
		return err
	}
	w := &walker[T]{ignore: ig, wants: p.wants, emit: emit, weigh: weigh, inline: true}
	w.handle = func(_ context.Context, _ int, d *dir, names []guard.Name) []T {
		w.reportProgress(o, len(names), d.path)
		return do(d, names)
	}
	err = w.run(ctx, root, o.workers())
	p.Unreadable = int(w.unreadable.Load())
	return err
}
