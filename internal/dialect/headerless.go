package dialect

import (
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// bodyHint says what a text without a header looks like.
const bodyHint = `Send only the lines of the diff: "@@", and lines that begin with " ", "-" or "+"; for a new file every line with "+".`

// readBody reads a text that is the lines of section s, whose header somebody else has said. A line that begins another section, or
// an envelope, is refused: the text is about one file.
func readBody(g *grammar, text string, s patch.Section) (Parsed, error) {
	if g.reader != nil {
		return Parsed{}, &fail.Error{Kind: fail.PatchParse, Path: s.Path, Section: 1, Line: 1, Msg: "a text of this dialect names its files itself", Hint: bodyHint}
	}
	body := *g
	body.moveTo = false
	p := &parser{g: &body}
	s.Line = 1
	if strings.TrimSpace(text) != "" || s.Op == patch.Update {
		if text, p.err = checkText(text); p.err != nil {
			p.err.Hint = bodyHint
			return Parsed{}, p.err
		}
	}
	p.lines = startLines(text, 1)
	first := p.lines
	first.skipBlank()
	switch {
	case strings.HasPrefix(first.line, "***"):
		p.lines = first
	case s.Op == patch.Add:
		p.readAdded(&s)
	case s.Op == patch.Delete:
		p.skipBody("a deletion has no lines")
	default:
		p.readHunks(&s)
	}
	if p.ok {
		p.refuse(p.n, "", "a line that is not part of the diff of one file: "+fail.Quote(p.line), bodyHint)
	}
	if p.err != nil {
		p.err.Path, p.err.Section = s.Path, 1
		return Parsed{}, p.err
	}
	p.out.Patch.Sections = []patch.Section{s}
	return p.out, nil
}
