package find

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/guard"
)

// Globbing says which paths are meant.
type Globbing struct {
	Pattern string // of the path from the root
	Exclude []string
	Most    int // at most so many; 0 is any number
}

// Glob returns what matches, in the order of paths.
func Glob(ctx context.Context, g *guard.Guard, o Options, q Globbing) ([]Found, Outcome, error) {
	pattern, err := readGlob(q.Pattern, false, true)
	if err = cmp.Or(err, inside(q.Pattern)); err != nil {
		return nil, Outcome{}, err
	}
	exclude, err := newGlobs(q.Exclude, false)
	if err != nil {
		return nil, Outcome{}, err
	}
	p := &paths{most: q.Most, exclude: exclude, leads: pattern.leads, take: func(rel string, n *guard.Name) bool {
		return pattern.match(rel, n.Name, n.Kind == guard.Directory)
	}}
	if err := p.find(ctx, g, o); err != nil {
		return nil, Outcome{}, err
	}
	return slices.Concat(p.list...), p.Outcome, nil
}

// paths is a search for paths.
type paths struct {
	Outcome
	list    [][]Found // in order
	total   int
	most    int
	exclude []glob
	leads   func(rel, name string) bool // whether anything below the directory can be meant
	take    func(rel string, n *guard.Name) bool
}

func (p *paths) find(ctx context.Context, g *guard.Guard, o Options) error {
	ig := newIgnorer(g, &o)
	root, err := ig.open(g, o.Root)
	if err != nil {
		return err
	}
	w := &walk[Found]{ig: ig, emit: p.put, quick: true}
	w.want = func(d *dir, n *guard.Name) (take, enter bool) {
		isDir := n.Kind == guard.Directory
		if anyGlob(p.exclude, d.rel, n.Name, isDir) {
			return false, false
		}
		return p.take(d.rel, n), isDir && p.leads(d.rel, n.Name)
	}
	w.do = func(_ context.Context, _ int, d *dir, names []guard.Name) []Found {
		w.tell(&o, len(names), d.path)
		out := foundAll(d, names)
		if !o.Bare {
			describe(d.folder, out)
		}
		return out
	}
	err = w.run(ctx, root, o.workers())
	p.Unread = int(w.unread.Load())
	return err
}

func (p *paths) put(all []Found) bool {
	room := len(all)
	if p.most > 0 {
		room = min(room, p.most-p.total)
	}
	p.list, p.total = append(p.list, all[:room]), p.total+room
	p.More = room < len(all)
	return !p.More
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
