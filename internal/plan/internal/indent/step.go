package indent

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// maxStep is the deepest step of indentation that is in use.
const maxStep = 8

// Step returns by how many spaces a file indents: the most frequent number of spaces by which a line stands further right than
// the one before it. It is 0 if no line does, or lines are indented by tabs more often.
func Step(file *text.Lines) int {
	var steps [maxStep + 1]int
	tabs, last := 0, 0
	for n := range file.Len() {
		line := file.Line(n)
		in, rest := Cut(line)
		if rest == "" {
			continue
		}
		if strings.Contains(in, "\t") {
			tabs++
			last = len(in)
			continue
		}
		if more := len(in) - last; more > 0 && more <= maxStep {
			steps[more]++
		}
		last = len(in)
	}
	best, most := 0, 0
	for step, n := range steps {
		if n > most {
			best, most = step, n
		}
	}
	if most < tabs {
		return 0
	}
	return best
}

// Mixes reports whether s indents an added line by tabs and spaces, which no line of the file does that s was made from: the spaces
// that were taken for a tab are then too few, or too many. The second lines of a comment begin with a star, behind one space.
func (s Shift) Mixes(lines []patch.Line) bool {
	mixed := func(in string) bool { return strings.HasPrefix(in, "\t") && strings.HasSuffix(in, " ") }
	if s.prefix || !s.changes {
		return false
	}
	for _, to := range s.seen {
		if mixed(to) {
			return false
		}
	}
	return slices.ContainsFunc(lines, func(l patch.Line) bool {
		to, rest := Cut(s.Apply(l.Text()))
		return !l.Old() && rest != "" && rest[0] != '*' && mixed(to)
	})
}

// Fits reports whether s is proved by a tab width, or more than half of the added lines that s changes become indented by a multiple of step spaces, or as one
// of the lines of the file that s was made from.
func (s Shift) Fits(step int, lines []patch.Line) bool {
	if step < 2 || !s.prefix {
		return true
	}
	is := map[string]bool{}
	for _, to := range s.seen {
		is[to] = true
	}
	fits, odd := 0, 0
	for _, l := range lines {
		was, rest := Cut(l.Text())
		if l.Old() || rest == "" {
			continue
		}
		to, _ := Cut(s.Apply(l.Text()))
		switch {
		case to == was || strings.Trim(to, " ") != "":
		case len(to)%step == 0 || is[to]:
			fits++
		default:
			odd++
		}
	}
	return odd == 0 || fits > odd
}

// Agrees reports whether the added lines of a hunk are indented better among the lines of the file with s than without it. lines are
// those of the hunk, with its old lines as they are in the file. A line that stands further right than the one before it counts
// against it, unless that one opens a block and the line is one step deeper. So do a line between two steps, unless old lines stand
// there, and one that stands elsewhere than what it replaces.
func (s Shift) Agrees(step int, lines []patch.Line) bool {
	if !s.prefix || !s.changes {
		return true
	}
	return misfits(step, lines, s.Apply) < misfits(step, lines, asWritten)
}

// FitAsWritten reports whether the added lines of a hunk are indented better among the lines of the file as they are written than one
// space further right. lines are as for [Shift.Agrees].
func FitAsWritten(step int, lines []patch.Line) bool {
	return misfits(step, lines, asWritten) < misfits(step, lines, func(line string) string { return " " + line })
}

// RunsFit reports whether the added lines of a hunk of which only the context was moved show that they were not. Each run of them has to
// begin as deep as what it replaces, and to have no line further left than all of that. A run that replaces nothing has to begin no
// deeper than the line above it allows, and to stand better than it would if it had been moved along with some line of the context. No
// added line may be indented by tabs where the lines of the file are not. No line may be removed and added again: one of the two was
// moved. A bracket closes as deep as the line that opens it, if an added line has one of the two. lines are as for [Shift.Agrees].
func (s *Seen) RunsFit(step int, lines []patch.Line) bool {
	if addsRemoved(lines) || !bracketsFit(step, lines) {
		return false
	}
	tabs := slices.ContainsFunc(lines, func(l patch.Line) bool { return l.Old() && tabbed(l) })
	above, replaced, least := 0, -1, 0 // the last line of context, and how deep the first of the removed lines below it and the leftmost stand
	for i := 0; i < len(lines); i++ {
		in, rest := Cut(lines[i].Text())
		switch {
		case lines[i].Mark() == ' ' && rest != "":
			above, replaced = i, -1
		case lines[i].Mark() == '-' && rest != "":
			at := width(in, step)
			if replaced < 0 {
				replaced, least = at, at
			}
			least = min(least, at)
		}
		if lines[i].Mark() != '+' {
			continue
		}
		to := i
		for to < len(lines) && lines[to].Mark() == '+' {
			if !tabs && tabbed(lines[to]) {
				return false
			}
			if in, rest := Cut(lines[to].Text()); replaced >= 0 && rest != "" && width(in, step) < least {
				if strings.IndexByte(")]}", rest[0]) < 0 {
					return false
				}
				least = width(in, step) // it ends the block around
			}
			to++
		}
		first := slices.IndexFunc(lines[i:to], func(l patch.Line) bool { return strings.TrimSpace(l.Text()) != "" })
		if first >= 0 && !s.runFits(step, lines[above:min(len(lines), to+1)], lines[i+first], replaced) {
			return false
		}
		i = to - 1
	}
	return true
}

