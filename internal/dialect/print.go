package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// printer is the work of writing one patch. Nothing is escaped: what would read back as something else is refused.
type printer struct {
	strings.Builder
	g       *grammar
	section int
	path    string
	hunk    int
	err     *fail.Error
}

// print writes p in the dialect. Read again it gives the same values, but for three: patch line numbers; a Blank
// becomes 0, for the empty lines are written as context; and where a dialect wants an anchor for every hunk, one
// that has none gets its first old line.
//
// Values of another dialect are said in this one's terms where that places no hunk anywhere else:
//   - Narrow and Seek anchors are kept where they mean no less, and mean nothing where a hunk must have exactly one
//     place anyway.
//   - An Adjoin anchor is left out if the block begins with it; otherwise it becomes a line of context.
//   - Lines added to an empty file are added at the end where the dialect knows no other way.
func (g *grammar) print(p patch.Patch) (string, error) {
	w := &printer{g: g}
	if !g.bare {
		w.line(beginPatch)
	}
	w.environment(p.Environment)
	for i := range p.Sections {
		w.section, w.path, w.hunk = i+1, p.Sections[i].Path, 0
		w.file(&p.Sections[i])
	}
	if len(p.Sections) == 0 {
		w.cannot("a patch without sections")
	}
	if !g.bare {
		w.line(endPatch)
	}
	if w.err != nil {
		return "", w.err
	}
	return w.String(), nil
}

// printHunk writes h alone, as it would stand among others: with its "@@".
func (g *grammar) printHunk(h patch.Hunk) (string, bool) {
	w := &printer{g: g}
	w.one(h, false)
	return w.String(), w.err == nil
}

func (w *printer) line(s string) {
	w.WriteString(s)
	w.WriteByte('\n')
}

// cannot puts down the first thing that the dialect cannot say.
func (w *printer) cannot(format string, args ...any) {
	if w.err == nil {
		w.err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Section: w.section, Path: w.path, Hunk: w.hunk,
			Msg:  w.g.name + " cannot say " + fmt.Sprintf(format, args...),
			Hint: "Write this patch in another dialect; emend says the most."}
	}
}

func (w *printer) environment(name string) {
	switch {
	case name == "":
	case !w.g.environment || !sound(name) || strings.TrimSpace(name) != name:
		w.cannot("the environment %s", fail.Quote(name))
	default:
		w.line(environment + " " + name)
	}
}

// sound reports whether s can be part of a line at all.
func sound(s string) bool { return !strings.ContainsAny(s, "\n\x00") }

// file writes a section.
func (w *printer) file(s *patch.Section) {
	if s.Op != patch.Add && s.Content != "" || s.Op != patch.Move && s.To != "" || len(s.Hunks) > 0 && s.Op != patch.Update && s.Op != patch.Move {
		w.cannot("what does not belong in the section: %s with content, hunks or a destination", s.Op)
	}
	switch s.Op {
	case patch.Add:
		w.header("*** Add File: ", s)
		w.content(s.Content)
	case patch.Delete:
		w.header("*** Delete File: ", s)
	case patch.Update:
		w.header("*** Update File: ", s)
		if len(s.Hunks) == 0 && !w.g.emptyUpdate {
			w.cannot("an update without hunks")
		}
		w.hunks(s.Hunks)
	case patch.Move:
		w.move(s)
		w.hunks(s.Hunks)
	default:
		w.cannot("a section that does nothing")
	}
}

// header writes the first line of s, if it reads back as what it says.
func (w *printer) header(text string, s *patch.Section) {
	line := text + s.Path
	if op, path, _ := w.g.reads(line); op == s.Op && path == s.Path && sound(s.Path) {
		w.line(line)
		return
	}
	w.cannot("the path %s", fail.Quote(s.Path))
}

// reads is what a header says to the dialect's own reader; nothing when it refuses the line.
func (g *grammar) reads(line string) (op patch.Op, path, to string) {
	p := &parser{g: g, lines: walk(line, 1)}
	op, rest, ok := g.header(p.outer())
	if !ok {
		return 0, "", ""
	}
	if op == patch.Move {
		path, to = p.paths(rest)
	} else {
		path = p.path(rest)
	}
	if p.err != nil {
		return 0, "", ""
	}
	return op, path, to
}

// move writes the first line or lines of a Move.
func (w *printer) move(s *patch.Section) {
	line := "*** Move File: " + s.Path + arrow + s.To
	op, path, to := w.g.reads(line)
	switch {
	case !w.g.moveFile && !w.g.moveTo:
		w.cannot("a move")
	case len(s.Hunks) == 0 && !w.g.emptyMove:
		w.cannot("a move without hunks")
	case op == patch.Move && path == s.Path && to == s.To && sound(line):
		w.line(line)
	case !w.g.moveTo:
		w.cannot("a move of %s to %s", fail.Quote(s.Path), fail.Quote(s.To))
	default:
		w.header("*** Update File: ", &patch.Section{Op: patch.Update, Path: s.Path})
		w.moveTo(s.To)
	}
}

func (w *printer) moveTo(to string) {
	line := moveTo + " " + to
	s := patch.Section{Op: patch.Update}
	p := &parser{g: w.g, lines: walk(line, 1)}
	if p.readMoveTo(&s); p.err != nil || s.To != to || !sound(to) {
		w.cannot("a move to %s", fail.Quote(to))
		return
	}
	w.line(line)
}

// content writes the lines of an added file.
func (w *printer) content(text string) {
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
		w.bodyLine("+" + line)
	}
	if marked {
		w.line(noNewline)
	}
}

// bodyLine writes a line of a file or a hunk with its mark.
func (w *printer) bodyLine(line string) {
	if !sound(line) {
		w.cannot("a line that holds a newline or a NUL byte: %s", fail.Quote(line))
	}
	w.line(line)
}
