package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// printer writes one patch. It escapes nothing: it refuses what would be read back as something else.
type printer struct {
	strings.Builder
	g       *grammar
	section int
	path    string
	hunk    int
	err     *fail.Error
}

// print writes p in the dialect. Reading it again gives the same values with three exceptions: patch line numbers; Blank
// becomes 0, because the empty lines are written as context; and where a dialect wants an anchor for every hunk, one
// that has none gets its first old line.
//
// It converts values of another dialect where that gives no hunk another place, and loses nothing:
//
//   - Narrow and Seek anchors are kept where they mean no less, and refused elsewhere: without its anchor a hunk may find
//     another place.
//   - An Adjoin anchor is dropped if the block begins with it; otherwise it becomes a line of context.
//   - Lines added to an empty file are added at the end where the dialect knows no other way.
func (g *grammar) print(p patch.Patch) (string, error) {
	w := &printer{g: g}
	if !g.bare {
		w.writeLine(beginPatch)
	}
	w.writeEnvironment(p.Environment)
	for i := range p.Sections {
		w.section, w.path, w.hunk = i+1, p.Sections[i].Path, 0
		w.writeSection(&p.Sections[i])
	}
	if len(p.Sections) == 0 {
		w.cannot("a patch without sections")
	}
	if !g.bare {
		w.writeLine(endPatch)
	}
	if w.err != nil {
		return "", w.err
	}
	return w.String(), nil
}

// printHunk writes h alone, with its "@@", as it would stand among others.
func (g *grammar) printHunk(h patch.Hunk) (string, bool) {
	w := &printer{g: g}
	w.writeHunk(h, false)
	return w.String(), w.err == nil
}

func (w *printer) writeLine(s string) {
	w.WriteString(s)
	w.WriteByte('\n')
}

// cannot notes the first thing that the dialect cannot express.
func (w *printer) cannot(format string, args ...any) {
	if w.err == nil {
		hint := "Write this patch in another dialect; emend says the most."
		if w.g == &emendGrammar {
			hint = "Send the patch as it is, without converting it."
		}
		w.err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Section: w.section, Path: w.path, Hunk: w.hunk,
			Msg: w.g.name + " cannot say " + fmt.Sprintf(format, args...), Hint: hint}
	}
}

func (w *printer) writeEnvironment(name string) {
	switch {
	case name == "":
	case !w.g.environment || !fitsLine(name) || strings.TrimSpace(name) != name:
		w.cannot("the environment %s", fail.Quote(name))
	default:
		w.writeLine(environment + " " + name)
	}
}

// fitsLine reports whether s can be part of a line.
func fitsLine(s string) bool { return !strings.ContainsAny(s, "\n\x00") }

func (w *printer) writeSection(s *patch.Section) {
	if s.Op == patch.Copy {
		w.cannot("a copy")
	}
	if s.Op != patch.Add && s.Content != "" || s.Op != patch.Move && s.To != "" || len(s.Hunks) > 0 && s.Op != patch.Update && s.Op != patch.Move {
		w.cannot("what does not belong in the section: %s with content, hunks or a destination", s.Op)
	}
	if s.Mode != patch.KeepMode {
		w.cannot("whether a file is executable")
	}
	switch s.Op {
	case patch.Add:
		w.writeHeader("*** Add File: ", s)
		w.writeContent(s.Content)
	case patch.Delete:
		w.writeHeader("*** Delete File: ", s)
	case patch.Update:
		w.writeHeader("*** Update File: ", s)
		if len(s.Hunks) == 0 && !w.g.emptyUpdate {
			w.cannot("an update without hunks")
		}
		w.writeHunks(s.Hunks)
	case patch.Move:
		w.writeMove(s)
		w.writeHunks(s.Hunks)
	default:
		w.cannot("a section that does nothing")
	}
}

// writeHeader writes the first line of s, if reading it gives the same back.
func (w *printer) writeHeader(text string, s *patch.Section) {
	line := text + s.Path
	if op, path, _ := w.g.readHeader(line); op == s.Op && path == s.Path && fitsLine(s.Path) {
		w.writeLine(line)
		return
	}
	w.cannot("the path %s", fail.Quote(s.Path))
}

// readHeader returns what the dialect's reader reads in a header line; nothing if it refuses the line.
func (g *grammar) readHeader(line string) (op patch.Op, path, to string) {
	p := &parser{g: g, lines: startLines(line, 1)}
	op, rest, ok := g.header(p.headerLine())
	if !ok {
		return 0, "", ""
	}
	if op == patch.Move {
		path, to = p.readPaths(rest)
	} else {
		path = p.readPath(rest)
	}
	if p.err != nil {
		return 0, "", ""
	}
	return op, path, to
}

// writeMove writes the first line or lines of a Move.
func (w *printer) writeMove(s *patch.Section) {
	line := "*** Move File: " + s.Path + arrow + s.To
	op, path, to := w.g.readHeader(line)
	switch {
	case !w.g.moveFile && !w.g.moveTo:
		w.cannot("a move")
	case len(s.Hunks) == 0 && !w.g.emptyMove:
		w.cannot("a move without hunks")
	case op == patch.Move && path == s.Path && to == s.To && fitsLine(line):
		w.writeLine(line)
	case !w.g.moveTo:
		w.cannot("a move of %s to %s", fail.Quote(s.Path), fail.Quote(s.To))
	default:
		w.writeHeader("*** Update File: ", &patch.Section{Op: patch.Update, Path: s.Path})
		w.writeMoveTo(s.To)
	}
}

func (w *printer) writeMoveTo(to string) {
	line := moveTo + " " + to
	s := patch.Section{Op: patch.Update}
	p := &parser{g: w.g, lines: startLines(line, 1)}
	if p.readMoveTo(&s); p.err != nil || s.To != to || !fitsLine(to) {
		w.cannot("a move to %s", fail.Quote(to))
		return
	}
	w.writeLine(line)
}

// writeContent writes the lines of an added file.
func (w *printer) writeContent(text string) {
	marked := false
	switch ended := strings.HasSuffix(text, "\n"); {
	case text == "":
		return
	case w.g.lastNewline == always && !ended:
		w.cannot("a file that does not end in a newline")
	case w.g.lastNewline == always, w.g.lastNewline == unlessEmpty && ended && text != "\n" && !strings.HasSuffix(text, "\n\n"):
		text = strings.TrimSuffix(text, "\n")
	case w.g.lastNewline == unlessEmpty && !ended:
		marked = true
	}
	for line := range strings.SplitSeq(text, "\n") {
		w.writeBodyLine("+" + line)
	}
	if marked {
		w.writeLine(noNewline)
	}
}

// writeBodyLine writes a line of a file or a hunk with its mark.
func (w *printer) writeBodyLine(line string) {
	if !fitsLine(line) {
		w.cannot("a line that holds a newline or a NUL byte: %s", fail.Quote(line))
	}
	w.writeLine(line)
}
