package explain

import (
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/report"
)

// Result returns the explanation for an agent or a script.
func (e *Explanation) Result() report.Result {
	o := &report.Object{Ok: true, Data: e}
	if len(e.refused) > 0 {
		o.Ok, o.Error = false, report.New(report.View{ReadOnly: true}, nil, e.refused).(*report.Object).Error
	}
	o.Output = e.outline()
	return o
}

// Err returns the refusals that the patch would meet, or nil.
func (e *Explanation) Err() error {
	if len(e.refused) == 0 {
		return nil
	}
	return e.refused
}

// outline returns the verdicts alone.
func (e *Explanation) outline() string {
	var b strings.Builder
	b.WriteString(e.Says)
	for _, x := range e.Unread {
		b.WriteString("\n" + x.words())
	}
	for i := range e.Files {
		f := &e.Files[i]
		b.WriteString("\n" + f.words())
		for k := range f.Hunks {
			b.WriteString("\n  " + f.Hunks[k].words())
		}
	}
	return b.String()
}

// words returns the section in one line.
func (f *File) words() string {
	out := f.Operation + " " + report.OneLine(f.Path)
	if f.ToPath != "" {
		out += " -> " + report.OneLine(f.ToPath)
	}
	if f.Verdict != Refused {
		return out + ": " + report.OneLine(f.Says)
	}
	return out + ": refused, " + string(f.Kind) + ": " + report.OneLine(f.Says)
}

// words returns the hunk in one line.
func (h *Hunk) words() string {
	out := fmt.Sprintf("hunk %d (patch line %d): ", h.Number, h.PatchLine)
	if h.Verdict != Lands && h.Verdict != NotSought {
		out += h.Verdict.Words() + ": "
	}
	return out + report.OneLine(h.Says)
}

func (x *Excerpt) words() string {
	if x.Line == 0 {
		return report.OneLine(x.Says)
	}
	return fmt.Sprintf("patch line %d: %s", x.Line, report.OneLine(x.Says))
}

func sentence(s string) string { return strings.TrimSuffix(s, ".") + "." }

func firstNonEmpty(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
