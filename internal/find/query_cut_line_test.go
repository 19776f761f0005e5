package find

import (
	"context"
	"strings"
	"testing"
	"testing/iotest"
)

// TestCutLine: the searched part of a line that is too long has no end that an expression could match.
func TestCutLine(t *testing.T) {
	fill := strings.Repeat("x", maxLine-3)
	cut := fill + "foobar"
	for _, tt := range []struct {
		query, line string
		want        bool
	}{
		{"foo$", cut, false}, {`foo\z`, cut, false}, {"(?m)foo$", cut, false}, {`foo\b`, cut, false}, {`foo(\B|\b)$`, cut, false},
		{"(foo$|zz)", cut, false}, {"(?i)FOO($|!)", cut, false},
		{"foo", cut, true}, {"^x+foo", cut, true}, {"(foo$|foo)", cut, true}, {`\bx`, cut, true}, {"xf?o?o?o?", cut, true}, {"foo.*", cut, true}, {"foob", cut, false},
		{"foo$", fill + "foo", true}, {"foo$", fill + "foo\n", true}, {"foo$", "\ufeff" + fill + "foo\n", true}, {"foo$", "\ufeff" + cut, false},
	} {
		q, err := newRegexp(tt.query, false)
		must(t, err)
		l := &lineScanner{q: q}
		found, err := l.scan(context.Background(), iotest.HalfReader(strings.NewReader(tt.line)))
		must(t, err)
		if cuts := strings.Count(tt.line, "bar"); len(found) == 1 != tt.want || l.cutLines != cuts {
			t.Errorf("%s in a line of %d: %d found, %d cut, want %d", tt.query, len(tt.line), len(found), l.cutLines, cuts)
		}
	}
}

// TestUnsearched: the summary counts what was not searched, the same for any number of goroutines.
func TestUnsearched(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", maxLine)
	plant(t, dir, map[string]string{"a": long + "x\n" + long + "\n" + long + "xx", "b/c": strings.Repeat("foo\n", sniffBytes) + "\x00", "b/d": "x" + long + "\x00\nfoo", "e": "foo\x00", "f": "foo"})
	g, o := opened(t, dir, ".")
	for workers := 1; workers < 5; workers++ {
		o.Workers = workers
		_, out, err := Search(context.Background(), g, o, SearchQuery{Query: "bar"})
		must(t, err)
		if want := (Summary{Files: 5, CutLines: 3, StoppedAtNUL: 2}); out != want {
			t.Errorf("%d workers: %+v, want %+v", workers, out, want)
		}
	}
	if _, out := searched(t, dir, "b/d", SearchQuery{Query: "bar"}); out != (Summary{Files: 1, CutLines: 1, StoppedAtNUL: 1}) {
		t.Errorf("one file: %+v", out)
	}
	if _, out := searched(t, dir, "b/c", SearchQuery{Query: "foo", Limit: 1}); out.StoppedAtNUL != 0 {
		t.Errorf("enough before the NUL: %+v", out)
	}
	if _, out := searched(t, dir, ".", SearchQuery{Query: "x", Limit: 1}); out.CutLines != 1 || out.StoppedAtNUL != 0 || !out.More {
		t.Errorf("the first match: %+v", out)
	}
}
