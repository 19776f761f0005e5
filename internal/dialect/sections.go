package dialect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/patch"
)

// readSections reads what is between the markers.
func (p *parser) readSections() {
	p.readEnvironment()
	begun, ended := false, false
	for p.ok && p.err == nil {
		line := p.headerLine()
		op, rest, isHeader := p.g.header(line)
		switch {
		case strings.TrimSpace(line) == "":
			p.advance()
		case isHeader && !ended:
			p.readSection(op, rest)
		case p.g.bare && line == beginPatch && !begun && len(p.out.Patch.Sections) == 0:
			begun = true
			p.advance()
		case p.g.bare && line == endPatch && !ended:
			ended = true
			p.advance()
		case p.g.bare && (ended || len(p.out.Patch.Sections) == 0) && !strings.HasPrefix(line, "*** "):
			p.ignored++
			p.fenced = decode.IsFence(line) && !p.fenced
			p.advance()
		case p.skipIgnored():
			p.advance()
		default:
			p.refuseStray(line, ended)
		}
	}
	if begun && !ended {
		p.ignored++ // the text may be cut off
	}
	if p.unmarked > 0 && p.marked {
		p.refuse(p.unmarked, "+", `an empty line without "+", where others have it`, `Write "+" for every empty line that is added.`)
	}
	if len(p.out.Patch.Sections) == 0 {
		p.refuse(p.n-1, wantSection, "the patch has no sections", "Write at least one "+p.g.headerList("or")+" section.")
	}
}

// readEnvironment reads the line that may stand directly below the first marker.
func (p *parser) readEnvironment() {
	if !p.g.environment || !p.ok {
		return
	}
	name, ok := strings.CutPrefix(p.headerLine(), environment)
	if !ok {
		return
	}
	if name = strings.TrimSpace(name); name == "" {
		p.refuse(p.n, "a name", fmt.Sprintf("%q names no environment", environment), "Write a name after the colon, or leave the line out.")
	}
	p.out.Patch.Environment = name
	p.advance()
}

// header reads the beginning of a section's first line.
func (g *grammar) header(line string) (op patch.Op, rest string, ok bool) {
	if !strings.HasPrefix(line, "*** ") {
		return 0, "", false
	}
	for _, h := range headers {
		if rest, ok := strings.CutPrefix(line, h.text); ok {
			return h.op, rest, h.op != patch.Move || g.moveFile
		}
	}
	return 0, "", false
}

// headerList names the headers of the dialect.
func (g *grammar) headerList(or string) string {
	var names []string
	for _, h := range headers {
		if h.op != patch.Move || g.moveFile {
			names = append(names, h.text)
		}
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + or + " " + names[last]
}

// readSection reads the section whose header is the current line.
func (p *parser) readSection(op patch.Op, rest string) {
	s := patch.Section{Op: op, Line: p.n}
	if p.headerLine() != p.line {
		p.report(p.n, "white space around the header was taken off")
	}
	if op == patch.Move {
		s.Path, s.To = p.readPaths(rest)
	} else {
		s.Path = p.readPath(rest)
	}
	p.advance()
	if p.err != nil {
		return
	}
	switch op {
	case patch.Add:
		p.readAdded(&s)
	case patch.Delete:
		p.skipBody("a Delete section has no lines of its own")
	default:
		p.readHunks(&s)
	}
	if all := p.out.Patch.Sections; len(all) == cap(all) {
		p.out.Patch.Sections = slices.Grow(all, len(all)+1) // doubled; append would grow it by quarters
	}
	p.out.Patch.Sections = append(p.out.Patch.Sections, s)
}

// readPath reads what follows the colon of a header.
func (p *parser) readPath(rest string) string {
	if strings.TrimSpace(rest) == "" {
		p.refuse(p.n, wantPath, "the header names no path", "Write the path after the colon and a space.")
		return ""
	}
	path, spaced := strings.CutPrefix(rest, " ")
	trimmed := strings.TrimSpace(rest)
	switch {
	case p.g.path == bothTrimmed:
	case p.g.path == trimsReported:
		if trimmed != path || !spaced {
			p.report(p.n, "the white space around the path %s was not one space before it", fail.Quote(trimmed))
		}
	case !spaced:
		p.refuse(p.n, wantPath, fmt.Sprintf("no space before the path %s", fail.Quote(path)), "Write one space after the colon.")
	case p.g.path == endTrimmed && trimEnd(path) != trimmed:
		p.refuse(p.n, wantPath, fmt.Sprintf("the path %s has white space before it", fail.Quote(trimEnd(path))), "Write one space after the colon.")
	case p.g.path == exactPath && path != trimmed:
		p.refuse(p.n, wantPath, fmt.Sprintf("the path %s has white space around it", fail.Quote(path)),
			"Write one space after the colon and nothing after the path.")
	}
	return trimmed
}

// readPaths reads "a -> b".
func (p *parser) readPaths(rest string) (from, to string) {
	i := strings.Index(rest, arrow)
	switch {
	case i < 0:
		p.refuse(p.n, "from"+arrow+"to", fmt.Sprintf("the header has no %q between two paths", arrow), "Write *** Move File: from"+arrow+"to.")
		return "", ""
	case i != strings.LastIndex(rest, arrow) && p.g.moveTo:
		p.refuse(p.n, "from"+arrow+"to", fmt.Sprintf("the header has more than one %q", arrow), "Use *** Update File: with *** Move to: on the next line.")
	case i != strings.LastIndex(rest, arrow):
		p.refuse(p.n, "from"+arrow+"to", fmt.Sprintf("the header has more than one %q", arrow), "A path that holds an arrow cannot be moved in this dialect.")
	}
	return p.readPath(rest[:i]), p.readPath(" " + rest[i+len(arrow):])
}

// skipBody skips the lines after the header of a section that has none.
func (p *parser) skipBody(complaint string) {
	for p.ok && p.err == nil {
		switch {
		case p.blank() || p.skipIgnored():
			p.advance()
		case strings.HasPrefix(p.headerLine(), "***"):
			return
		default:
			p.refuse(p.n, p.g.headerList("or"), fmt.Sprintf("%s, but here is %s", complaint, fail.Quote(p.line)), "Leave the line out.")
		}
	}
}

// refuseStray refuses a line between sections that is no header.
func (p *parser) refuseStray(line string, ended bool) {
	expected := p.g.headerList("or")
	hint := "Begin every section with " + expected + ", spelt exactly so."
	msg := "unknown line " + fail.Quote(line)
	switch {
	case p.beginsPair():
		msg, hint = "a unified diff in an envelope: "+fail.Quote(line), fmt.Sprintf("Send the diff alone, without %q and %q.", beginPatch, endPatch)
	case !strings.HasPrefix(line, "***"):
		msg = fmt.Sprintf("the line %s belongs to no section", fail.Quote(line))
	case ended:
		msg = fmt.Sprintf("%s after %q", fail.Quote(line), endPatch)
	case line == beginPatch:
		msg, hint = fmt.Sprintf("%q again, inside of a patch", beginPatch), "Put all sections between one pair of markers."
	case p.g.moveTo && strings.HasPrefix(line, moveTo):
		hint = moveTo + " stands directly below the *** Update File: line, once."
	case p.g.endOfFile == honoured && line == endOfFile:
		hint = endOfFile + " stands directly below the last line of a hunk, once."
	case p.g.environment && strings.HasPrefix(line, environment):
		hint = environment + " stands directly below " + beginPatch + ", once."
	}
	p.refuse(p.n, expected, msg, hint)
}
