package replace

import (
	"strings"

	"github.com/emend-dev/emend/internal/text"
)

// writer writes what replaces parts of a file, with the file's line ends.
type writer struct {
	file *text.Lines
	out  strings.Builder
}

// replace writes what replaces g. next is the text that follows.
func (w *writer) replace(s *foundEdit, g region, next string) {
	if s.replacements != nil {
		w.keepLFApart(s.replacements[g.nth])
		w.out.WriteString(s.replacements[g.nth])
	} else {
		w.writeNew(s, g.span)
	}
	if !strings.HasSuffix(s.New, text.CR) { // else the CR is the caller's
		w.keepLFApart(next)
	}
}

// keepLFApart is called between what was written and next. If a CR and a LF meet that are line ends of their own, it
// makes the LF a CRLF; otherwise the two would read as one line end.
func (w *writer) keepLFApart(next string) {
	if strings.HasPrefix(next, text.LF) && strings.HasSuffix(w.out.String(), text.CR) {
		w.out.WriteString(text.CR)
	}
}

// writeNew writes New in the place of g.
func (w *writer) writeNew(s *foundEdit, g span) {
	if !strings.Contains(s.New, text.LF) {
		w.out.WriteString(s.New)
		return
	}
	ends, end := w.lineEndsIn(s, g), w.lineEndBefore(int(g.from))
	k := 0
	for line := range strings.Lines(s.New) {
		line, closed := strings.CutSuffix(line, text.LF)
		if !closed {
			w.out.WriteString(line)
			continue
		}
		if k < len(ends) {
			end = ends[k]
		}
		w.writeLine(line, end)
		k++
	}
}

// writeLine writes a line and its end. A CR that the caller wrote before a newline turns a LF into CRLF; other line ends
// have it already.
func (w *writer) writeLine(line, end string) {
	if end != text.LF {
		line = strings.TrimSuffix(line, text.CR)
	}
	if line == "" {
		w.keepLFApart(end)
	}
	w.out.WriteString(line)
	w.out.WriteString(end)
}

// lineEndsIn returns the line ends in g that stand for the newlines of Old.
func (w *writer) lineEndsIn(s *foundEdit, g span) []string {
	var out []string
	for n := lineAt(w.file, int(g.from)); n < w.file.Len(); n++ {
		end := w.file.End(n)
		if at := w.file.Offset(n+1) - len(end); at >= int(g.to) || end == text.None {
			break
		} else if at >= int(g.from) && !(s.raw && end == text.CR) {
			out = append(out, end)
		}
	}
	return out
}

// lineEndBefore returns the line end of the line before the one that contains byte at; at the top the end of the first
// line, and LF in a file without any.
func (w *writer) lineEndBefore(at int) string {
	if w.file.Len() == 0 {
		return text.LF
	}
	end := w.file.End(max(0, lineAt(w.file, at)-1))
	if end == text.None {
		return text.LF
	}
	return end
}
