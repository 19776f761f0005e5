package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/decode"
	"github.com/emend-dev/emend/patch"
)

// parser reads one text. It stops at the first error.
type parser struct {
	lines
	g       *grammar
	out     Parsed
	ignored int // lines that say something and that the dialect skips
	dropped int // those of them that stand below a header
	err     *fail.Error

	aside    int  // lines around the patch that were set aside one by one
	fenced   bool // a Markdown fence is open above the first section
	unmarked int  // the first empty line that was read as an added one without its mark
	marked   bool // an empty line is added with its mark
}

// parseWith returns the Parse function of a dialect. It takes time linear in the text. When it fails it makes one more
// pass for every other dialect, to see which one reads the text.
func parseWith(g *grammar) func(string, Options) (Parsed, error) {
	return func(text string, o Options) (Parsed, error) {
		g := g
		if o.Lenient && g.lenient != nil {
			g = g.lenient
		}
		if o.Header != nil {
			return readBody(g, text, *o.Header)
		}
		p := read(g, text)
		if g.decodes {
			p.out.Decodings = decodings(g, text, p)
		}
		if p.err != nil {
			p.err.Hint = strings.TrimSpace(otherReading(g, text, p.err) + " " + p.err.Hint)
			return Parsed{Decodings: p.out.Decodings}, p.err
		}
		return p.out, nil
	}
}

// read reads text by g.
func read(g *grammar, text string) *parser {
	p := &parser{g: g}
	if text, p.err = checkText(text); p.err != nil {
		return p
	}
	if g.reports {
		text = p.unwrapJSON(text)
	}
	if g.reports && g.reader != nil && p.err == nil {
		text = p.unwrapLines(text)
	}
	if p.err == nil && g.reader != nil {
		if g.reader(p, text); p.aside > maxAside {
			p.out.Passed = append(p.out.Passed, fmt.Sprintf("%d more lines around the patch were set aside", p.aside-maxAside))
		}
		return p
	}
	if p.err == nil {
		p.findEnvelope(text)
	}
	if p.err == nil {
		p.readSections()
	}
	return p
}

// Reads names the dialects that read text as it is, strictly and without ignoring or guessing anything in it.
func Reads(text string, except *Dialect) []string {
	name := ""
	if except != nil {
		name = except.Name
	}
	return readBy(text, name)
}

func readBy(text, except string) []string {
	var out []string
	for _, g := range grammars {
		if g.name == except {
			continue
		}
		if p := read(g, text); p.err == nil && p.ignored == 0 {
			out = append(out, g.name)
		}
	}
	return out
}

// otherReading says how else a text is read that g refused.
func otherReading(g *grammar, text string, err *fail.Error) string {
	if g.lenient != nil && !strings.Contains(err.Hint, "lenient:") && read(g.lenient, text).err == nil {
		return "‹lenient:With {} this text is read.›"
	}
	names := readBy(text, g.name)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("‹dialect:This text reads as %s; pass {} %s.›", strings.Join(names, ", "), names[0])
}

// refuse notes the first error.
func (p *parser) refuse(line int, expected, msg, hint string) {
	if p.err == nil {
		p.err = &fail.Error{Kind: fail.PatchParse, Line: line, Expected: expected, Msg: msg, Hint: hint}
	}
}

// report notes what a lenient reading accepted on line n.
func (p *parser) report(n int, format string, args ...any) {
	if p.g.reports {
		p.out.Passed = append(p.out.Passed, fmt.Sprintf("patch line %d: ", n)+fmt.Sprintf(format, args...))
	}
}

// maxAside limits the lines around a patch that are reported one by one.
const maxAside = 20

// setLineAside reports that line n, which is not part of the patch, was set aside.
func (p *parser) setLineAside(n int, line string) {
	if p.aside++; p.aside <= maxAside {
		p.report(n, "text around the patch was set aside: %s", fail.Quote(line))
	}
}

// headerLine returns the line as a header between sections is read.
func (p *parser) headerLine() string {
	if p.g.padded {
		return strings.TrimSpace(p.line)
	}
	return p.updateLine()
}

// updateLine returns the line as a header inside an Update is read.
func (p *parser) updateLine() string {
	if p.g.padded || p.g.trailing {
		return trimEnd(p.line)
	}
	return p.line
}

// skipIgnored reports whether the line means nothing in the dialect, and counts it if it says something.
func (p *parser) skipIgnored() bool {
	g := p.g
	switch {
	case g.endOfFile == ignored && p.updateLine() == endOfFile, g.noNewline == ignored && g.isNoNewline(p.line):
		p.drop(1)
		return true
	}
	return p.fenced && decode.IsFence(p.line) && strings.Trim(p.line, "`~ ") == "" && strings.TrimSpace(p.rest) == ""
}

// drop counts n lines of a section that the dialect skips.
func (p *parser) drop(n int) {
	p.ignored += n
	p.dropped += n
}

func (g *grammar) isNoNewline(line string) bool {
	return line == noNewline || g.reports && strings.HasPrefix(line, `\ `)
}

// hasOld reports whether any line must be in the file before the change.
func hasOld(lines []patch.Line) bool {
	for _, l := range lines {
		if l.Old() {
			return true
		}
	}
	return false
}
