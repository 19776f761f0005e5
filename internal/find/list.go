package find

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/guard"
)

// Listing says what a listing shows.
type Listing struct {
	Depth  int  // how many levels; 1 is the directory alone
	Hidden bool // also names that begin with a dot
	Most   int  // at most so many names
}

// List lists the directory: what is less deep first, then directories before files before links before the rest, then by
// name.
func List(ctx context.Context, g *guard.Guard, o Options, l Listing) ([]Found, Outcome, error) {
	ig := newIgnorer(g, &o)
	root, err := ig.open(g, o.Root)
	if err != nil {
		return nil, Outcome{}, err
	}
	s := &shelves{most: l.Most, levels: make([]shelf, l.Depth)}
	w := &walk[Found]{ig: ig, emit: s.put, quick: true}
	w.want = func(d *dir, n *guard.Name) (take, enter bool) {
		take = l.Hidden || !hidden(n.Name)
		return take, take && n.Kind == guard.Directory && d.depth < l.Depth && !s.full(d.depth)
	}
	w.do = func(_ context.Context, _ int, d *dir, names []guard.Name) []Found {
		w.tell(&o, len(names), d.path)
		out := foundAll(d, names)
		if !o.Bare && int(w.done.Load()) <= l.Most { // they will be shown, in all likelihood
			describe(d.folder, out)
		}
		return out
	}
	err = w.run(ctx, root, o.workers())
	list, more := s.all()
	if err == nil && !o.Bare {
		fill(g, list)
	}
	return list, Outcome{More: more, Files: len(list), Unread: int(w.unread.Load())}, err
}

// foundAll is what is found with the names of a directory. Their paths are parts of one string.
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

// tell reports that so many more were looked at.
func (w *walk[T]) tell(o *Options, more int, what string) {
	done := w.done.Add(int64(more))
	if o.Progress == nil {
		return
	}
	w.telling.Lock()
	defer w.telling.Unlock()
	o.Progress(int(done), what)
}

// shelves keep the first names of a listing while it is made, one shelf a level. What is deeper than what is full need
// not be walked, and of each level no more is kept than can be shown.
type shelves struct {
	mu     sync.Mutex
	most   int
	levels []shelf
}

type shelf struct {
	list  []Found
	total int
	full  bool // no more than can be shown are kept, in order, and perhaps some that came later
	most  int
}

func (s *shelves) put(all []Found) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.levels[all[0].Depth-1]
	l.total += len(all)
	if l.full {
		all = l.better(all)
	}
	l.list = append(l.list, all...)
	if len(l.list) > 4*s.most+batch {
		l.trim(s.most)
	}
	return true
}

// better keeps of all what comes before the last that can be shown so far.
func (l *shelf) better(all []Found) []Found {
	last := &l.list[l.most-1]
	return slices.DeleteFunc(all, func(f Found) bool { return byKind(&f, last) >= 0 })
}

// trim keeps the first of the list, in order.
func (l *shelf) trim(most int) {
	l.list = inOrder(l.list)
	if len(l.list) > most {
		l.list, l.full, l.most = slices.Clone(l.list[:most]), true, most
	}
}

// full reports whether the levels down to depth have more than can be shown.
func (s *shelves) full(depth int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, l := range s.levels[:depth] {
		n += l.total
	}
	return n > s.most
}

// all is what can be shown, and whether there is more.
func (s *shelves) all() (out []Found, more bool) {
	total := 0
	for i := range s.levels {
		l := &s.levels[i]
		total += l.total
		l.trim(s.most)
		out = append(out, l.list...)
	}
	if len(out) > s.most {
		out = out[:s.most]
	}
	return out, total > s.most
}

// inOrder orders what is of one level. Names that are the same are in the order in which they came, which is that of their
// paths.
func inOrder(list []Found) []Found {
	type place struct {
		rank int
		key  uint64
		at   int
	}
	places := make([]place, len(list))
	for i := range list {
		places[i] = place{rank(list[i].Kind), beginning(list[i].Name, 0), i}
	}
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.rank != b.rank:
			return a.rank - b.rank
		case a.key != b.key:
			return cmp.Compare(a.key, b.key)
		}
		return cmp.Or(strings.Compare(list[a.at].Name, list[b.at].Name), a.at-b.at)
	})
	out := make([]Found, len(list))
	for i, p := range places {
		out[i] = list[p.at]
	}
	return out
}

func byKind(a, b *Found) int {
	return cmp.Or(cmp.Compare(rank(a.Kind), rank(b.Kind)), strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
}

func rank(k guard.Kind) int {
	switch k {
	case guard.Directory:
		return 0
	case guard.Regular:
		return 1
	case guard.Symlink:
		return 2
	}
	return 3
}

// describe asks the size and the time of what is in a folder. What is gone by now keeps zeroes.
func describe(f *guard.Folder, list []Found) {
	for i := range list {
		if is, err := f.Describe(guard.Name{Name: list[i].Name, Kind: list[i].Kind}); err == nil {
			list[i].Size, list[i].ModTime = is.Size, is.ModTime
		}
	}
}

// fill describes what was not described while its directory was open.
func fill(g *guard.Guard, list []Found) {
	in := map[string][]int{}
	for i := range list {
		if list[i].ModTime.IsZero() {
			parent := path.Dir(list[i].Path)
			in[parent] = append(in[parent], i)
		}
	}
	for parent, indexes := range in {
		e, err := g.Look(parent, guard.Ask{})
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
