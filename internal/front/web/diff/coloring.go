package diff

import "github.com/emend-dev/emend/internal/front/web/paint"

// maxLookBack limits the lines before the first row that are read to find out whether it is inside a comment or a text.
const maxLookBack = 1000

// sidePainter colours the lines of one side, before or after the change.
type sidePainter struct {
	kind    Kind // Del or Add: the lines that only this side has
	started bool
	next    int // the line to be read next
	state   paint.State
}

// paint colours line i. Calls must be in the order of lines.
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

// paintFrom returns the line from which to read so that line i is coloured right: the header of its hunk, or a line at most
// maxLookBack before.
func (f *File) paintFrom(i int) int {
	at := i
	for at > 0 && i-at < maxLookBack && f.lines[at].kind != Hunk {
		at--
	}
	return at
}

// stateAt guesses the state in which a hunk begins at line i: its first lines may close a comment that they do not open.
func (s *sidePainter) stateAt(f *File, i int) paint.State {
	return f.lang.Begin(func(yield func(string) bool) {
		for ; i < len(f.lines) && f.lines[i].kind < Hunk; i++ {
			if k := f.lines[i].kind; (k == Same || k == s.kind) && !yield(f.text(i)) {
				return
			}
		}
	})
}
