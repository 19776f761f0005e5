package diff

import "github.com/emend-dev/emend/internal/front/web/paint"

// maxLookBack is how many lines before the first that is shown are read for what they leave open, a comment or a text of many
// lines.
const maxLookBack = 1000

// sidePainter is one of the two files, painted line by line.
type sidePainter struct {
	kind    Kind // of the lines that only this side has
	started bool
	next    int // the line that comes next
	state   paint.State
}

// paint colours line i. It is asked for lines in order.
func (s *sidePainter) paint(f *File, i int) []paint.Span {
	if f.lang == nil {
		return nil
	}
	if !s.started || s.next < i-maxLookBack {
		s.started, s.next = true, f.paintFrom(i)
	}
	for ; s.next < i; s.next++ {
		switch l := &f.lines[s.next]; l.kind {
		case Hunk:
			s.state = s.stateAt(f, s.next+1)
		case Same, s.kind:
			_, s.state = f.lang.Line(f.text(s.next), s.state)
		}
	}
	s.next = i + 1
	spans, state := f.lang.Line(f.text(i), s.state)
	s.state = state
	return spans
}

// paintFrom is the line from which on line i is painted: the head of its hunk, or one not too far away.
func (f *File) paintFrom(i int) int {
	at := i
	for at > 0 && i-at < maxLookBack && f.lines[at].kind != Hunk {
		at--
	}
	return at
}

// stateAt is what is open at line i, where a hunk begins: its first lines may close what they do not open.
func (s *sidePainter) stateAt(f *File, i int) paint.State {
	return f.lang.Begin(func(yield func(string) bool) {
		for ; i < len(f.lines) && f.lines[i].kind < Hunk; i++ {
			if k := f.lines[i].kind; (k == Same || k == s.kind) && !yield(f.text(i)) {
				return
			}
		}
	})
}