// addsRemoved reports whether a run of changed lines removes a line with text and adds the same one.
func addsRemoved(lines []patch.Line) bool {
	var removed map[patch.Line]bool
	for _, l := range lines {
		switch l.Mark() {
		case '-':
			if removed == nil {
				removed = map[patch.Line]bool{}
			}
			removed[l[1:]] = strings.TrimSpace(l.Text()) != ""
		case '+':
			if removed[l[1:]] {
				return true
			}
		default:
			removed = nil
		}
	}
	return false
}

// bracketsFit reports whether each line of the outcome that begins with a closing bracket stands as deep as the one that ends with the opening
// one, if one of the two lines is added.
func bracketsFit(step int, lines []patch.Line) bool {
	type opener struct {
		at    int
		added bool
	}
	var open []opener
	for _, l := range lines {
		in, rest := Cut(l.Text())
		if l.Mark() == '-' || rest == "" {
			continue
		}
		at, adds := width(in, step), l.Mark() == '+'
		if n := len(open) - 1; n >= 0 && strings.IndexByte(")]}", rest[0]) >= 0 {
			if (adds || open[n].added) && at != open[n].at {
				return false
			}
			open = open[:n]
		}
		if rest = strings.TrimRight(rest, " \t"); strings.IndexByte("([{", rest[len(rest)-1]) >= 0 {
			open = append(open, opener{at, adds})
		}
	}
	return true
}

// runFits reports whether a run of added lines fits among lines, which begin with the one above and end with the one below it.
func (s *Seen) runFits(step int, lines []patch.Line, first patch.Line, replaced int) bool {
	if replaced >= 0 {
		in, _ := Cut(first.Text())
		return width(in, step) == replaced
	}
	n := slices.Index(lines, first)
	if misfits(0, lines[:n+1], asWritten) > 0 && misfits(step, lines[:n+1], asWritten) > 0 {
		return false
	}
	for _, more := range s.further {
		if misfits(step, lines, func(line string) string { return strings.TrimPrefix(line, more) }) <= misfits(step, lines, asWritten) {
			return false
		}
	}
	return true
}

func tabbed(l patch.Line) bool {
	in, rest := Cut(l.Text())
	return rest != "" && strings.Contains(in, "\t")
}

func asWritten(line string) string { return line }

// misfits counts the lines that stand too far right below the line before, of pairs with at least one added line.
func misfits(step int, lines []patch.Line, as func(string) string) (n int) {
	last, opens, added, first := 0, false, false, true
	begun, comment := false, false // whether the line before begins a comment of lines with stars, and whether this one is in it
	shown := map[int]bool{}        // where old lines stand
	for _, l := range lines {
		if in, rest := Cut(l.Text()); l.Old() && rest != "" {
			shown[width(in, step)] = true
		}
	}
	replaced := -1 // where the first of the removed lines stands that were just passed
	for _, l := range lines {
		line := l.Text()
		if l.Mark() == '+' {
			line = as(line)
		}
		in, rest := Cut(line)
		at := width(in, step)
		switch {
		case rest == "":
			continue
		case l.Mark() == '-':
			if replaced < 0 {
				replaced = at
			}
			continue
		case l.Mark() == '+' && replaced >= 0 && at != replaced:
			n++
		}
		replaced = -1
		more := at - last
		mayStand := more <= 0 || opens && more <= max(step, 1)
		if comment = comment && rest[0] == '*'; comment && begun {
			mayStand = more == 1
		}
		if !first && (added || l.Mark() == '+') && !mayStand {
			n++
		}
		if l.Mark() == '+' && step > 1 && at%step != 0 && !shown[at] && !comment {
			n++
		}
		last, added, first, opens = at, l.Mark() == '+', false, mayOpen(rest)
		begun = strings.HasPrefix(rest, "/*")
		comment = (comment || begun) && !strings.Contains(rest, "*/")
	}
	return n
}

// openers are words that begin or end a line before deeper ones, in languages that do without brackets.
var openers = map[string]bool{"then": true, "do": true, "else": true, "begin": true, "try": true, "loop": true, "def": true, "class": true,
	"module": true, "if": true, "elsif": true, "unless": true, "while": true, "until": true, "for": true, "case": true, "when": true,
	"function": true, "local": true, "rescue": true, "ensure": true, "describe": true, "context": true, "it": true}

// mayOpen reports whether the next line may stand deeper than this one.
func mayOpen(line string) bool {
	words := strings.Fields(line)
	last := words[len(words)-1]
	return strings.ContainsAny(last[len(last)-1:], "{([:,=>|&\\+") || openers[last] || openers[words[0]]
}

// width returns how far right an indent ends, with a tab as one step.
func width(in string, step int) (n int) {
	if step == 0 {
		step = 1
	}
	for _, c := range in {
		if c == '\t' {
			n += step
		} else {
			n++
		}
	}
	return n
}
