package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// parser is the work of reading one text. It stops at the first error.
type parser struct {
	lines
	g       *grammar
	out     Parsed
	ignored int // lines that the dialect passes over though they say something
	err     *fail.Error
}

// parseWith is the Parse function of a dialect. It takes time linear in the text, and when it fails one more pass
// for every other dialect, to see which one reads it.
func parseWith(g *grammar) func(string, Options) (Parsed, error) {
	return func(text string, o Options) (Parsed, error) {
		g := g
		if o.Lenient && g.looser != nil {
			g = g.looser
		}
		p := read(g, text)
		if p.err != nil {
			p.err.Hint = strings.TrimSpace(elsewhere(g, text, p.err) + " " + p.err.Hint)
			return Parsed{}, p.err
		}
		return p.out, nil
	}
}

// read reads text by g.
func read(g *grammar, text string) *parser {
	p := &parser{g: g}
	if text, p.err = clean(text); p.err != nil {
		return p
	}
	if g.reports {
		text = p.unwrapJSON(text)
	}
	if p.err == nil {
		p.enter(text)
	}
	if p.err == nil {
		p.sections()
	}
	return p
}

// Reads names the dialects that read text as it is, strictly and with nothing passed over.
func Reads(text string, except *Dialect) []string {
	name := ""
	if except != nil {
		name = except.Name
	}
	return readers(text, name)
}

func readers(text, except string) []string {
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

// elsewhere says which other reading takes a text that g refused.
func elsewhere(g *grammar, text string, err *fail.Error) string {
	if g.looser != nil && !strings.Contains(err.Hint, "--lenient") && read(g.looser, text).err == nil {
		return "With --lenient (lenient: true) this text is read."
	}
	names := readers(text, g.name)
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("This text reads as %s; pass --dialect %s.", strings.Join(names, ", "), names[0])
}

// refuse puts down the first error.
func (p *parser) refuse(line int, expected, msg, hint string) {
	if p.err == nil {
		p.err = &fail.Error{Kind: fail.PatchParse, Line: line, Expected: expected, Msg: msg, Hint: hint}
	}
}

// pass reports what a lenient reading let pass on line n.
func (p *parser) pass(n int, format string, args ...any) {
	if p.g.reports {
		p.out.Passed = append(p.out.Passed, fmt.Sprintf("patch line %d: ", n)+fmt.Sprintf(format, args...))
	}
}

// outer is the line as a header between sections reads it.
func (p *parser) outer() string {
	if p.g.padded {
		return strings.TrimSpace(p.line)
	}
	return p.inner()
}

// inner is the line as a header inside of an Update reads it.
func (p *parser) inner() string {
	if p.g.padded || p.g.trailing {
		return trimEnd(p.line)
	}
	return p.line
}

// skips passes over a line that means nothing in the dialect, and reports whether it did.
func (p *parser) skips() bool {
	g := p.g
	switch {
	case g.endOfFile == ignored && p.inner() == endOfFile,
		g.noNewline == ignored && g.isNoNewline(p.line),
		g.strays == ignored && !strings.HasPrefix(p.line, "*** "):
		if !p.blank() {
			p.ignored++
		}
		return true
	}
	return false
}

func (g *grammar) isNoNewline(line string) bool {
	return line == noNewline || g.reports && strings.HasPrefix(line, `\ `)
}

// hasOld reports whether any line must be in the file now.
func hasOld(lines []patch.Line) bool {
	for _, l := range lines {
		if l.Old() {
			return true
		}
	}
	return false
}
