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
	add(3, record{system: "ours", kind: "none", onlyRefusal: true, first: refused, second: refused, shown: 500})
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
| damage                         | n    | ours      | theirs    |
| ---                            | ---: | ---:      | ---:      |
| none                           | 30   | **100.0** | 93.3 (28) |
| JSON                           | 20   | 0.0       | –         |
| mean of all that everybody has |      | **100.0** | 93.3      |

| damage                         | n    | ours    | theirs  |
| ---                            | ---: | ---:    | ---:    |
| none                           | 33   | **0.0** | 3.3 (1) |
| JSON                           | 20   | 0.0     | –       |
| mean of all that everybody has |      | **0.0** | 3.3     |

Over 1 of 2 kinds, those that everybody has.

|        | cases | landed    | refused | wrong   | after one repair | wrong after it | refused, changed | only a refusal is right | not to be told |
| ---    | ---:  | ---:      | ---:    | ---:    | ---:             | ---:           | ---:             | ---:                    | ---:           |
| ours   | 30    | **100.0** | **0.0** | **0.0** | **100.0**        | 0.0            | **0.0**          | 3                       | 2              |
| theirs | 30    | 93.3      | 3.3     | 3.3     | 93.3             | 0.0            | 3.3              | 0                       | 0              |
`

// TestMean: every kind weighs the same, however many cases it has, and one without cases does not count.
func TestMean(t *testing.T) {
	ours := some()
	if rate, n := ours.mean("ours", append(ours.kinds, "absent"), questions[0].of); rate != 0.5 || n != 2 {
		t.Errorf("%v of %d kinds, want 0.5 of 2", rate, n)
	}
	if rate, n := ours.mean("theirs", ours.kinds, questions[0].of); n != 1 || percent(rate) != "93.3" {
		t.Errorf("%v of %d kinds", rate, n)
	}
	for rate, want := range map[float64]string{0: "0.0", 1: "100.0", 0.00001: "0.001", 0.333: "33.3"} {
		if got := percent(rate); got != want {
			t.Errorf("%v is %q, want %q", rate, got, want)
		}
	}
}

func TestSizes(t *testing.T) {
	sized := newTally()
	for n := range 100 {
		sized.add([]record{{system: "ours", kind: "k", first: refused, shown: 100 - n}, {system: "ours", kind: "k", first: landed}})
	}
	if median, p90, n := sized.sizes("ours"); median != 50 || p90 != 90 || n != 100 {
		t.Errorf("%d, %d, of %d", median, p90, n)
	}
	if _, _, n := sized.sizes("theirs"); n != 0 {
		t.Errorf("%d", n)
	}
}

// TestOnlyRefusalIsCounted: nobody must land it, but what lands wrong there is wrong.
func TestOnlyRefusalIsCounted(t *testing.T) {
	one := newTally()
	one.kinds = []string{"k"}
	one.add([]record{
		{system: "ours", kind: "k", onlyRefusal: true, first: refused, second: refused},
		{system: "ours", kind: "k", onlyRefusal: true, first: wrong, second: wrong},
		{system: "ours", kind: "k", onlyRefusal: true, first: refused, second: wrong},
	})
	if c := one.at("ours", "k"); c.n != 0 || c.judged() != 3 || c.wrong != 1 || c.rewrong != 1 || len(one.wrong([]string{"ours"})) != 1 {
		t.Errorf("%+v", c)
	}
}

// TestVerdict: of decidable cases nothing may land wrong, at first or after a repair.
func TestVerdict(t *testing.T) {
	for _, tc := range []struct {
		r   record
		bad bool
	}{
		{record{system: "emend", first: landed}, false},
		{record{system: "emend", first: refused, second: refused}, false},
		{record{system: "emend", first: wrong, untellable: true}, false},
		{record{system: "emend", first: wrong, onlyRefusal: true}, true},
		{record{system: "emend --lenient", first: refused, second: wrong, onlyRefusal: true}, true},
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
		if r := judgeFiles(c, map[string]string{"": tc.got}, tc.ok); r.outcome != tc.want || r.left != tc.left {
			t.Errorf("%q, %v: %v, left %v", tc.got, tc.ok, r.outcome, r.left)
		}
	}
}
