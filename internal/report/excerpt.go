package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/hint"
)

// The limits of what a refusal shows of files. A model pays for every byte, mostly those of the first failures: what is
// left out here is in the details of the result, or in the file.
const (
	maxExcerpts   = 1500 // bytes that one text shows of files
	maxLines      = 12   // lines at one place
	maxDiffers    = 3    // differences named at one place
	maxPlaces     = 4    // places that are told apart
	maxLineBytes  = 160  // of a line
	maxDifference = 100  // bytes of a difference
	maxTold       = 2048 // bytes of the failures that an agent is told of; the first is told whatever its size
)

// excerpts shows what files have instead of what was looked for, as long as there is room.
type excerpts struct {
	reader hint.Reader
	left   int // bytes
}

// failure words one failure on several lines: the message, what the file has, the hint.
func (x *excerpts) failure(e *fail.Error) string {
	var out strings.Builder
	out.WriteString(Escape(e.Error()) + x.excerpt(e))
	for _, n := range e.Notes {
		out.WriteString("\n  note: " + Escape(n))
	}
	if e.Hint != "" {
		out.WriteString("\n  next: " + Escape(indent(x.reader.Say(e.Hint))))
	}
	return out.String()
}

// excerpt shows what the file has where e nearly fits, or at the places between which e leaves the choice. It begins
// with a newline, or is empty.
func (x *excerpts) excerpt(e *fail.Error) string {
	for _, words := range x.wordings(e) {
		if text := Escape(words); len(text) <= x.left {
			x.left -= len(text)
			return text
		}
	}
	return ""
}

// wordings are the ways to show what the file has, the one that says most first.
func (x *excerpts) wordings(e *fail.Error) (out []string) {
	switch n := e.Nearest; {
	case n != nil:
		at, others := differingLines(n)
		where := "\n  nearest: " + lineRange(n.Place) + differing(at)
		if n.Corrected != "" {
			out = append(out, where+"; this hunk would apply:"+block(n.Corrected))
		}
		if n.NewText != nil {
			out = append(out, where+"; "+x.reader.Say("this edit would apply, with ‹oldText›:")+block(n.OldText)+"\n  "+x.reader.Say("and ‹newText›:")+block(*n.NewText))
		}
		if n.OldText != "" {
			out = append(out, where+"; "+x.reader.Say("this ‹oldText› is there:")+block(n.OldText))
		}
		out = append(out, where+shownLines(n, at, others)+differs(others), where+differs(others), where)
	case len(e.Sides) > 0:
		out = append(out, sides(e.Sides, maxLines), sides(e.Sides, maxDiffers))
	case len(e.Around) > 0:
		out = append(out, around(e, maxPlaces), around(e, 2))
	}
	return out
}

// block shows text that a caller may send back, whole.
func block(s string) string { return "\n    " + indent(strings.TrimSuffix(s, "\n")) }

// numbered shows lines of a file and their numbers.
func numbered(first int, lines []string) string {
	var b strings.Builder
	for i, l := range lines[:min(len(lines), maxLines)] {
		fmt.Fprintf(&b, "\n  %6d  %s", first+i, shortenTo(l, maxLineBytes))
	}
	if more := len(lines) - maxLines; more > 0 {
		fmt.Fprintf(&b, "\n          (%d more lines)", more)
	}
	return b.String()
}

// sides shows the sides of a conflict, at most so many lines of each.
func sides(all []fail.Side, most int) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString("\n  " + s.Name)
		if s.Line > 0 {
			fmt.Fprintf(&b, ", line %d", s.Line)
		}
		if b.WriteByte(':'); len(s.Lines) == 0 {
			b.WriteString(" nothing")
		}
		for _, l := range s.Lines[:min(len(s.Lines), most)] {
			b.WriteString("\n    | " + shortenTo(l, maxLineBytes))
		}
		if more := len(s.Lines) - most; more > 0 {
			fmt.Fprintf(&b, "\n    (%d more lines)", more)
		}
	}
	return b.String()
}

// differingLine is a line of the file that the caller does not have so, and what differs, in a word or two.
type differingLine struct {
	number int
	what   string
}

// differingLines returns the lines of the nearest place that are not as the caller has them, and the differences that are
// about no such line: the caller has a line too many, for example.
func differingLines(n *fail.Nearest) (at []differingLine, others []string) {
	for _, d := range n.Differs {
		line, what, _ := strings.Cut(d, ": ")
		number, err := strconv.Atoi(strings.TrimPrefix(line, "line "))
		if err != nil || number < n.First || number-n.First >= len(n.Lines) {
			others = append(others, d)
			continue
		}
		what, _, found := strings.Cut(what, ": the file has ")
		switch {
		case strings.Contains(what, " leaves out "):
			what = "left out"
		case !found || what == "a changed line":
			what = "changed"
		}
		at = append(at, differingLine{number, what})
	}
	return at, others
}

// differing lists the lines that differ, and what does: indentation is not seen otherwise.
func differing(at []differingLine) string {
	if len(at) == 0 || len(at) > maxLines {
		return ""
	}
	words := make([]string, len(at))
	for i, l := range at {
		words[i] = fmt.Sprintf("%d: %s", l.number, l.what)
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// shownLines shows the lines of the nearest place that differ; all of them if it is not known which do, or many do.
func shownLines(n *fail.Nearest, at []differingLine, others []string) string {
	if len(at) > maxLines/2 || len(at)+len(others) == 0 {
		return numbered(n.First, n.Lines)
	}
	var out strings.Builder
	for _, l := range at {
		out.WriteString(numbered(l.number, n.Lines[l.number-n.First:][:1]))
	}
	return out.String()
}

// differs names differences that are about no line of the file.
func differs(list []string) string {
	var b strings.Builder
	for _, d := range list[:min(len(list), maxDiffers)] {
		b.WriteString("\n  differs: " + shortenTo(d, maxDifference))
	}
	if more := len(list) - maxDiffers; more > 0 {
		fmt.Fprintf(&b, "\n  differs: on %d more lines", more)
	}
	return b.String()
}

// around shows of each place the nearest lines above and below it that tell it from the others.
func around(e *fail.Error, most int) string {
	var b strings.Builder
	for i, a := range e.Around[:min(len(e.Around), most)] {
		b.WriteString("\n  place " + strconv.Itoa(i+1) + ": " + lineRange(e.Places[i]))
		for _, l := range []*fail.Line{a.Above, a.Below} {
			if l != nil {
				b.WriteString(numbered(l.Number, []string{l.Text}))
			}
		}
	}
	if more := e.Total - most; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more places", more)
	}
	return b.String()
}

func lineRange(p fail.Place) string {
	if p.Last <= p.First {
		return fmt.Sprintf("line %d", p.First)
	}
	return fmt.Sprintf("lines %d-%d", p.First, p.Last)
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }

// Shorten shortens a long line for people.
func Shorten(s string) string { return shortenTo(s, 200) }

func shortenTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("… (%d bytes)", len(s))
}
