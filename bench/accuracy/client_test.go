package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/bench/accuracy/damage"
	"github.com/emend-dev/emend/internal/dialect"
)

const two = `*** Begin Patch
*** Update File: a
@@
-1
+one
@@ x
-2
+two
*** Update File: b
@@
-3
+three
*** End Patch
`

func TestReplace(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		hunks      map[[2]int]string
		want       string
	}{
		{"nothing to do", two, nil, two},
		{"the first", two, map[[2]int]string{{0, 0}: "@@\n-I\n+i\n"}, strings.Replace(two, "-1\n+one", "-I\n+i", 1)},
		{"with the text after @@", two, map[[2]int]string{{0, 1}: "@@\n-II\n+ii\n"}, strings.Replace(two, "@@ x\n-2\n+two", "@@\n-II\n+ii", 1)},
		{"in another section", two, map[[2]int]string{{1, 0}: "@@\n-III\n+iii\n"}, strings.Replace(two, "-3\n+three", "-III\n+iii", 1)},
		{"one left out", two, map[[2]int]string{{0, 1}: ""}, strings.Replace(two, "@@ x\n-2\n+two\n", "", 1)},
		{"a section left out", two, map[[2]int]string{{1, 0}: ""}, strings.Replace(two, "*** Update File: b\n@@\n-3\n+three\n", "", 1)},
		{"all left out", two, map[[2]int]string{{0, 0}: "", {0, 1}: "", {1, 0}: ""}, nothing},
		{"CRLF", strings.ReplaceAll(two, "\n", "\r\n"), map[[2]int]string{{1, 0}: "@@\n-III\n+iii\n"}, strings.Replace(two, "-3\n+three", "-III\n+iii", 1)},
	} {
		if got := replace(tc.text, tc.hunks); got != tc.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tc.name, got, tc.want)
		}
	}
}

func TestUnwrap(t *testing.T) {
	cut := strings.TrimSuffix(two, "*** End Patch\n")
	noEnd := failure{Kind: "patch_parse_error"}
	noEnd.Details.Expected = "*** End Patch"
	for _, tc := range []struct {
		name, text string
		f          failure
		want       string
		ok         bool
	}{
		{"no end", cut, noEnd, two, true},
		{"no end, cut in a line", strings.TrimSuffix(cut, "\n"), noEnd, two, true},
		{"JSON", fmt.Sprintf(`{"patch": %q}`, two), failure{Kind: "patch_parse_error", Next: "Send the patch itself, unescaped, …"}, two, true},
		{"no JSON", two, failure{Kind: "patch_parse_error", Next: "Send the patch itself, unescaped, …"}, "", false},
		{"words around it", "Here:\n```\n" + two + "```\n", failure{Kind: "patch_parse_error", Next: "Send nothing before …"}, two, true},
		{"words and no patch", "Here:\n", failure{Kind: "patch_parse_error", Next: "Send nothing before …"}, "", false},
		{"of another kind", two, failure{Kind: "multiple_matches", Next: "Send the patch itself, unescaped"}, "", false},
		{"nothing that can be followed", two, failure{Kind: "patch_parse_error", Next: "Think again."}, "", false},
	} {
		if got, ok := unwrap(tc.text, tc.f); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %v\n%s\nwant %v\n%s", tc.name, ok, got, tc.ok, tc.want)
		}
	}
}

// A client that is told nothing about one hunk sends nothing: half a repair would be a guess.
func TestAgainAllOrNothing(t *testing.T) {
	hunk := func(n int, corrected string) (f failure) {
		f.Details.Hunk = &n
		if corrected != "" {
			f.Details.Nearest = &nearest{Corrected: corrected}
		}
		return f
	}
	whole := func(all ...failure) answer {
		var f failure
		f.Details.Failures = all
		return answer{Error: &f}
	}
	if next, ok := nextText(damage.InEnvelope, two, whole(hunk(0, "@@\n-I\n+i\n"), hunk(1, ""))); ok {
		t.Errorf("half a repair was sent:\n%s", next)
	}
	next, ok := nextText(damage.InEnvelope, two, whole(hunk(0, "@@\n-I\n+i\n"), hunk(1, "@@\n-II\n+ii\n")))
	if want := strings.NewReplacer("-1\n+one", "-I\n+i", "@@ x\n-2\n+two", "@@\n-II\n+ii").Replace(two); !ok || next != want {
		t.Errorf("%v\n%s", ok, next)
	}
	inside, ok := nextText(damage.InEnvelope, fmt.Sprintf(`{"patch": %q}`, two), whole(hunk(0, "@@\n-I\n+i\n"), hunk(1, "@@\n-II\n+ii\n")))
	if !ok || inside != next {
		t.Errorf("a patch in JSON that was read: %v\n%s", ok, inside)
	}
	made := hunk(1, "")
	made.Details.AlreadyApplied = true
	if next, ok := nextText(damage.InEnvelope, two, whole(made)); !ok || strings.Contains(next, "@@ x") {
		t.Errorf("a hunk that is there already: %v\n%s", ok, next)
	}
	if _, ok := nextText(damage.InEnvelope, two, answer{OK: true}); ok {
		t.Error("a patch that landed is sent again")
	}
}

// written returns a random patch of sections and hunks.
func written(r *rand.Rand) (text string, hunks []int) {
	var b strings.Builder
	b.WriteString(begin + "\n")
	lines := []string{"", "x", "@@ not a hunk", "*** not a section", "\tx  "}
	for s := range 1 + r.IntN(3) {
		n := 1 + r.IntN(3)
		hunks = append(hunks, n)
		fmt.Fprintf(&b, "*** Update File: f%d\n", s)
		for range n {
			b.WriteString([]string{"@@\n", "@@ func x\n"}[r.IntN(2)])
			for range r.IntN(3) {
				b.WriteString(" " + lines[r.IntN(len(lines))] + "\n")
			}
			fmt.Fprintf(&b, "-%s\n+%s\n", lines[r.IntN(len(lines))], lines[r.IntN(len(lines))])
		}
	}
	return b.String() + end + "\n", hunks
}

// The client knows no dialect. A dialect must read its replacement of a hunk, and everything else unchanged.
func FuzzReplace(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		text, hunks := written(r)
		s := r.IntN(len(hunks))
		h := r.IntN(hunks[s])
		at := h
		for _, n := range hunks[:s] {
			at += n
		}
		want := read(t, text)
		want[at] = fmt.Sprintf("f%d [] [ stays -goes +comes]", s)
		if got := read(t, replace(text, map[[2]int]string{{s, h}: "@@\n stays\n-goes\n+comes\n"})); !slices.Equal(got, want) {
			t.Fatalf("hunk %d of section %d replaced: %q, want %q", h, s, got, want)
		}
		want = slices.Delete(want, at, at+1)
		left := replace(text, map[[2]int]string{{s, h}: ""})
		if left == nothing && len(want) == 0 {
			return
		}
		if got := read(t, left); !slices.Equal(got, want) {
			t.Fatalf("hunk %d of section %d left out: %q, want %q", h, s, got, want)
		}
	})
}

// read returns the hunks of a patch, as the dialect reads them.
func read(t *testing.T, text string) (out []string) {
	t.Helper()
	p, err := dialect.Emend.Parse(text, dialect.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, s := range p.Patch.Sections {
		for _, h := range s.Hunks {
			out = append(out, fmt.Sprintf("%s %q %v", s.Path, h.Anchors, h.Lines))
		}
	}
	return out
}
