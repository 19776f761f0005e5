package find

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/emend-dev/emend/internal/guard"
)

// ListQuery says what a listing shows.
type ListQuery struct {
	Depth  int  // how many levels; 1 is the directory alone
	Hidden bool // also names that begin with a dot
	Limit  int  // at most so many names
}

// List lists a directory: level by level, on each level directories before files before links before the rest, then by name.
func List(ctx context.Context, g *guard.Guard, o Options, l ListQuery) ([]Found, Summary, error) {
	ig := newIgnorer(g, &o)
	root, err := ig.openRoot(g, o.Root)
	if err != nil {
		return nil, Summary{}, err
	}
	s := &listLevels{limit: l.Limit, levels: make([]listLevel, l.Depth)}
	w := &walker[Found]{ignore: ig, emit: s.add, inline: true}
	w.wants = func(d *dir, n *guard.Name) (take, enter bool) {
		take = l.Hidden || !isHidden(n.Name)
		enter = take && n.Kind == guard.Directory && d.depth < l.Depth && !s.isFull(d.depth)
		return take && !s.tooFarBack(d.depth, n), enter
	}
	w.handle = func(_ context.Context, _ int, d *dir, names []guard.Name) []Found {
		w.reportProgress(&o, len(names), d.path)
		out := foundAll(d, names)
		if !o.NamesOnly && int(w.done.Load()) <= l.Limit { // they will probably be shown
			describe(d.folder, out)
		}
		return out
	}
	err = w.run(ctx, root, o.workers())
	list, more := s.all()
	if err == nil && !o.NamesOnly {
		describeRest(g, list)
	}
	return list, Summary{More: more, Files: len(list), Unreadable: int(w.unreadable.Load())}, err
}

// foundAll returns the Found of names in a directory. Their paths are parts of one string.
func foundAll(d *dir, names []guard.Name) []Found {
	size := len(names) * (len(d.path) + 1)
	for i := range names {
		size += len(names[i].Name)
	}
	var text strings.Builder
	text.Grow(size)
	out := make([]Found, len(names))
	for i := range names {
		from := text.Len()
		if d.path != "" {
			text.WriteString(d.path)
			text.WriteByte('/')
		}
		text.WriteString(names[i].Name)
		path := text.String()[from:]
		out[i] = Found{Path: path, Name: path[len(path)-len(names[i].Name):], Kind: names[i].Kind, Depth: d.depth}
	}
	return out
}

// listLevels keeps the first names of each level while a listing is made. A level is not entered if the ones above it are
// full, and of each level no more is kept than can be shown.
type listLevels struct {
	mu     sync.Mutex
	limit  int
	levels []listLevel
}

type listLevel struct {
	list     []Found
	total    atomic.Int64
	lastKept atomic.Pointer[Found] // the last name that can be shown so far; nil while there are fewer than can be
}

func (s *listLevels) add(all []Found) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.levels[all[0].Depth-1]
	l.total.Add(int64(len(all)))
	l.list = append(l.list, all...)
	if len(l.list) > 4*s.limit+batch {
		l.trim(s.limit)
	}
	return true
}

// tooFarBack reports whether a name comes after all that can be shown, and counts it then.
func (s *listLevels) tooFarBack(depth int, n *guard.Name) bool {
	l := &s.levels[depth-1]
	last := l.lastKept.Load()
	if last == nil || cmp.Or(rank(n.Kind)-rank(last.Kind), strings.Compare(n.Name, last.Name)) <= 0 {
		return false
	}
	l.total.Add(1)
	return true
}

// trim sorts the list and keeps the first names.
func (l *listLevel) trim(most int) {
	l.list = sortListed(l.list)
	if len(l.list) > most {
		l.list = slices.Clone(l.list[:most])
		l.lastKept.Store(&l.list[most-1])
	}
}

// isFull reports whether the levels down to depth have more names than can be shown.
func (s *listLevels) isFull(depth int) bool {
	n := int64(0)
	for i := range depth {
		n += s.levels[i].total.Load()
	}
	return n > int64(s.limit)
}

// all returns the names that can be shown, and whether there are more.
func (s *listLevels) all() (out []Found, more bool) {
	for i := range s.levels {
		l := &s.levels[i]
		l.trim(s.limit)
		out = append(out, l.list...)
	}
	return out[:min(len(out), s.limit)], s.isFull(len(s.levels))
}

// describe looks up the sizes and times of names in a folder. What is gone by now keeps zeroes.
func describe(f *guard.Folder, list []Found) {
	for i := range list {
		if is, err := f.Describe(guard.Name{Name: list[i].Name, Kind: list[i].Kind}); err == nil {
			list[i].Size, list[i].ModTime = is.Size, is.ModTime
		}
	}
}

// describeRest describes the names that were not described while their directory was open.
func describeRest(g *guard.Guard, list []Found) {
	in := map[string][]int{}
	for i := range list {
		if list[i].ModTime.IsZero() {
			parent := path.Dir(list[i].Path)
			in[parent] = append(in[parent], i)
		}
	}
	for parent, indexes := range in {
		e, err := g.Resolve(parent, guard.Request{})
		if err != nil {
			continue
		}
		f, err := g.Folder(e)
		if err != nil {
			continue
		}
		for _, i := range indexes {
			describe(f, list[i:i+1])
		}
		f.Close()
	}
}
