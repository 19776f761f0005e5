package dialect

import (
	"fmt"
	"math"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// findEnvelope finds the envelope and starts at its first line. Text around it is refused, ignored or set aside.
func (p *parser) findEnvelope(text string) {
	g := p.g
	if g.bare {
		p.lines = startLines(text, 1)
		return
	}
	line := 1
	if g.heredoc {
		text, line = unwrapHeredoc(text)
	}
	l := startLines(text, line)
	l.skipBlank()
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
		p.report(begin.n, "white space around %q was taken off", beginPatch)
	}
	body, after, ok := p.findEnd(begin)
	if !ok {
		p.noEnd(text, max(begin.n, line+countLines(text)-1))
		return
	}
	p.checkAround(text, begin, first, after)
	p.lines = startLines(body, begin.n+1)
}

// noEnd refuses a patch that does not end. Without a newline at its end it is probably cut off: more is missing than the marker.
func (p *parser) noEnd(text string, last int) {
	expected, msg := endPatch, fmt.Sprintf("the patch has no %q line", endPatch)
	if !strings.HasSuffix(text, "\n") {
		expected, msg = "the rest of the patch, and "+endPatch, msg+", and no newline at its end"
	}
	p.refuse(last, expected, msg, "The text may have been cut off: send it again, whole, with that line at its end.")
}

// isMarker reports whether line is the marker, with the white space around it that the dialect allows.
func (g *grammar) isMarker(line, marker string) bool {
	switch {
	case g.padded:
		line = strings.TrimSpace(line)
	case g.trailing:
		line = trimEnd(line)
	}
	return line == marker
}

// findEnd finds the line that ends the envelope. One with white space before it counts only if there is no other: inside
// a hunk it may be a line of context.
func (p *parser) findEnd(begin lines) (body string, after lines, ok bool) {
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
				p.report(l.n, "white space after %q was taken off", endPatch)
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
	p.report(padded.n, "white space around %q was taken off", endPatch)
	padded.advance()
	return begin.rest[:end], padded, true
}

// checkAround refuses, ignores or sets aside the text before and after the envelope.
func (p *parser) checkAround(text string, begin, first, after lines) {
	for l := after; l.ok; l.advance() {
		if p.g.isMarker(l.line, beginPatch) {
			p.refuse(l.n, "", "a second patch begins here", "Put all sections between one pair of markers, or send the patches one after the other.")
			return
		}
	}
	if p.g.around == honoured && (p.refuseBeside(first, begin.n) || p.refuseBeside(after, math.MaxInt)) {
		return
	}
	after.skipBlank()
	switch {
	case p.g.around == honoured:
		p.setAside(textBefore(text, begin), first, after)
	case p.g.around == ignored && (first.n < begin.n || after.ok):
		p.ignored++
	case p.g.around == refused && after.ok:
		p.refuse(after.n, "", fmt.Sprintf("%s after %q: %s", kindOf(after.line), endPatch, fail.Quote(after.line)), p.aloneHint())
	}
}

// refuseBeside refuses a text that has more than the envelope to apply: a line above end that begins something in another format.
func (p *parser) refuseBeside(l lines, end int) bool {
	for ; l.ok && l.n < end; l.advance() {
		if l.format() != noFormat {
			p.refuse(l.n, "", "more to apply stands outside of the envelope: "+fail.Quote(l.line), "Put all sections between one pair of markers, or send what is in another format by itself.")
			return true
		}
	}
	return false
}

// textBefore returns what precedes the line of l in text. That line must not be the last one.
func textBefore(text string, l lines) string {
	return text[:len(text)-len(l.rest)-len("\n")-len(l.line)]
}

// aloneHint is the hint for text around the envelope.
func (p *parser) aloneHint() string {
	hint := "Send nothing before " + beginPatch + " and nothing after " + endPatch
	if p.g.lenient != nil {
		return hint + "‹lenient:, or pass {} to have it set aside›."
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
			p.refuse(l.n, beginPatch, fmt.Sprintf("there is white space around %q", beginPatch), p.aloneHint())
		} else {
			p.refuse(first.n, beginPatch, fmt.Sprintf("%s before %q: %s", kindOf(first.line), beginPatch, fail.Quote(first.line)), p.aloneHint())
		}
		return
	}
	e := notAPatch(text)
	if _, ok := unwrapJSONText(text, hasEnvelope); ok {
		e.Hint = "Send the patch itself, unescaped."
		if p.g.lenient != nil {
			e.Hint = "Send the patch itself, unescaped‹lenient:, or pass {} to have it taken out›."
		}
	}
	p.err = e
}
