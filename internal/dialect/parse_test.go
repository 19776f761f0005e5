package dialect

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

// show writes a patch in a notation of its own: a line a section, a line a hunk, a line a line.
func show(p patch.Patch) string {
	var b strings.Builder
	if p.Environment != "" {
		fmt.Fprintf(&b, "environment %q\n", p.Environment)
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "%d %s %q", s.Line, s.Op, s.Path)
		if s.Op == patch.Move || s.Op == patch.Copy {
			fmt.Fprintf(&b, " to %q", s.To)
		}
		if s.Mode != patch.KeepMode {
			b.WriteString([...]string{"", " executable", " not executable"}[s.Mode])
		}
		if s.Blob != "" {
			b.WriteString(" of " + s.Blob)
		}
		if s.Op == patch.Add {
			fmt.Fprintf(&b, " = %q", s.Content)
		}
		b.WriteByte('\n')
		for _, h := range s.Hunks {
			fmt.Fprintf(&b, "  %d:", h.Line)
			if h.At > 0 {
				fmt.Fprintf(&b, " at %d", h.At)
			}
			for _, a := range h.Anchors {
				fmt.Fprintf(&b, " %s %q", [...]string{"narrow", "seek", "adjoin"}[h.How], a)
			}
			for _, f := range []struct {
				on   bool
				name string
			}{{h.AtEnd, "at-end"}, {h.OldOpen, "old-open"}, {h.NewOpen, "new-open"}} {
				if f.on {
					b.WriteString(" " + f.name)
				}
			}
			if h.Blank > 0 {
				fmt.Fprintf(&b, " blank=%d", h.Blank)
			}
			for _, l := range h.Lines {
				fmt.Fprintf(&b, " [%s]", string(l))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// reading is what came of reading a text: its values, what was let pass, or the refusal.
func reading(d *Dialect, text string, o Options) string {
	got, err := d.Parse(text, o)
	if err != nil {
		var e *fail.Error
		if !errors.As(err, &e) {
			return "not a fail.Error: " + err.Error()
		}
		return fmt.Sprintf("! %d %s\n", e.Line, e.Msg)
	}
	return show(got.Patch) + strings.Join(append(got.Passed, ""), "\n")
}

// A rule is one sentence of the contract: what a text says in a dialect. A want that begins with "!" is a refusal:
// the line, and words of its message.
type rule struct {
	name, text, want string
}

func check(t *testing.T, d *Dialect, o Options, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			got := reading(d, r.text, o)
			if ok := got == r.want; ok || strings.HasPrefix(r.want, "!") && strings.HasPrefix(got, "!") && sameRefusal(got, r.want) {
				return
			}
			t.Errorf("%s reads\n%s\nas\n%s\nwant\n%s", d.Name, r.text, got, r.want)
		})
	}
}

func sameRefusal(got, want string) bool {
	gotLine, gotMsg, _ := strings.Cut(strings.TrimPrefix(got, "! "), " ")
	wantLine, wantMsg, _ := strings.Cut(strings.TrimPrefix(want, "! "), " ")
	return gotLine == wantLine && strings.Contains(gotMsg, wantMsg)
}

// in puts sections between the markers.
func in(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch\n"
}

// up puts lines into an Update section of f; its first line is line 3.
func up(lines ...string) string {
	return in(append([]string{"*** Update File: f"}, lines...)...)
}

func refusal(t *testing.T, err error) *fail.Error {
	t.Helper()
	e, ok := errors.AsType[*fail.Error](err)
	if !ok {
		t.Fatalf("err = %v, want a *fail.Error", err)
	}
	return e
}
