package dialect

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// readAdded reads the lines of a new file. An empty line between them without its "+" is one of them only in a dialect that
// ignores such a line elsewhere, and if no other has the "+" and none stands above the first line.
func (p *parser) readAdded(s *patch.Section) {
	var content strings.Builder
	n, last, open := 0, "", false
	blank, blanks := 0, 0 // the first line of those without "+" that are blank, and how many are empty
	apart := p.ok && p.blank()
	for ; p.ok && p.err == nil; p.advance() {
		text, plus := strings.CutPrefix(p.line, "+")
		switch {
		case plus && open:
			p.refuse(p.n, "", fmt.Sprintf("a line after %q", noNewline), "Put that line at the end of the section.")
		case plus && blank > 0 && (p.g.blank != ignored || n > 0 && (apart || blanks < p.n-blank)):
			p.refuse(blank, "+", `an empty line without "+" inside of an added file`, `Write "+" for every line of the file, the empty ones too.`)
		case plus:
			p.marked = p.marked || text == ""
			if blanks > 0 {
				p.noteUnmarked(blank)
			}
			if n > 0 {
				content.WriteString(strings.Repeat("\n", 1+blanks))
			}
			content.WriteString(text)
			n, last, blank, blanks = n+1, text, 0, 0
		case p.blank():
			if blank == 0 {
				blank = p.n
			}
			if n > 0 && p.line == "" {
				blanks++
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

// noteUnmarked notes that the empty line n was read as an added one without its mark.
func (p *parser) noteUnmarked(n int) {
	p.ignored++ // another reading is possible
	if p.unmarked == 0 {
		p.unmarked = n
	}
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
