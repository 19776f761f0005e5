package place

import (
	"strings"

	"github.com/emend-dev/emend/internal/plan/internal/indent"
	"github.com/emend-dev/emend/patch"
)

// WithMissingMarks returns the lines of hunk k, which is refused where it loosely fits, with a space put before each line of context
// that is in the file with one more. It reports false if there is none, any other line differs, or the whole hunk may just as well stand
// one space too far left: it removes nothing, no line of it has its space, and its added lines do not fit better as they are.
func (p *Placement) WithMissingMarks(k int) ([]patch.Line, bool) {
	s := &p.Spots[k]
	if s.Err == nil || s.pending || s.rung < patch.Whitespace {
		return nil, false
	}
	var out []patch.Line
	at, found, marked := s.first, false, false
	for _, l := range p.AsPlaced(k) {
		if l.Old() {
			switch have := p.doc.Line(at); {
			case have == l.Text():
				marked = marked || strings.TrimSpace(have) != ""
			case l.Mark() == ' ' && have == " "+l.Text():
				l, found = " "+l, true
			default:
				return nil, false
			}
			at = p.doc.Next(at)
		}
		out = append(out, l)
	}
	return out, found && (marked || indent.FitAsWritten(p.step(), p.inFile(k)))
}
