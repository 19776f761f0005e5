package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// enter finds the envelope and stands on its first line; what is around it is refused, ignored or set aside.
func (p *parser) enter(text string) {
	g := p.g
	if g.bare {
		p.lines = walk(text, 1)
		return
	}
	line := 1
	if g.heredoc {
		text, line = unwrapHeredoc(text)
	}
	l := walk(text, line)
	l.toText()
	first := l
	for l.ok && !g.isMarker(l.line, beginPatch) && g.around != refused {
		l.advance()
	}
	if !l.ok || !g.isMarker(l.line, beginPatch) {
		p.noBegin(text, first)
		return
	}
	begin := l
	if begin.line != beginPatch {
		p.pass(begin.n, "white space around %q was taken off", beginPatch)
	}
	body, after, ok := p.leave(begin)
	if !ok {
		p.refuse(max(begin.n, line+count(text)-1), endPatch, fmt.Sprintf("the patch has no %q line", endPatch),
			"The text may have been cut off: send it again, whole, with that line at its end.")
		return
	}
	p.aside(text, begin, first, after)
	p.lines = walk(body, begin.n+1)
}

// isMarker reports whether line is the marker, with such white space as the dialect allows.
func (g *grammar) isMarker(line, marker string) bool {
	switch {
	case g.padded:
		line = strings.TrimSpace(line)
	case g.trailing:
		line = trimEnd(line)
	}
	return line == marker
}

// leave finds the line that ends the envelope. A padded one counts only when no other is there: inside of a hunk it
// may be a line of context.
func (p *parser) leave(begin lines) (body string, after lines, ok bool) {
	var padded lines
	size := len(begin.rest)
	at, end := 0, 0
	l := begin
	for {
		at = size - len(l.rest)
		if l.advance(); !l.ok {
			break
		}
		switch {
		case l.line == endPatch, (p.g.padded || p.g.trailing) && trimEnd(l.line) == endPatch:
			if l.line != endPatch {
				p.pass(l.n, "white space after %q was taken off", endPatch)
			}
			body = begin.rest[:at]
			l.advance()
			return body, l, true
		case p.g.padded && strings.TrimSpace(l.line) == endPatch:
			padded, end = l, at
		}
	}
	if !padded.ok {
		return "", l, false
	}
	p.pass(padded.n, "white space around %q was taken off", endPatch)
	padded.advance()
	return begin.rest[:end], padded, true
}

// aside deals with the text before and after the envelope.
func (p *parser) aside(text string, begin, first, after lines) {
	for l := after; l.ok; l.advance() {
		if p.g.isMarker(l.line, beginPatch) {
			p.refuse(l.n, "", "a second patch begins here", "Put all sections between one pair of markers, or send the patches one after the other.")
			return
		}
	}
	after.toText()
	switch {
	case p.g.around == honoured:
		p.setAside(before(text, begin), first, after)
	case p.g.around == ignored && (first.n < begin.n || after.ok):
		p.ignored++
	case p.g.around == refused && after.ok:
		p.refuse(after.n, "", fmt.Sprintf("%s after %q: %s", kindOf(after.line), endPatch, fail.Quote(after.line)), p.alone())
	}
}

// before is what stands in text before the line that l is on, which is not the last one.
func before(text string, l lines) string {
	return text[:len(text)-len(l.rest)-len("\n")-len(l.line)]
}

// alone is the hint for text around the envelope.
func (p *parser) alone() string {
	hint := "Send nothing before " + beginPatch + " and nothing after " + endPatch
	if p.g.looser != nil {
		return hint + ", or pass --lenient (lenient: true) to have it set aside."
	}
	return hint + "."
}

// noBegin says why the envelope does not begin where it should.
func (p *parser) noBegin(text string, first lines) {
	for l := first; l.ok; l.advance() {
		if strings.TrimSpace(strings.TrimPrefix(l.line, bom)) != beginPatch {
			continue
		}
		if l.n == first.n && !strings.HasPrefix(l.line, bom) {
			p.refuse(l.n, beginPatch, fmt.Sprintf("there is white space around %q", beginPatch), p.alone())
		} else {
			p.refuse(first.n, beginPatch, fmt.Sprintf("%s before %q: %s", kindOf(first.line), beginPatch, fail.Quote(first.line)), p.alone())
		}
		return
	}
	e := mistaken(text)
	if _, ok := unwrapped(text); ok {
		e.Hint = "Send the patch itself, unescaped."
		if p.g.looser != nil {
			e.Hint = "Send the patch itself, unescaped, or pass --lenient (lenient: true) to have it taken out."
		}
	}
	p.err = e
}
