package replace

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// naiveReplace is what Replace promises of a text of LF lines, in the plainest way there is: the places of every edit
// in the text as it was, all of them apart, and the text between. The kind is "" when the edits can be made.
func naiveReplace(before string, edits []Edit) (after string, kind fail.Kind) {
	with := map[int]Edit{} // by where it is made
	taken := make([]bool, len(before))
	for _, e := range edits {
		if e.Old == "" || e.Old == e.New {
			return "", fail.CommandFailed
		}
	}
	for _, e := range edits {
		n := 0
		for at := range len(before) {
			if strings.HasPrefix(before[at:], e.Old) {
				n++
			}
		}
		switch {
		case n == 0:
			return "", fail.OldTextNotFound
		case n != max(e.Count, 1):
			return "", fail.MultipleMatches
		}
	}
	for _, e := range edits {
		mine := make([]bool, len(before))
		for at := range len(before) {
			if !strings.HasPrefix(before[at:], e.Old) {
				continue
			}
			for i := at; i < at+len(e.Old); i++ {
				if mine[i] {
					return "", fail.MultipleMatches
				}
				mine[i] = true
			}
		}
	}
	for _, e := range edits {
		for at := range len(before) {
			if !strings.HasPrefix(before[at:], e.Old) {
				continue
			}
			with[at] = e
			for i := at; i < at+len(e.Old); i++ {
				if taken[i] {
					return "", fail.Overlapping
				}
				taken[i] = true
			}
		}
	}
	var b strings.Builder
	for at := 0; at < len(before); {
		if e, ok := with[at]; ok {
			b.WriteString(e.New)
			at += len(e.Old)
			continue
		}
		b.WriteByte(before[at])
		at++
	}
	return b.String(), ""
}

// asSeen is a text as edits see it.
func asSeen(data string) string { return withLF(strings.TrimPrefix(data, text.BOM)) }

func withLF(data string) string {
	return strings.ReplaceAll(strings.ReplaceAll(data, text.CRLF, text.LF), text.CR, text.LF)
}

// randomEdits takes texts from before, and some from nowhere.
func randomEdits(rng *rand.Rand, before string) []Edit {
	var out []Edit
	for range 1 + rng.IntN(4) {
		var e Edit
		if n := len(before); n > 0 && rng.IntN(8) > 0 {
			from := rng.IntN(n)
			e.Old = before[from : from+1+rng.IntN(min(n-from, 8))]
		} else {
			e.Old = []string{"zz", "q\n", "a\nz"}[rng.IntN(3)]
		}
		e.New = []string{"", "x", "\n", "X\nY", "\n\n\nw", "k\n"}[rng.IntN(6)]
		if rng.IntN(3) == 0 {
			e.Count = strings.Count(before, e.Old)
		}
		out = append(out, e)
	}
	return out
}

// checkReplace holds the laws of Replace for one text, with edits that have no CR.
func checkReplace(t *testing.T, before string, edits []Edit) {
	t.Helper()
	out, err := Run(before, edits, Options{})
	want, kind := naiveReplace(asSeen(before), edits)
	if kind != "" {
		if err == nil {
			t.Fatalf("%q %+v: made %q, want %s", before, edits, out.After, kind)
		}
		if kind == fail.CommandFailed || kind == fail.Overlapping && fail.All(err)[0].Kind == kind {
			return
		}
		for _, e := range fail.All(err) {
			if e.Kind == kind {
				return
			}
		}
		t.Fatalf("%q %+v: %v, want %s", before, edits, err, kind)
	}
	if err != nil {
		t.Fatalf("%q %+v: %v", before, edits, err)
	}
	if strings.HasPrefix(before, text.BOM) {
		want = text.BOM + want
	}
	if got := withLF(out.After); got != want {
		t.Fatalf("%q %+v: made %q, which reads %q, want %q", before, edits, out.After, got, want)
	}
	if text.Split(out.After).HasBOM() != text.Split(before).HasBOM() {
		return // the edits made the three bytes by chance
	}
	checkEdits(t, before, out.After, out.Edits)
	checkUntouched(t, before, out)
	shuffled := slices.Clone(edits)
	slices.Reverse(shuffled)
	again, err := Run(before, shuffled, Options{})
	if err != nil || again.After != out.After {
		t.Fatalf("%q %+v: another order gives %v", before, edits, err)
	}
	checkInverse(t, before, edits, out.After)
}

// checkUntouched: the lines that no edit names are there as they were, in their order, ends and all. The line after
// a named one may be joined to it, or its line end kept from becoming part of the one before.
func checkUntouched(t *testing.T, before string, out *Result) {
	t.Helper()
	file := text.Split(before)
	named := make([]bool, file.Len()+2)
	for _, a := range out.Applied {
		for _, p := range a.Lines {
			for n := p.First - 1; n <= p.Last && n < file.Len(); n++ {
				named[max(n, 0)] = true
			}
		}
	}
	for _, e := range out.Edits {
		for n := e.A0; n < e.A1; n++ {
			if !named[n] {
				t.Fatalf("%q: line %d changed, and no edit names it: %v", before, n+1, out.Applied)
			}
		}
	}
}

