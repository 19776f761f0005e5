package find

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
)

// Globbing says which paths are meant.
type Globbing struct {
	Pattern string // of the path from the root
	Exclude []string
	Most    int // at most so many; 0 is any number
}

// Glob returns what matches, in the order of paths.
func Glob(ctx context.Context, g *guard.Guard, o Options, q Globbing) ([]Found, Outcome, error) {
	p, err := newPaths(&q)
	if err != nil {
		return nil, Outcome{}, err
	}
	var list [][]Found
	do := func(d *dir, names []guard.Name) []Found {
		out := foundAll(d, names)
		if !o.Bare {
			describe(d.folder, out)
		}
		return out
	}
	err = walkPaths(ctx, g, &o, p, nil, do, func(all []Found) bool {
		room := p.room(len(all))
		list = append(list, all[:room])
		return !p.More
	})
	return slices.Concat(list...), p.Outcome, err
}

// GlobTo writes what matches to out, one path a line, in the order of paths, and holds none of it. Those of directories end in
// a slash, and what a terminal would obey is escaped. It returns how many there were.
func GlobTo(ctx context.Context, g *guard.Guard, o Options, q Globbing, out io.Writer) (int, Outcome, error) {
	p, err := newPaths(&q)
	if err != nil {
		return 0, Outcome{}, err
	}
	var failed error
	err = walkPaths(ctx, g, &o, p, weighLines, pathLines, func(text []byte) bool {
		lines := bytes.Count(text, newline)
		room := p.room(lines)
		if _, failed = out.Write(firstLines([][]byte{text}, room, room < lines)[0]); failed != nil {
			return false
		}
		return !p.More
	})
	return p.total, p.Outcome, cmp.Or(failed, err)
}

// pathLines are the paths of the names of a directory as lines.
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

// weighLines is about what a name takes of a list.
func weighLines(text []byte) int { return len(text) / 64 }

// paths is a search for paths.
type paths struct {
	Outcome
	total   int
	most    int
	exclude []glob
	pattern glob
}

func newPaths(q *Globbing) (*paths, error) {
	pattern, err := readGlob(q.Pattern, false, true)
	if err = cmp.Or(err, inside(q.Pattern)); err != nil {
		return nil, err
	}
	exclude, err := newGlobs(q.Exclude, false)
	return &paths{most: q.Most, exclude: exclude, pattern: pattern}, err
}

func (p *paths) want(d *dir, n *guard.Name) (take, enter bool) {
	isDir := n.Kind == guard.Directory
	if anyGlob(p.exclude, d.rel, n.Name, isDir) {
		return false, false
	}
	return p.pattern.match(d.rel, n.Name, isDir), isDir && p.pattern.leads(d.rel, n.Name)
}

// room takes as many of n more as are wanted, and returns how many.
func (p *paths) room(n int) int {
	room := n
	if p.most > 0 {
		room = min(room, p.most-p.total)
	}
	p.total, p.More = p.total+room, room < n
	return room
}

// walkPaths makes something of the paths that are meant.
func walkPaths[T any](ctx context.Context, g *guard.Guard, o *Options, p *paths, weigh func([]T) int,
	do func(*dir, []guard.Name) []T, emit func([]T) bool) error {
	ig := newIgnorer(g, o)
	root, err := ig.open(g, o.Root)
	if err != nil {
		return err
	}
	w := &walk[T]{ig: ig, want: p.want, emit: emit, weigh: weigh, quick: true}
	w.do = func(_ context.Context, _ int, d *dir, names []guard.Name) []T {
		w.tell(o, len(names), d.path)
		return do(d, names)
	}
	err = w.run(ctx, root, o.workers())
	p.Unread = int(w.unread.Load())
	return err
}

// named is for a search by path: query is a glob or, without any of its characters, a part of a name, and of a path
// when it has a slash.
func named(query string, fold bool) (func(rel string, n *guard.Name) bool, error) {
	if strings.ContainsAny(query, magic) {
		g, err := newGlob(query, fold)
		return func(rel string, n *guard.Name) bool { return g.match(rel, n.Name, n.Kind == guard.Directory) }, err
	}
	if fold {
		query = strings.ToLower(query)
	}
	whole := strings.Contains(query, "/")
	return func(rel string, n *guard.Name) bool {
		name := n.Name
		if whole {
			name = join(rel, name)
		}
		if fold {
			name = strings.ToLower(name)
		}
		return strings.Contains(name, query)
	}, nil
}
