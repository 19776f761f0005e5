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
		return foundAll(d, names)
	}
	err = w.run(ctx, root, o.workers())
	list, more := s.all()
	if err == nil {
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
}

func (s *shelves) put(all []Found) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &s.levels[all[0].Depth-1]
	l.total += len(all)
	l.list = append(l.list, all...)
	if len(l.list) > 4*s.most+batch {
		l.trim(s.most)
	}
	return true
}

func (l *shelf) trim(most int) {
	slices.SortFunc(l.list, byKind)
	l.list = slices.Clone(l.list[:min(len(l.list), most)])
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

func byKind(a, b Found) int {
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

// fill asks the size and the time of what is shown, directory by directory. What is gone by now keeps zeroes.
func fill(g *guard.Guard, list []Found) {
	in := map[string][]int{}
	for i := range list {
		parent := path.Dir(list[i].Path)
		in[parent] = append(in[parent], i)
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
			if is, err := f.Stat(list[i].Name); err == nil && is.Kind == list[i].Kind {
				list[i].Size, list[i].ModTime = is.Size, is.ModTime
			}
		}
		f.Close()
	}
}
