package find

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/internal/guard"
)

// dirReader reads directories for one goroutine, and reuses its memory.
type dirReader[T any] struct {
	*walker[T]
	worker int
	names  guard.Names
	path   []byte
	items  []dirItem
	chosen []guard.Name
	pieces []unit[T]
}

// openDir opens and reads the directory of u.
func (s *dirReader[T]) openDir(ctx context.Context, u *unit[T]) []unit[T] {
	f, err := u.dir.folder.Enter(u.enter)
	if err != nil {
		s.noteDir(join(u.dir.path, u.enter), err)
		return nil
	}
	d := u.dir.child(f, u.enter)
	defer d.release()
	if f.IsStore() {
		return nil
	}
	below, err := s.readDir(ctx, d)
	if err != nil {
		s.noteDir(d.path, err)
	}
	return below
}

// readDir lists a directory and makes units of its names, in the order of paths.
func (s *dirReader[T]) readDir(ctx context.Context, d *dir) (below []unit[T], err error) {
	if s.watch != nil {
		d.folder.Watch(s.watch)
	}
	if err := d.folder.List(ctx, &s.names); err != nil {
		return nil, err
	}
	var has ignoreMarks
	for _, n := range s.names.List {
		has |= markOf(n)
	}
	d.level = s.ignore.levelOf(d.level, d.folder, has)
	if s.whole != nil {
		for _, name := range s.whole(s.worker, d, s.names.List) {
			d.refs.Add(1)
			below = append(below, unit[T]{dir: d, enter: name})
		}
		return below, nil
	}
	s.selectNames(d)
	slices.SortFunc(s.items, compareItems)
	return s.makeUnits(ctx, d), nil
}

// selectNames keeps the names that the rules leave and that are wanted.
func (s *dirReader[T]) selectNames(d *dir) {
	s.items = s.items[:0]
	s.path = s.ignore.prefix(s.path[:0], d.folder)
	base := len(s.path)
	for i := range s.names.List {
		n := &s.names.List[i]
		s.path = append(s.path[:base], n.Name...)
		if s.ignore.ignores(d.level, s.path, n.Name, n.Kind == guard.Directory) {
			continue
		}
		take, enter := s.wants(d, n)
		if take {
			s.items = append(s.items, newDirItem(n, false))
		}
		if enter {
			s.items = append(s.items, newDirItem(n, true))
		}
	}
}

// makeUnits cuts the items into units.
func (s *dirReader[T]) makeUnits(ctx context.Context, d *dir) []unit[T] {
	s.pieces = s.pieces[:0]
	names := s.namesBuffer()
	for at := 0; at < len(s.items); {
		if it := &s.items[at]; it.below {
			s.pieces = append(s.pieces, unit[T]{dir: d, enter: it.Name.Name})
			at++
			continue
		}
		from := len(names)
		for ; at < len(s.items) && !s.items[at].below && (s.inline || len(names)-from < batch); at++ {
			names = append(names, s.items[at].Name)
		}
		s.pieces = append(s.pieces, s.namesUnit(ctx, d, names[from:]))
	}
	for i := range s.pieces {
		if !s.pieces[i].done {
			d.refs.Add(1)
		}
	}
	return slices.Clone(s.pieces)
}

// namesBuffer returns memory for the names of a directory: new memory if they are handled later.
func (s *dirReader[T]) namesBuffer() []guard.Name {
	if !s.inline {
		return make([]guard.Name, 0, len(s.items))
	}
	s.chosen = slices.Grow(s.chosen[:0], len(s.items))
	return s.chosen
}

// namesUnit returns the unit of some names. If they are handled inline it is done.
func (s *dirReader[T]) namesUnit(ctx context.Context, d *dir, names []guard.Name) unit[T] {
	if s.inline {
		return unit[T]{done: true, out: s.handle(ctx, s.worker, d, names)}
	}
	return unit[T]{dir: d, names: names}
}
