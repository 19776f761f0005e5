package dialect

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func (w *printer) writeHunks(hunks []patch.Hunk) {
	for k := range hunks {
		w.hunk = k + 1
		w.writeHunk(hunks[k], k == 0)
	}
}

func (w *printer) writeHunk(h patch.Hunk, first bool) {
	if !w.isHunk(&h) {
		return
	}
	if h.At > 0 && !hasOld(h.Lines) && len(h.Anchors) == 0 {
		w.cannot("that lines are added above line %d", h.At)
	}
	w.convertAnchors(&h)
	if w.g.noNewline != honoured && (h.OldOpen || h.NewOpen) {
		w.cannot("whether a file ends without a newline")
	}
	w.makeMarkable(&h)
	if w.err != nil {
		return
	}
	w.writeHeading(h.Anchors, first)
	lastOld, lastNew := lastOldAndNew(h.Lines)
	for i, l := range h.Lines {
		w.writeBodyLine(string(l))
		if h.OldOpen && i == lastOld || h.NewOpen && i == lastNew {
			w.writeLine(noNewline)
		}
	}
	adds := !hasOld(h.Lines)
	switch {
	case !h.AtEnd, adds && len(h.Anchors) == 0 && w.g.addsAtEnd:
	case w.g.endOfFile == honoured:
		w.writeLine(endOfFile)
	default:
		w.cannot("that a hunk is at the end of the file")
	}
}

// isHunk refuses lines without a mark, anchors that fit no line, and a hunk without lines.
func (w *printer) isHunk(h *patch.Hunk) bool {
	for _, l := range h.Lines {
		if l == "" || strings.IndexByte(" -+", l[0]) < 0 {
			w.cannot("the line %s, which has no mark", fail.Quote(string(l)))
		}
	}
	if len(h.Lines) == 0 {
		w.cannot("a hunk without lines")
	}
	for _, a := range h.Anchors {
		if !fitsLine(a) {
			w.cannot("the anchor %s", fail.Quote(a))
		}
	}
	return w.err == nil
}

// convertAnchors expresses h's anchors in the dialect.
func (w *printer) convertAnchors(h *patch.Hunk) {
	g, adds := w.g, !hasOld(h.Lines)
	switch {
	case len(h.Anchors) == 0:
		w.giveAnchor(h)
	case g.keepsText && h.How == g.how && (g.emptyHeading == honoured || len(h.Anchors) == 1):
	case h.How == patch.Adjoin && len(h.Anchors) == 1:
		if first, _ := firstOld(h.Lines); adds || first != h.Anchors[0] {
			h.Lines = append([]patch.Line{patch.Line(" " + h.Anchors[0])}, h.Lines...)
		}
		h.Anchors = nil
	case h.How == patch.Adjoin:
		w.cannot("several lines that a block adjoins")
	case !g.keepsText && adds:
		w.cannot("that lines are added after %s", fail.Quote(h.Anchors[0]))
	case g.keepsText && g.how == patch.Narrow: // and h's is Seek: a line that equals the text also contains it
		h.Anchors = slices.Clone(h.Anchors)
		for i, a := range h.Anchors {
			h.Anchors[i] = strings.TrimSpace(a)
		}
	case g.how == patch.Adjoin && h.How == patch.Seek && adds && !h.AtEnd && len(h.Anchors) == 1:
	default:
		w.cannot("what the anchor %s means", fail.Quote(h.Anchors[0]))
	}
	for _, a := range h.Anchors {
		if got, ok := g.heading(g.asRead("@@ " + a)); w.err == nil && (!ok || got != a) {
			w.cannot("the anchor %s", fail.Quote(a))
		}
	}
}

// giveAnchor makes the first old line the anchor of a hunk that has none, in a dialect where every block adjoins one.
func (w *printer) giveAnchor(h *patch.Hunk) {
	line, ok := firstOld(h.Lines)
	if w.g.how != patch.Adjoin || !ok || !fitsLine(line) {
		return
	}
	if got, _ := w.g.heading("@@ " + line); got == line && line != "" {
		h.Anchors = []string{line}
	}
}

// asRead returns a line as the dialect's reader sees it.
func (g *grammar) asRead(line string) string {
	l := startLines(line, 1)
	return l.line
}

// writeHeading writes what stands above the lines of a hunk.
func (w *printer) writeHeading(anchors []string, first bool) {
	for _, a := range anchors {
		w.writeLine("@@ " + a)
	}
	if len(anchors) == 0 && !(first && w.g.hunksBegin == separates) {
		w.writeLine("@@")
	}
}

// makeMarkable makes sure that there is a line for each marker of a missing newline. A marker after context is about
// both sides; if only one is meant, the line becomes a removed and an added one.
func (w *printer) makeMarkable(h *patch.Hunk) {
	old, new := lastOldAndNew(h.Lines)
	switch {
	case h.OldOpen && old < 0 || h.NewOpen && new < 0:
		w.cannot("how the file ends, with no line to say it of")
	case h.NewOpen && h.Lines[new].Mark() == ' ' && !(h.OldOpen && old == new), h.OldOpen && !h.NewOpen && old == new:
		text := h.Lines[new].Text()
		h.Lines = append(slices.Clone(h.Lines), patch.Line("+"+text))
		h.Lines[new] = patch.Line("-" + text)
	}
}

// lastOldAndNew returns the last line of each side of a hunk; -1 if it has none.
func lastOldAndNew(lines []patch.Line) (old, new int) {
	old, new = -1, -1
	for i, l := range lines {
		if l.Mark() != '+' {
			old = i
		}
		if l.Mark() != '-' {
			new = i
		}
	}
	return old, new
}

func firstOld(lines []patch.Line) (string, bool) {
	for _, l := range lines {
		if l.Old() {
			return l.Text(), true
		}
	}
	return "", false
}
