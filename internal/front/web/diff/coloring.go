package diff

import "github.com/emend-dev/emend/internal/front/web/paint"

// lookBack is how many lines before the first that is shown are read for what they leave open, a comment or a text of many
// lines.
const lookBack = 1000

// side is one of the two files, painted line by line.
type side struct {
	kind  Kind // of the lines that only this side has
	begun bool
	next  int // the line that comes next
	state paint.State
}

// paint colours line i. It is asked for lines in order.
func (s *side) paint(f *File, i int) []paint.Span {
	if f.lang == nil {
		return nil
	}
	if !s.begun || s.next < i-lookBack {
		s.begun, s.next = true, f.back(i)
	}
	for ; s.next < i; s.next++ {
		switch l := &f.lines[s.next]; l.kind {
		case Hunk:
			s.state = s.open(f, s.next+1)
		case Same, s.kind:
			_, s.state = f.lang.Line(f.shown(s.next), s.state)
		}
	}
	s.next = i + 1
	spans, state := f.lang.Line(f.shown(i), s.state)
	s.state = state
	return spans
}

// back is the line from which on line i is painted: the head of its hunk, or one not too far away.
func (f *File) back(i int) int {
	at := i
	for at > 0 && i-at < lookBack && f.lines[at].kind != Hunk {
		at--
	}
	return at
}

// open is what is open at line i, where a hunk begins: its first lines may close what they do not open.
func (s *side) open(f *File, i int) paint.State {
	return f.lang.Begin(func(yield func(string) bool) {
		for ; i < len(f.lines) && f.lines[i].kind < Hunk; i++ {
			if k := f.lines[i].kind; (k == Same || k == s.kind) && !yield(f.shown(i)) {
				return
			}
		}
	})
}
