package find

import (
	"context"
	"errors"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/fail"
)

// TestTooLarge: an expression that would take seconds for each line is refused, and the refusal says which repetition.
func TestTooLarge(t *testing.T) {
	for _, query := range []string{strings.Repeat(`(?:(?:\w?){30}){30}`, 700), strings.Repeat(`(?:ab?){500}`, 101)} {
		_, err := newRegexp(query, false)
		reason(t, err, "command_failed/bad_pattern")
		e, _ := errors.AsType[*fail.Error](err)
		if !strings.Contains(e.Msg, "{30}\"") && !strings.Contains(e.Msg, `{500}"`) || len(e.Msg) > 300 {
			t.Errorf("%.30s: %s", query, e.Msg)
		}
	}
	for _, query := range []string{`\w{1000}`, `(?:(?:\w?){30}){30}`, strings.Repeat("ab", mostQuery/2), strings.Repeat("a?", mostQuery/2)} {
		if _, err := newRegexp(query, false); err != nil {
			t.Errorf("%.30s: %v", query, err)
		}
	}
}

// TestWeigh: what is weighed is what is compiled.
func TestWeigh(t *testing.T) {
	for _, query := range []string{"a", "abc", "a*", "a+b?", "(a|b|cd)*", "[a-z]{3,9}", "a{7,}", `(?:(?:\w?){30}){30}`, "(?i)straße", `^\bfoo(bar)?$`, "(a{2,3}|b){4}", `\pL{100}`, "(?s).{0,500}x"} {
		tree, err := syntax.Parse(query, syntax.Perl)
		must(t, err)
		p, err := syntax.Compile(tree.Simplify())
		must(t, err)
		if got, want := weigh(tree), len(p.Inst)-2; got < want-want/10 || got > want+want/4+1 {
			t.Errorf("%s weighs %d and becomes %d instructions", query, got, want)
		}
	}
}

// TestStopsInALine: however large an expression is, between two looks at whether anybody waits it takes few steps.
func TestStopsInALine(t *testing.T) {
	q, err := newRegexp(strings.Repeat(`(?:(?:\w?){30}){30}`, 50), false)
	must(t, err)
	looks := &counted{Context: context.Background()}
	line := []byte(strings.Repeat("x", 100))
	q.find(looks, q.re, line)
	if steps := len(line) * q.size / max(1, looks.n); steps > mostWork {
		t.Errorf("%d looks in a line, %d steps for each", looks.n, steps)
	}
}

// counted counts how often it is asked.
type counted struct {
	context.Context
	n int
}

func (c *counted) Err() error { c.n++; return nil }
