package find

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/report"
)

func printed(t testing.TB, dir, root string, q SearchQuery, workers int) (string, int, Summary) {
	t.Helper()
	g, o := opened(t, dir, root)
	o.Workers = workers
	var b bytes.Buffer
	n, out, err := SearchTo(context.Background(), g, o, q, &b)
	must(t, err)
	return b.String(), n, out
}

// TestSearchTo: SearchTo writes what Search finds, in a directory or in one file, with any number of goroutines.
func TestSearchTo(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{
		"a/many":   strings.Repeat("a line that has a foo\n", 30_000),
		"a/odd":    "foo\x01\nx\tfoo\r\n\xfffoo\nfoo \u202e é foo\n" + strings.Repeat("long ", 100) + "foo" + strings.Repeat(" long", 100) + "\nfoo",
		"b/c/none": "bar\n", "b/na\nme foo": "foo", "b/nul": "foo\nfoo\n" + strings.Repeat("x\n", sniffBytes) + "\x00foo", "c": "foo",
	})
	for _, q := range []SearchQuery{{Query: "foo"}, {Query: `fo+$`, Mode: Regexp}, {Query: "FOO", IgnoreCase: true}, {Query: `\d`, Mode: Regexp}, {Query: "foo", Mode: Paths}, {Query: "*", Mode: Paths}} {
		for _, q.Limit = range []int{0, 1, 3, 20_000, 30_001, 30_004} {
			for _, root := range []string{".", "a/many", "a/odd"} {
				want, is := searched(t, dir, root, q)
				for workers := 1; workers < 4; workers++ {
					got, n, out := printed(t, dir, root, q, workers)
					if words := worded(want); got != words || n != len(want) || out != is {
						t.Errorf("%+v in %s, %d workers: %d and %+v, %d bytes; want %d and %+v, %d bytes", q, root, workers, n, out, len(got), len(want), is, len(words))
					}
				}
			}
		}
	}
}

func worded(all []Match) string {
	var b strings.Builder
	for _, m := range all {
		if b.WriteString(report.OneLine(m.Path)); m.Line > 0 {
			fmt.Fprintf(&b, ":%d:%s", m.Line, report.OneLine(m.Preview))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

type broken struct{ left int }

var errBroken = errors.New("broken")

func (b *broken) Write(p []byte) (int, error) {
	if b.left--; b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// TestSearchToStops: a search whose writer fails ends, and returns the error.
func TestSearchToStops(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("d%d/f", i)] = strings.Repeat("foo\n", 5000)
	}
	plant(t, dir, files)
	for _, root := range []string{".", "d1/f"} {
		g, o := opened(t, dir, root)
		for left := range 2 {
			_, out, err := SearchTo(context.Background(), g, o, SearchQuery{Query: "foo"}, &broken{left})
			if !errors.Is(err, errBroken) && (root == "." || left == 0) {
				t.Errorf("%s: %v, %+v", root, err, out)
			}
		}
	}
}

// TestSearchToMemory: printed matches are written before all of them are there.
func TestSearchToMemory(t *testing.T) {
	dir := t.TempDir()
	plant(t, dir, map[string]string{"f": strings.Repeat("a line that matches\n", 400_000)})
	g, o := opened(t, dir, "f")
	w := &largest{}
	if _, _, err := SearchTo(context.Background(), g, o, SearchQuery{Query: "line"}, w); err != nil || w.n > 2*printBytes {
		t.Errorf("%d bytes at once, %v", w.n, err)
	}
}

type largest struct{ n int }

func (l *largest) Write(p []byte) (int, error) {
	l.n = max(l.n, len(p))
	return len(p), nil
}

// TestPrintHead: a line is printed with its own number, whatever the number before it.
func TestPrintHead(t *testing.T) {
	for step := 1; step < 13; step++ {
		var l lineScanner
		for n := step; n < 1200; n += step {
			l.name = "f"
			l.printHead(n)
			if want := "f:" + strconv.Itoa(n) + ":"; string(l.head) != want {
				t.Fatalf("line %d, by %d, is printed as %q", n, step, l.head)
			}
		}
	}
}
