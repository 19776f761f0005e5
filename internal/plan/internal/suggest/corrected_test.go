package suggest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// FuzzCorrected: whatever is offered as a corrected hunk applies alone, by the letter, in one place; removes only lines
// of the place that is shown; and adds the lines that the hunk adds, but for their indentation and line numbers.
func FuzzCorrected(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed, uint8(seed))
	}
	f.Fuzz(func(t *testing.T, seed uint64, how uint8) { offers(t, seed, how) })
}

func TestCorrected(t *testing.T) {
	offered := 0
	for seed := range uint64(8000) {
		if offers(t, seed, uint8(seed)) {
			offered++
		}
	}
	if offered < 1000 {
		t.Fatalf("only %d corrected hunks were offered: the law says little", offered)
	}
}

// offers reports whether a hunk that was spoilt gets a corrected one, which must keep the law.
func offers(t *testing.T, seed uint64, how uint8) bool {
	rng := rand.New(rand.NewPCG(seed, uint64(how)))
	file := randomProgram(rng)
	h := spoilt(rng, randomHunk(rng, file), how)
	if len(h.Lines) == 0 {
		return false
	}
	var fixed patch.Hunk
	_, err := settle(text.Split(joined(file)), []patch.Hunk{h}, strict, func(h patch.Hunk) (string, bool) { fixed = h; return "shown", true })
	list := fail.All(err)
	if len(list) == 0 || list[0].Nearest == nil || list[0].Nearest.Corrected == "" {
		return false
	}
	out, err := settle(text.Split(joined(file)), []patch.Hunk{fixed}, strict, nil)
	if err != nil {
		t.Fatalf("%q with %q: the corrected hunk %q: %v", file, h.Lines, fixed.Lines, err)
	}
	at := list[0].Nearest.Place
	for _, e := range out.Edits {
		if e.A1 > e.A0 && (e.A0+1 < at.First || e.A1 > at.Last) {
			t.Fatalf("%q with %q: the corrected hunk %q changes lines %d-%d, and not only %v", file, h.Lines, fixed.Lines, e.A0+1, e.A1, at)
		}
	}
	if got, want := bare(fixed), bare(h); !slices.Equal(got, want) {
		t.Fatalf("%q: the corrected hunk adds %q, the hunk %q", h.Lines, got, want)
	}
	return true
}

// randomProgram is lines with blocks that repeat.
func randomProgram(rng *rand.Rand) []string {
	words := []string{"alpha one", "beta two", "gamma three", "delta", "}", "", "\treturn err", "if err != nil {", "\t\tdeep down", "# 12: no number"}
	out := make([]string, 4+rng.IntN(30))
	for i := range out {
		if out[i] = words[rng.IntN(len(words))]; rng.IntN(3) == 0 {
			out[i] += fmt.Sprintf(" %d", rng.IntN(20))
		}
	}
	return out
}

// spoilt is h as a model might send it.
func spoilt(rng *rand.Rand, h patch.Hunk, how uint8) patch.Hunk {
	old := 1 + rng.IntN(100)
	var out []patch.Line
	for _, l := range h.Lines {
		mark, s := l[:1], l.Text()
		switch {
		case how&1 != 0 && rng.IntN(3) == 0 && l.Old():
			s = strings.Replace(s, "a", "aa", 1)
		case how&2 != 0:
			s = strings.Replace(s, "\t", "    ", 2)
		case how&4 != 0 && mark == " " && s == "":
			continue
		case how&8 != 0 && mark == " " && rng.IntN(4) == 0:
			s = "// ... existing code ..."
		}
		if how&16 != 0 && l.Old() {
			s = fmt.Sprintf("%4d | %s", old, s)
			old++
		}
		out = append(out, mark+patch.Line(s))
	}
	h.Lines = out
	return h
}

// bare is what a hunk adds, folded.
func bare(h patch.Hunk) (out []string) {
	for _, l := range h.Lines {
		if !l.Old() {
			out = append(out, match.Fold(patch.Unicode, l.Text()))
		}
	}
	return out
}
