package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// readAdded reads the lines of a new file.
func (p *parser) readAdded(s *patch.Section) {
	var content strings.Builder
	n, blank, last, open := 0, 0, "", false
	for ; p.ok && p.err == nil; p.advance() {
		text, plus := strings.CutPrefix(p.line, "+")
		switch {
		case plus && open:
			p.refuse(p.n, "", fmt.Sprintf("a line after %q", noNewline), "Put that line at the end of the section.")
		case plus && blank > 0 && p.g.strayLines == refused:
			p.refuse(blank, "+", `an empty line without "+" inside of an added file`, `Write "+" for every line of the file, the empty ones too.`)
		case plus:
			if n > 0 {
				content.WriteByte('\n')
			}
			content.WriteString(text)
			if blank > 0 {
				p.ignored++
			}
			n, last, blank = n+1, text, 0
		case p.blank():
			if blank == 0 {
				blank = p.n
			}
		case p.g.noNewline == honoured && p.g.isNoNewline(p.line):
			if n == 0 || blank > 0 || open {
				p.misplaced()
			}
			open = true
		case p.skipIgnored():
		case strings.HasPrefix(p.headerLine(), "***"):
			s.Content = p.finishContent(&content, n, last, open)
			return
		default:
			p.refuse(p.n, "+", fmt.Sprintf(`a line of an added file without "+": %s`, fail.Quote(p.line)), `Begin every line of the file with "+".`)
		}
	}
	s.Content = p.finishContent(&content, n, last, open)
}

// finishContent returns the content with its last newline as the dialect has it.
func (p *parser) finishContent(content *strings.Builder, n int, last string, open bool) string {
	switch rule := p.g.lastNewline; {
	case n == 0:
	case rule == always, rule == unlessEmpty && last != "" && !open:
		content.WriteByte('\n')
	}
	return content.String()
}

func (p *parser) misplaced() {
	p.refuse(p.n, "", fmt.Sprintf("%s in the wrong place", fail.Quote(p.line)),
		"It stands once, directly below the last line of the file as it is or as it will be.")
}