// checkInverse: a single edit whose new text is nowhere else is taken back by its reverse.
func checkInverse(t *testing.T, before string, edits []Edit, after string) {
	t.Helper()
	if len(edits) != 1 || edits[0].New == "" {
		return
	}
	back, err := Run(after, []Edit{{Old: edits[0].New, New: edits[0].Old, Count: edits[0].Count}}, Options{})
	if err != nil {
		return // it is elsewhere as well
	}
	if withLF(back.After) != withLF(before) || text.Style(before) != "mixed" && text.Style(after) == text.Style(before) && back.After != before {
		t.Fatalf("%q with %+v became %q, and back %q", before, edits, after, back.After)
	}
}

func TestReplaceIsTheLetter(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	made := 0
	for range 30_000 {
		before := ""
		for range rng.IntN(12) {
			before += []string{"a", "b", "ab", "\n", "\r\n", "\r", "", "c\n"}[rng.IntN(8)]
		}
		if rng.IntN(8) == 0 {
			before = text.BOM + before
		}
		edits := randomEdits(rng, asSeen(before))
		if _, err := Run(before, edits, Options{}); err == nil {
			made++
		}
		checkReplace(t, before, edits)
	}
	if made < 4000 {
		t.Errorf("only %d of the random edits could be made", made)
	}
}

// FuzzRun: see checkReplace.
func FuzzRun(f *testing.F) {
	f.Add("a\r\nb\nc\rd", "b", "x\ny", "c\n", "", 1)
	f.Add(text.BOM+"abc abc", "abc", "\n", "q", "r", 2)
	f.Add("a\rb\nc\n", "b", "", "c\n", "\n\n", 1)
	f.Add("aaa", "aa", "b", "a", "aa", 2)
	f.Add("ab\xff\r\n\xfe", "\xff\n", "\n", "a", "\xef\xbb\xbf", 1)
	f.Fuzz(func(t *testing.T, before, old1, new1, old2, new2 string, count int) {
		if text.Binary(before) || len(before) > 4096 || strings.Contains(old1+new1+old2+new2, text.CR) || count < 0 || asSeen(before) == "" {
			return
		}
		if strings.HasPrefix(new1, text.BOM) || strings.HasPrefix(new2, text.BOM) {
			return // would be the mark, at the top
		}
		edits := []Edit{{Old: old1, New: new1, Count: count}}
		checkReplace(t, before, edits)
		checkReplace(t, before, append(edits, Edit{Old: old2, New: new2}))
	})
}

// FuzzLoose: whatever matched how, only the lines that are named change, and what was refused says what to
// do next.
func FuzzLoose(f *testing.F) {
	f.Add("\tif x {\r\n\t\ty  \n\t}\n", "if x {\n  y\n", "if z {\n  y\n  w\n", "}", "})", uint8(5))
	f.Add("a “b”\nc\n", "a \"b\"  \n", "", "c", "d\n", uint8(5))
	f.Add("\tif x\n\t\ty\n", "if x\ny\n", "if x\nz\n", "q", "w", uint8(2))
	f.Add("\ta\n\ta\n", "a \n", "b\n", "q\n\tz", "", uint8(3))
	f.Add("\u00a0a\n \ta", "a\n", "x\ny\n", "a\n  a", "b", uint8(2))
	f.Fuzz(func(t *testing.T, before, old1, new1, old2, new2 string, rung uint8) {
		if text.Binary(before) || len(before) > 4096 {
			return
		}
		edits := []Edit{{Old: old1, New: new1}, {Old: old2, New: new2, Count: 2}}
		for _, edits := range [][]Edit{edits[:1], edits} {
			out, err := Run(before, edits, Options{Tolerance: patch.Rung(rung%5) + 1})
			for _, e := range fail.All(err) {
				if e.Kind == fail.Unknown || e.Hint == "" || e.Msg == "" {
					t.Fatalf("%q %+v: %+v", before, edits, e)
				}
			}
			if err == nil && text.Split(out.After).HasBOM() == text.Split(before).HasBOM() {
				checkEdits(t, before, out.After, out.Edits)
				checkUntouched(t, before, out)
			}
		}
	})
}

// checkEdits: the lines of after that edits name, in the place of those of before, give after.
func checkEdits(t *testing.T, before, after string, edits []text.Change) {
	t.Helper()
	a, b := text.Split(before), text.Split(after)
	got, at, to := "", 0, 0
	for i, e := range edits {
		if e.A0 > e.A1 || e.B0 > e.B1 || e.A1 > a.Len() || e.B1 > b.Len() || e.A0 < at && i > 0 || e.B0 < to && i > 0 {
			t.Fatalf("edit %d of %v is out of order\n%q\n%q", i, edits, before, after)
		}
		from, with := a.Offset(e.A0), b.Raw(e.B0, e.B1)
		if e.A0 == 0 && e.B0 == 0 {
			from, with = 0, after[:b.Offset(e.B1)]
		}
		start := 0
		if i > 0 {
			start = a.Offset(at)
		}
		got += before[start:from] + with
		at, to = e.A1, e.B1
	}
	if len(edits) == 0 {
		got = before
	} else {
		got += before[a.Offset(at):]
	}
	if got != after {
		t.Fatalf("%v make %q\nof %q,\nnot %q", edits, got, before, after)
	}
}
