package dialect

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func (w *printer) hunks(hunks []patch.Hunk) {
	for k := range hunks {
		w.hunk = k + 1
		w.one(hunks[k], k == 0)
	}
}

// one writes a hunk.
func (w *printer) one(h patch.Hunk, first bool) {
	if !w.whole(&h) {
		return
	}
	w.anchor(&h)
	if w.g.noNewline != honoured && (h.OldOpen || h.NewOpen) {
		w.cannot("whether a file ends without a newline")
	}
	w.markable(&h)
	if w.err != nil {
		return
	}
	w.heads(h.Anchors, first)
	lastOld, lastNew := ends(h.Lines)
	for i, l := range h.Lines {
		w.bodyLine(string(l))
		if h.OldOpen && i == lastOld || h.NewOpen && i == lastNew {
			w.line(noNewline)
		}
	}
	adds := !hasOld(h.Lines)
	switch {
	case !h.AtEnd, adds && len(h.Anchors) == 0 && w.g.addsAtEnd:
	case w.g.endOfFile == honoured:
		w.line(endOfFile)
	default:
		w.cannot("that a hunk is at the end of the file")
	}
}

// whole reports whether h is a hunk at all.
func (w *printer) whole(h *patch.Hunk) bool {
	for _, l := range h.Lines {
		if l == "" || strings.IndexByte(" -+", l[0]) < 0 {
			w.cannot("the line %s, which has no mark", fail.Quote(string(l)))
		}
	}
	if len(h.Lines) == 0 {
		w.cannot("a hunk without lines")
	}
	for _, a := range h.Anchors {
		if !sound(a) {
			w.cannot("the anchor %s", fail.Quote(a))
		}
	}
	return w.err == nil
}

// anchor says h's anchors in the terms of the dialect.
func (w *printer) anchor(h *patch.Hunk) {
	g, adds := w.g, !hasOld(h.Lines)
	switch {
	case len(h.Anchors) == 0:
		w.adopt(h)
	case g.keepsText && h.How == g.how && (g.lone == honoured || len(h.Anchors) == 1):
	case h.How == patch.Adjoin && len(h.Anchors) == 1:
		if first, _ := firstOld(h.Lines); adds || first != h.Anchors[0] {
			h.Lines = append([]patch.Line{patch.Line(" " + h.Anchors[0])}, h.Lines...)
		}
		h.Anchors = nil
	case h.How == patch.Adjoin:
		w.cannot("several lines that a block adjoins")
	case !g.keepsText && (!adds || h.AtEnd && g.addsAtEnd):
		h.Anchors = nil
	case !g.keepsText:
		w.cannot("that lines are added after %s", fail.Quote(h.Anchors[0]))
	case g.how == patch.Narrow: // and h's is Seek: a line that equals the text contains it
		h.Anchors = slices.Clone(h.Anchors)
		for i, a := range h.Anchors {
			h.Anchors[i] = strings.TrimSpace(a)
		}
	case g.how == patch.Adjoin && h.How == patch.Seek && adds && !h.AtEnd && len(h.Anchors) == 1:
	default:
		w.cannot("what the anchor %s means", fail.Quote(h.Anchors[0]))
	}
	for _, a := range h.Anchors {
		if got, ok := g.heading(g.seen("@@ " + a)); w.err == nil && (!ok || got != a) {
			w.cannot("the anchor %s", fail.Quote(a))
		}
	}
}

// adopt gives a hunk without an anchor its first old line, in a dialect whose blocks adjoin one.
func (w *printer) adopt(h *patch.Hunk) {
	line, ok := firstOld(h.Lines)
	if w.g.how != patch.Adjoin || !ok || !sound(line) {
		return
	}
	if got, _ := w.g.heading("@@ " + line); got == line && line != "" {
		h.Anchors = []string{line}
	}
}

// seen is a line as the dialect's reader sees it.
func (g *grammar) seen(line string) string {
	l := walk(line, 1)
	return l.line
}

// heads writes what stands above the lines of a hunk.
func (w *printer) heads(anchors []string, first bool) {
	for _, a := range anchors {
		w.line("@@ " + a)
	}
	if len(anchors) == 0 && !(first && w.g.opens == separates) {
		w.line("@@")
	}
}

// markable makes sure that a line stands where a marker of a missing newline belongs. A marker below context speaks
// of both sides; where only one is meant, the line is written as removed and added.
func (w *printer) markable(h *patch.Hunk) {
	old, new := ends(h.Lines)
	switch {
	case h.OldOpen && old < 0 || h.NewOpen && new < 0:
		w.cannot("how the file ends, with no line to say it of")
	case h.NewOpen && h.Lines[new].Mark() == ' ' && !(h.OldOpen && old == new), h.OldOpen && !h.NewOpen && old == new:
		text := h.Lines[new].Text()
		h.Lines = append(slices.Clone(h.Lines), patch.Line("+"+text))
		h.Lines[new] = patch.Line("-" + text)
	}
}

// ends are the last line that must be there now and the last one that will be; -1 where there is none.
func ends(lines []patch.Line) (old, new int) {
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
