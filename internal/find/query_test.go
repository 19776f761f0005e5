package find

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// TestTooLarge: an expression that would take seconds for each line is refused, and the refusal names the repetition.
func TestTooLarge(t *testing.T) {
	for _, query := range []string{strings.Repeat(`(?:(?:\w?){30}){30}`, 700), strings.Repeat(`(?:ab?){500}`, 101)} {
		_, err := newRegexp(query, false)
		reason(t, err, "command_failed/bad_pattern")
		e, _ := errors.AsType[*fail.Error](err)
		if !strings.Contains(e.Msg, "{30}\"") && !strings.Contains(e.Msg, `{500}"`) || len(e.Msg) > 300 {
			t.Errorf("%.30s: %s", query, e.Msg)
		}
	}
	for _, query := range []string{`\w{1000}`, `(?:(?:\w?){30}){30}`, strings.Repeat("ab", maxQuery/2), strings.Repeat("a?", maxQuery/2)} {
		if _, err := newRegexp(query, false); err != nil {
			t.Errorf("%.30s: %v", query, err)
		}
	}
}

// TestStopsInALine: however large an expression is, it takes few steps between two looks at the context.
func TestStopsInALine(t *testing.T) {
	q, err := newRegexp(strings.Repeat(`(?:(?:\w?){30}){30}`, 50), false)
	must(t, err)
	looks := &counted{Context: context.Background()}
	line := []byte(strings.Repeat("x", 100))
	q.matchRegexp(looks, q.re, line)
	if steps := len(line) * q.size / max(1, looks.n); steps > maxSteps {
		t.Errorf("%d looks in a line, %d steps for each", looks.n, steps)
	}
}

// counted counts the calls of Err.
type counted struct {
	context.Context
	n int
}

func (c *counted) Err() error { c.n++; return nil }

// TestDFAGivesUp: an expression that has too many states is left to package regexp, in the middle of a search.
func TestDFAGivesUp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var text strings.Builder
	for range 20_000 {
		for range 30 {
			text.WriteByte("abc"[r.IntN(3)])
		}
		text.WriteByte('\n')
	}
	q, err := newRegexp("[ab].{16}[^b][^c][ab]$", false)
	must(t, err)
	want := 0
	for line := range strings.Lines(text.String()) {
		if q.re.MatchString(strings.TrimSuffix(line, "\n")) {
			want++
		}
	}
	found, err := (&lineScanner{q: q}).scan(t.Context(), strings.NewReader(text.String()))
	if err != nil || len(found) != want || q.dfa != nil || want == 0 {
		t.Errorf("%d lines, want %d, DFA %t, %v", len(found), want, q.dfa != nil, err)
	}
}
