package dialect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// printUnified writes p as git does, but for the names of contents. The headers of hunks have numbers if the patch has them; without
// them the diff is one for emend only. It escapes nothing: it refuses what would be read back as something else.
func printUnified(p patch.Patch) (string, error) {
	w := &printer{g: &unifiedGrammar}
	w.writeEnvironment(p.Environment)
	for i := range p.Sections {
		w.section, w.path, w.hunk = i+1, p.Sections[i].Path, 0
		w.writeUnified(&p.Sections[i])
	}
	if len(p.Sections) == 0 {
		w.cannot("a patch without sections")
	}
	return w.proved(p, readsAs)
}

// proved returns what was written, if reading it gives the same, and otherwise refuses it.
func (w *printer) proved(p patch.Patch, same func(a, b *patch.Section) bool) (string, error) {
	w.hunk = 0
	if w.err == nil {
		back := read(w.g, w.String())
		for i := range p.Sections {
			w.section, w.path = i+1, p.Sections[i].Path
			if back.err != nil && (i+1 == len(p.Sections) || back.err.Line < back.out.lineOf(i+1)) || back.err == nil && (i >= len(back.out.Patch.Sections) || !same(&p.Sections[i], &back.out.Patch.Sections[i])) {
				w.cannot("this section: it would be read as something else")
			}
		}
		if back.err == nil && len(back.out.Patch.Sections) != len(p.Sections) {
			w.cannot("this patch: it would be read as something else")
		}
	}
	if w.err != nil {
		return "", w.err
	}
	return w.String(), nil
}

// lineOf returns the line of section i, or 0 if there is none.
func (p *Parsed) lineOf(i int) int {
	if i < len(p.Patch.Sections) {
		return p.Patch.Sections[i].Line
	}
	return 0
}

// readsAs reports whether b is a as it is read back.
func readsAs(a, b *patch.Section) bool {
	return a.Op == b.Op && a.Path == b.Path && a.To == b.To && a.Content == b.Content && a.Mode == b.Mode &&
		slices.EqualFunc(a.Hunks, b.Hunks, func(a, b patch.Hunk) bool {
			return b.Blank == 0 && slices.Equal(markable(a).Lines, b.Lines) && slices.Equal(a.Anchors, b.Anchors)
		})
}

// markable returns h with a line for each marker of a missing newline.
func markable(h patch.Hunk) patch.Hunk {
	(&printer{g: &unifiedGrammar}).makeMarkable(&h)
	return h
}

func (w *printer) writeUnified(s *patch.Section) {
	if s.Op != patch.Add && s.Content != "" || s.Op != patch.Move && s.Op != patch.Copy && s.To != "" || s.Op == patch.Add && len(s.Hunks) > 0 {
		w.cannot("what does not belong in the section: %s with content, hunks or a destination", s.Op)
	}
	to := cmp.Or(s.To, s.Path)
	old, new := "a/"+s.Path, "b/"+to
	fmt.Fprintf(w, "diff --git %s %s\n", QuotePath(old), QuotePath(new))
	w.writeMode(s)
	hunks := s.Hunks
	switch s.Op {
	case patch.Add:
		if old = devNull; s.Content != "" {
			hunks = []patch.Hunk{addedHunk(s.Content)}
		} else {
			w.writeLine("index 0000000.." + emptyBlobs[0][:7])
		}
	case patch.Delete:
		new = devNull
		if s.Mode != patch.KeepMode {
			w.cannot("a mode of a file that is deleted")
		}
	case patch.Move:
		fmt.Fprintf(w, "rename from %s\nrename to %s\n", QuotePath(s.Path), QuotePath(s.To))
	case patch.Copy:
		fmt.Fprintf(w, "copy from %s\ncopy to %s\n", QuotePath(s.Path), QuotePath(s.To))
	case patch.Update:
		if len(hunks) == 0 && s.Mode == patch.KeepMode {
			w.cannot("an update without hunks")
		}
	default:
		w.cannot("a section that does nothing")
	}
	if s.Blob != "" {
		fmt.Fprintf(w, "index %s..%s\n", s.Blob, strings.Repeat("0", len(s.Blob)))
	}
	if len(hunks) == 0 {
		return
	}
	fmt.Fprintf(w, "--- %s\n+++ %s\n", HeaderPath(old), HeaderPath(new))
	numbered := !slices.ContainsFunc(hunks, func(h patch.Hunk) bool { return h.At == 0 })
	delta := 0
	for k := range hunks {
		w.hunk = k + 1
		delta += w.writeUnifiedHunk(hunks[k], numbered, delta)
	}
}

// addedHunk returns the hunk of a new file.
func addedHunk(content string) patch.Hunk {
	h := patch.Hunk{At: 1}
	text, ended := strings.CutSuffix(content, "\n")
	h.NewOpen = !ended
	for line := range strings.SplitSeq(text, "\n") {
		h.Lines = append(h.Lines, patch.Line("+"+line))
	}
	return h
}

// HeaderPath returns a path for the lines --- and +++, where a tab ends a name that contains spaces.
func HeaderPath(p string) string {
	if out := QuotePath(p); out != p || !strings.Contains(p, " ") {
		return out
	}
	return p + "\t"
}

func (w *printer) writeMode(s *patch.Section) {
	const plain, executable = "100644", "100755"
	is := plain
	if s.Mode == patch.Executable {
		is = executable
	}
	switch {
	case s.Op == patch.Add:
		w.writeLine("new file mode " + is)
	case s.Op == patch.Delete:
		w.writeLine("deleted file mode " + plain)
	case s.Mode == patch.Executable:
		w.writeLine("old mode " + plain + "\nnew mode " + executable)
	case s.Mode == patch.NotExecutable:
		w.writeLine("old mode " + executable + "\nnew mode " + plain)
	}
}

// writeUnifiedHunk writes a hunk, and returns how many lines more it leaves than it finds. delta is that of the hunks above.
func (w *printer) writeUnifiedHunk(h patch.Hunk, numbered bool, delta int) int {
	if !w.isHunk(&h) {
		return 0
	}
	w.makeMarkable(&h)
	if h.AtEnd && !h.OldOpen && !h.NewOpen {
		w.cannot("that a hunk is at the end of the file")
	}
	old, new := len(h.Old()), len(h.New())
	heading := "@@"
	if numbered {
		heading = fmt.Sprintf("@@ -%s +%s @@", rangeOf(h.At, old), rangeOf(h.At+delta, new))
	}
	switch {
	case len(h.Anchors) > 1:
		w.cannot("several anchors of one hunk")
	case len(h.Anchors) == 1 && h.How != patch.Narrow:
		w.cannot("what the anchor %s means", fail.Quote(h.Anchors[0]))
	case len(h.Anchors) == 1:
		heading += " " + h.Anchors[0]
	}
	w.writeLine(heading)
	lastOld, lastNew := lastOldAndNew(h.Lines)
	for i, l := range h.Lines {
		w.writeBodyLine(string(l))
		if h.OldOpen && i == lastOld || h.NewOpen && i == lastNew {
			w.writeLine(noNewline)
		}
	}
	return new - old
}

// rangeOf writes the numbers of one side, whose first line would be number at.
func rangeOf(at, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", at-1)
	case 1:
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("%d,%d", at, count)
}

// printUnifiedHunk writes h alone.
func printUnifiedHunk(h patch.Hunk) (string, bool) {
	w := &printer{g: &unifiedGrammar}
	w.writeUnifiedHunk(h, false, 0)
	return w.String(), w.err == nil
}
