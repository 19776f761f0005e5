package find

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/internal/guard"
)

// scout goes into directories for one goroutine. Its memory is used again for each.
type scout[T any] struct {
	*walk[T]
	worker int
	names  guard.Names
	path   []byte
	items  []item
	chosen []guard.Name
	pieces []unit[T]
}

// enter opens the directory of u.
func (s *scout[T]) enter(ctx context.Context, u *unit[T]) []unit[T] {
	f, err := u.dir.folder.Enter(u.sub)
	if err != nil {
		s.cannot(err)
		return nil
	}
	d := u.dir.below(f, u.sub)
	defer d.release()
	if f.IsStore() {
		return nil
	}
	below, err := s.expand(ctx, d)
	if err != nil {
		s.cannot(err)
	}
	return below
}

// expand lists a directory and makes units of what is in it, in the order of paths.
func (s *scout[T]) expand(ctx context.Context, d *dir) ([]unit[T], error) {
	if err := d.folder.List(ctx, &s.names); err != nil {
		return nil, err
	}
	var has marks
	for _, n := range s.names.List {
		has |= mark(n)
	}
	d.level = s.ig.enter(d.level, d.folder, has)
	s.choose(d)
	slices.SortFunc(s.items, compare)
	return s.units(ctx, d), nil
}

// choose keeps what is wanted of the names.
func (s *scout[T]) choose(d *dir) {
	s.items = s.items[:0]
	s.path = s.ig.prefix(s.path[:0], d.folder)
	base := len(s.path)
	for i := range s.names.List {
		n := &s.names.List[i]
		s.path = append(s.path[:base], n.Name...)
		if s.ig.leaves(d.level, s.path, n.Name, n.Kind == guard.Directory) {
			continue
		}
		take, enter := s.want(d, n)
		if take {
			s.items = append(s.items, newItem(n, false))
		}
		if enter {
			s.items = append(s.items, newItem(n, true))
		}
	}
}

// units cuts the items into pieces of work.
func (s *scout[T]) units(ctx context.Context, d *dir) []unit[T] {
	s.pieces = s.pieces[:0]
	names := s.room()
	for at := 0; at < len(s.items); {
		if it := &s.items[at]; it.below {
			s.pieces = append(s.pieces, unit[T]{dir: d, sub: it.Name.Name})
			at++
			continue
		}
		from := len(names)
		for ; at < len(s.items) && !s.items[at].below && (s.quick || len(names)-from < batch); at++ {
			names = append(names, s.items[at].Name)
		}
		s.pieces = append(s.pieces, s.piece(ctx, d, names[from:]))
	}
	for i := range s.pieces {
		if !s.pieces[i].done {
			d.refs.Add(1)
		}
	}
	return slices.Clone(s.pieces)
}

// room is where the names of a directory go: memory of their own when they are worked on later.
func (s *scout[T]) room() []guard.Name {
	if !s.quick {
		return make([]guard.Name, 0, len(s.items))
	}
	s.chosen = slices.Grow(s.chosen[:0], len(s.items))
	return s.chosen
}

// piece is the unit of some names, done if that is quick.
func (s *scout[T]) piece(ctx context.Context, d *dir, names []guard.Name) unit[T] {
	if s.quick {
		return unit[T]{done: true, out: s.do(ctx, s.worker, d, names)}
	}
	return unit[T]{dir: d, names: names}
}
