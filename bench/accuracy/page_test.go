package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/bench/internal/modpairs"
)

func TestShare(t *testing.T) {
	for _, tc := range []struct {
		part, whole int
		want        string
	}{
		{0, 0, "–"}, {0, 10, "0.0"}, {10, 10, "100.0"}, {3, 1000, "0.3 (3)"}, {500, 1000, "50.0"},
		{9999, 10000, "100.0 (9999)"}, {10, 100000, "0.0 (10)"}, {996, 1000, "99.6 (996)"},
	} {
		if got := share(tc.part, tc.whole); got != tc.want {
			t.Errorf("%d of %d is %q, want %q", tc.part, tc.whole, got, tc.want)
		}
	}
}

// some returns a tally of two systems and two kinds. The second system was not asked about one of them.
func some() *tally {
	t := newTally()
	t.kinds = []string{"none", "JSON"}
	add := func(n int, r record) {
		for range n {
			t.add([]record{r})
		}
	}
	add(30, record{system: "ours", kind: "none", first: landed, second: landed})
	add(2, record{system: "ours", kind: "none", untellable: true, first: wrong})
	add(12, record{system: "ours", kind: "JSON", first: refused, second: landed, offered: true, near: true})
	add(8, record{system: "ours", kind: "JSON", first: refused, second: refused, near: true})
	add(28, record{system: "theirs", kind: "none", first: landed, second: landed})
	add(1, record{system: "theirs", kind: "none", first: wrong, second: wrong})
	add(1, record{system: "theirs", kind: "none", first: refused, second: refused, left: true})
	return t
}

func TestTables(t *testing.T) {
	var b strings.Builder
	systems := []string{"ours", "theirs"}
	some().byKind(&b, questions[0], systems)
	some().byKind(&b, questions[1], systems)
	some().totals(&b, systems)
	if got := b.String(); got != tables {
		t.Errorf("the tables are\n%s\nwant\n%s", got, tables)
	}
}

const tables = `
| damage                 | n    | ours      | theirs    |
| ---                    | ---: | ---:      | ---:      |
| none                   | 30   | **100.0** | 93.3 (28) |
| JSON                   | 20   | 0.0       | –         |
| all that everybody has |      | **100.0** | 93.3 (28) |

| damage                 | n    | ours    | theirs  |
| ---                    | ---: | ---:    | ---:    |
| none                   | 30   | **0.0** | 3.3 (1) |
| JSON                   | 20   | 0.0     | –       |
| all that everybody has |      | **0.0** | 3.3 (1) |

Over 1 of 2 kinds, those that everybody has.

|        | asked | landed    | refused | wrong   | after one repair | wrong after it | refused, changed | not to be told |
| ---    | ---:  | ---:      | ---:    | ---:    | ---:             | ---:           | ---:             | ---:           |
| ours   | 30    | **100.0** | **0.0** | **0.0** | **100.0**        | 0.0            | **0.0**          | 2              |
| theirs | 30    | 93.3 (28) | 3.3 (1) | 3.3 (1) | 93.3 (28)        | 0.0            | 3.3 (1)          | 0              |
`

// TestVerdict: of decidable cases nothing may land wrong, at first or after a repair.
func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		r   record
		bad bool
	}{
		{record{system: "emend", first: landed}, false},
		{record{system: "emend", first: refused, second: refused}, false},
		{record{system: "emend", first: wrong, untellable: true}, false},
		{record{system: "emend", first: wrong}, true},
		{record{system: "emend --lenient", first: refused, second: wrong}, true},
		{record{system: "comma", first: wrong}, true},
		{record{system: "codex dialect", first: wrong}, false},
		{record{system: codex, first: wrong}, false},
	} {
		for at := range 3 {
			all := []*tally{newTally(), newTally(), newTally()}
			tc.r.kind = "k"
			all[at].kinds = []string{"k"}
			all[at].add([]record{tc.r})
			b := &bench{alone: all[0], beside: all[1], pairs: all[2]}
			if err := b.verdict(); (err != nil) != tc.bad {
				t.Errorf("%+v: %v", tc.r, err)
			}
		}
	}
}

func TestInOrder(t *testing.T) {
	double := func(_ context.Context, n int) (int, error) {
		time.Sleep(time.Duration(n%3) * time.Microsecond) // some overtake earlier ones
		return 2 * n, nil
	}
	var got []int
	err := inOrder(t.Context(), 100, double, func(n, v int) error {
		if got = append(got, v); v != 2*n || len(got) != n+1 {
			t.Fatalf("%d came as number %d", v, n)
		}
		return nil
	})
	if err != nil || len(got) != 100 {
		t.Errorf("%v, %d of 100", err, len(got))
	}
	broken := errors.New("broken")
	got = nil
	err = inOrder(t.Context(), 100, func(_ context.Context, n int) (int, error) {
		if n == 40 {
			return 0, broken
		}
		return n, nil
	}, func(_, v int) error { got = append(got, v); return nil })
	if err != broken || len(got) != 40 {
		t.Errorf("%v after %d", err, len(got))
	}
}

func TestTen(t *testing.T) {
	b := &bench{corpus: &corpus{}}
	for range 30 {
		b.corpus.pairs = append(b.corpus.pairs, modpairs.Pair{Module: string(rune('a' + len(b.corpus.pairs)/2))})
	}
	kind := func(n int) damage.Kind { return damage.Kinds[n%len(damage.Kinds)] }
	for n := range 30 {
		b.picked = append(b.picked, find{change: n, kind: kind(n / 3), peer: []string{codex, gitApply, gnu}[n%3], size: 100 - n})
	}
	var got []int
	seen := map[string]int{}
	for _, f := range b.tenFinds() {
		got = append(got, f.change)
		seen[f.peer]++
		seen[b.corpus.pairs[f.change].Module]++
		seen[f.peer+f.kind.Name]++
	}
	if want := []int{27, 24, 21, 18, 15, 12, 28, 23, 17, 11}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for what, n := range seen {
		if n > 1 && what != codex && what != gitApply && what != gnu {
			t.Errorf("%s: %d times", what, n)
		}
	}
}

func TestVisible(t *testing.T) {
	if got, want := visible("\ta \r\n \n"), "→   a ␍\n·\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestSettled(t *testing.T) {
	c := &damage.Case{Disk: "before", Want: "after"}
	for _, tc := range []struct {
		got  string
		ok   bool
		want outcome
		left bool
	}{
		{"after", true, landed, false}, {"before", true, wrong, false}, {"else", true, wrong, false},
		{"before", false, refused, false}, {"else", false, refused, true}, {"after", false, refused, true},
	} {
		if r := judgeFile(c, tc.got, tc.ok); r.outcome != tc.want || r.left != tc.left {
			t.Errorf("%q, %v: %v, left %v", tc.got, tc.ok, r.outcome, r.left)
		}
	}
}
