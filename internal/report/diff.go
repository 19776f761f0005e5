package report

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// contextLines is how many unchanged lines a diff shows on each side of a change.
const contextLines = 3

// Diff returns the step as a unified diff in git's form, which git apply and patch read. It takes time linear in the
// size of the file: the edits are known, and nothing has to be compared.
func Diff(s *plan.Step) string {
	var b strings.Builder
	b.Grow(1 << 10) // most diffs fit
	from, to := s.Path, s.Path
	if s.Op == patch.Move {
		to = s.To
	}
	fmt.Fprintf(&b, "diff --git %s %s\n", dialect.QuotePath("a/"+from), dialect.QuotePath("b/"+to))
	switch s.Mode {
	case patch.Executable:
		b.WriteString("old mode 100644\nnew mode 100755\n")
	case patch.NotExecutable:
		b.WriteString("old mode 100755\nnew mode 100644\n")
	}
	switch s.Op {
	case patch.Add:
		if s.Replaces == nil && s.Exec {
			b.WriteString("new file mode 100755\n")
		} else if s.Replaces == nil {
			b.WriteString("new file mode 100644\n")
		}
	case patch.Delete:
		b.WriteString("deleted file mode " + gitMode(s.Source.Kind) + "\n")
	case patch.Move:
		fmt.Fprintf(&b, "rename from %s\nrename to %s\n", dialect.QuotePath(from), dialect.QuotePath(to))
	}
	spans := changedSpans(s)
	if len(spans) == 0 {
		return b.String()
	}
	oldName, newName := dialect.HeaderPath("a/"+from), dialect.HeaderPath("b/"+to)
	if text.Binary(s.Before) || text.Binary(s.After) {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", oldName, newName)
		return b.String()
	}
	if s.Op == patch.Add && s.Replaces == nil {
		oldName = "/dev/null"
	}
	if s.Op == patch.Delete {
		newName = "/dev/null"
	}
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", oldName, newName)
	writeHunks(&b, s.Before, s.After, spans)
	return b.String()
}

// gitMode returns git's mode of a file of that kind. The permission bits are not known here.
func gitMode(k plan.Kind) string {
	if k == plan.Link {
		return "120000"
	}
	return "100644"
}

// byteSpan says that bytes a0 up to a1 of the old text became bytes b0 up to b1 of the new one.
type byteSpan struct{ a0, a1, b0, b1 int }

// changedSpans returns the step's edits in bytes, widened to whole lines. In a diff only LF ends a line.
func changedSpans(s *plan.Step) []byteSpan {
	switch s.Op {
	case patch.Add, patch.Delete:
		if s.Before == s.After {
			return nil
		}
		return []byteSpan{{0, len(s.Before), 0, len(s.After)}}
	}
	if len(s.Edits) == 0 {
		return nil
	}
	w := lineWidener{before: s.Before, after: s.After, out: make([]byteSpan, 0, len(s.Edits))}
	for i, e := range byteEdits(s) {
		n := byteSpan{e.A0, e.A1, e.B0, e.B1}
		if s.Edits[i].A0 == 0 { // include the byte order mark
			n.a0, n.b0 = 0, 0
		}
		w.add(n)
	}
	w.close(len(s.Before))
	return w.out
}

// byteEdits returns the step's edits in bytes.
func byteEdits(s *plan.Step) []text.Change {
	if s.Bytes != nil {
		return s.Bytes
	}
	a, b := text.Split(s.Before), text.Split(s.After)
	out := make([]text.Change, len(s.Edits))
	for i, e := range s.Edits {
		out[i] = text.Change{A0: a.Offset(e.A0), A1: a.Offset(e.A1), B0: b.Offset(e.B0), B1: b.Offset(e.B1)}
	}
	return out
}

// lineWidener widens spans to whole lines, one after the other. Between two changes both texts are the same, so the
// search for the end of a line stops at the next change at the latest.
type lineWidener struct {
	before, after string
	out           []byteSpan
	open          bool // the last span does not end at the end of a line yet
}

func (w *lineWidener) add(n byteSpan) {
	w.close(n.a0)
	low := 0
	if k := len(w.out); k > 0 {
		low = w.out[k-1].a1
	}
	back := n.a0 - low - 1 - strings.LastIndexByte(w.before[low:n.a0], '\n')
	n.a0, n.b0 = n.a0-back, n.b0-back
	if k := len(w.out); k > 0 && n.a0 == w.out[k-1].a1 {
		w.out[k-1].a1, w.out[k-1].b1 = n.a1, n.b1
	} else {
		w.out = append(w.out, n)
	}
	w.open = n.a1 > 0 && w.before[n.a1-1] != '\n' || n.b1 > 0 && w.after[n.b1-1] != '\n'
}

// close extends the last span to the end of its line, or to next, where the next change begins.
func (w *lineWidener) close(next int) {
	if !w.open {
		return
	}
	last := &w.out[len(w.out)-1]
	ahead := next - last.a1
	if i := strings.IndexByte(w.before[last.a1:next], '\n'); i >= 0 {
		ahead = i + 1
	}
	last.a1, last.b1 = last.a1+ahead, last.b1+ahead
	w.open = false
}
