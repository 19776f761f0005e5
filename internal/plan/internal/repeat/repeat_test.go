package repeat

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

var (
	hunk   = hunktest.Hunk
	seek   = hunktest.Seek
	adjoin = hunktest.Adjoin
	strict = hunktest.Strict
	order  = hunktest.Ordered
	cursor = hunktest.Cursor
	loose  = hunktest.Loose
	joined = hunktest.Text
	lines  = hunktest.Print
)

// settled is what becomes of a file with hunks that may be applied already.
type settled struct {
	after string
	edits []text.Change
	hunks []api.Placed
	all   bool // every hunk is already applied
}

func settle(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, mode Mode) (*settled, error) {
	p := place.Find(file, hunks, r, false)
	if err := p.Limit(); err != nil {
		return nil, err
	}
	if all := Find(p, mode); all && mode >= Skip {
		return &settled{hunks: p.Landed(), all: true}, nil
	}
	if errs := p.Errors(); len(errs) > 0 {
		return nil, errs
	}
	out := p.Result()
	return &settled{after: out.After, edits: out.Edits, hunks: p.Landed()}, nil
}

// TestFind: which hunks are already applied, and above all which are not. want has a letter for every hunk: s for
// skipped, d for done; or the kind of the first refusal.
func TestFind(t *testing.T) {
	type H = []patch.Hunk
	tests := []struct {
		name  string
		rules dialect.Rules
		file  string
		hunks H
		want  string
	}{
		{"context on both sides", strict, "a\nB\nc\nd\n", H{hunk(" a", "-b", "+B", " c")}, "s"},
		{"at the beginning", strict, "B\nc\nd\n", H{hunk("-b", "+B", " c")}, "s"},
		{"at the end", strict, "z\na\nB\n", H{hunk(" a", "-b", "+B")}, "s"},
		{"the whole file", strict, "B\n", H{hunk("-b", "+B")}, "s"},
		{"one of two", strict, "a\nB\nc\nd\ne\nf\n", H{hunk(" a", "-b", "+B", " c"), hunk(" d", "-e", "+E", " f")}, "sd"},
		{"the other of two", strict, "a\nb\nc\nd\nE\nf\n", H{hunk(" a", "-b", "+B", " c"), hunk(" d", "-e", "+E", " f")}, "ds"},
		{"shared context", strict, "a\nB\nc\nD\ne\n", H{hunk(" a", "-b", "+B", " c"), hunk(" c", "-d", "+D", " e")}, "ss"},
		{"a line removed", strict, "z\na\nc\nd\n", H{hunk(" a", "-b", " c")}, "s"},
		{"two lines removed side by side", strict, "z\na\nc\ne\nf\n", H{hunk(" a", "-b", " c"), hunk(" c", "-d", " e")}, "ss"},
		{"context that is spelled otherwise", loose, "\ta\nB\n\tc\nd\n", H{hunk(" a", "-b", "+B", " c")}, "s"},
		{"a removed line where context only nearly stands", loose, "first\n * \n *\nlast\n", H{hunk(" first", "- * ", "  *", "  *", " last")}, "patch_apply_error"},
		{"CRLF", strict, "a\r\nB\r\nc\r\nd\r\n", H{hunk(" a", "-b", "+B", " c")}, "s"},
		{"CRLF and others", loose, "a\r\nB\r\nc\r\nd\n", H{hunk(" a\r", "-b\r", "+B\r", " c\r")}, "s"},
		{"an anchor above", order, "f\na\nB\nc\nd\n", H{hunk("@@ f", " a", "-b", "+B", " c")}, "s"},
		{"an anchor that is nowhere", order, "a\nB\nc\nd\n", H{hunk("@@ f", " a", "-b", "+B", " c")}, "s"},
		{"a line to look for first", cursor, "f\na\nB\nc\nd\n", H{seek(hunk("@@ f", " a", "-b", "+B", " c"))}, "s"},
		{"an adjoining anchor", strict, "z\na\nB\nc\nd\n", H{adjoin(hunk("@@ a", "-b", "+B", " c"))}, "patch_apply_error"},
		{"an adjoining anchor, and context", strict, "z\na\nA\nB\nc\nd\n", H{adjoin(hunk("@@ a", " A", "-b", "+B", " c"))}, "s"},
		{"the end of the file", order, "z\na\nB\n", H{hunk(" a", "-b", "+B", "$")}, "s"},
		{"no newline afterwards", order, "z\na\nB", H{hunk(" a", "-b", "+B", "\\")}, "s"},

		{"no context", strict, "z\nB\ny\n", H{hunk("-b", "+B")}, "patch_apply_error"},
		{"context above only", strict, "z\na\nB\ny\n", H{hunk(" a", "-b", "+B")}, "patch_apply_error"},
		{"context below only", strict, "z\nB\nc\ny\n", H{hunk("-b", "+B", " c")}, "patch_apply_error"},
		{"blank context", strict, "z\n\nB\n\ny\n", H{hunk(" ", "-b", "+B", " ")}, "patch_apply_error"},
		{"blank context below", strict, "z\na\nB\n\ny\n", H{hunk(" a", "-b", "+B", " ")}, "patch_apply_error"},
		{"blank context below, beside one that is surely applied", strict, "z\na\nB\n\ny\nd\nE\nf\n", H{hunk(" a", "-b", "+B", " "), hunk(" d", "-e", "+E", " f")}, "ss"},
		{"blank context below, beside one that is not", strict, "z\na\nB\n\ny\nd\ne\nf\n", H{hunk(" a", "-b", "+B", " "), hunk(" d", "-e", "+E", " f")}, "patch_apply_error"},
		{"blank context below, below its anchor", order, "g\na\nB\n\ny\n", H{hunk("@@ g", " a", "-b", "+B", " ")}, "s"},
		{"blank context below, beside one below its anchor", order, "a\nB\n\ng\nd\nE\n\ny\n", H{hunk(" a", "-b", "+B", " "), hunk("@@ g", " d", "-e", "+E", " ")}, "ss"},
		{"blank context below, below no anchor", order, "z\na\nB\n\ny\n", H{hunk("@@ g", " a", "-b", "+B", " ")}, "patch_apply_error"},
		{"blank context below, and the removed line elsewhere", order, "g\na\nB\n\nb\n", H{hunk("@@ g", " a", "-b", "+B", " ")}, "patch_apply_error"},
		{"blank context below, and the context twice", order, "g\na\nB\n\na\n", H{hunk("@@ g", " a", "-b", "+B", " ")}, "patch_apply_error"},
		{"blank context below, and a change that adds nothing", order, "g\na\nB\nc\n\ny\n", H{hunk("@@ g", " a", "-b", "+B", " c", "-d", " ")}, "patch_apply_error"},
		{"brackets for context", strict, "z\n{\nB\n}\ny\n", H{hunk(" {", "-b", "+B", " }")}, "patch_apply_error"},
		{"the new lines twice", strict, "a\nB\nc\na\nB\nc\n", H{hunk(" a", "-b", "+B", " c")}, "patch_apply_error"},
		{"the new lines twice, loosely", loose, "a\nB\nc\n\ta\n\tB\n\tc\n", H{hunk(" a", "-b", "+B", " c")}, "patch_apply_error"},
		{"the old lines too", strict, "a\nb\nc\na\nB\nc\n", H{hunk(" a", "-b", "+B", " c")}, "d"},
		{"the removed line paraphrased, the added one elsewhere", strict, "a\nb'\nc\nB\n", H{hunk(" a", "-b", "+B", " c")}, "patch_apply_error"},
		{"half of what is added", strict, "a\nB\nc\nd\n", H{hunk(" a", "-b", "+B", "+BB", " c")}, "patch_apply_error"},
		{"added with another indent", loose, "a\n\tB\nc\nd\n", H{hunk(" a", "-b", "+B", " c")}, "patch_apply_error"},
		{"a removal without context", strict, "z\na\nc\n", H{hunk("-b")}, "patch_apply_error"},
		{"a removal with context above only", strict, "z\na\n", H{hunk(" a", "-b")}, "patch_apply_error"},
		{"a removal at the beginning", strict, "a\nz\n", H{hunk("-b", " a")}, "patch_apply_error"},
		{"a removal below a blank line at the beginning", strict, "\nc\nz\n", H{hunk(" ", "-b", " c")}, "patch_apply_error"},
		{"a removal up to the last of two brackets, paraphrased", strict, "a\n}\nf\ng'\n}\nz\n", H{hunk(" a", "-}", "-f", "-g", " }")}, "patch_apply_error"},
		{"a removal up to the last bracket of the file", strict, "z\na\n}\n", H{hunk(" a", "-}", "-f", "-g", " }")}, "s"},
		{"a removal with a bracket below", strict, "z\na\n}\ny\n", H{hunk(" a", "-f", " }")}, "patch_apply_error"},
		{"a removal with two lines below", strict, "z\na\n}\n\ny\n", H{hunk(" a", "-f", " }", " ")}, "s"},
		{"new lines that are among the old ones", strict, "z\na\nb\na\nc'\ny\n", H{hunk(" z", " a", "+b", "-b", " a", "-a", "-c", " y")}, "patch_apply_error"},
		{"new lines that are among the old ones, but for a mistake in one that goes", strict, "k\n/**\nitem\n}[]\nx\n/**\nitem\n}[]\n}\n\n/**\n",
			H{hunk(" /**", " item", " }[]", "-x", "-/**", "-itme", "-}[]", " }", " ", " /**")}, "patch_apply_error"},
		{"they are not, of what is removed", strict, "k\n/**\nitem\n}[]\n}\n\n/**\n",
			H{hunk(" /**", " item", " }[]", "-/**", "-x", "-y", "-z", " }", " ", " /**")}, "s"},
		{"a removal of something paraphrased", strict, "z\na\nb'\nc\n", H{hunk(" a", "-b", " c")}, "patch_apply_error"},
		{"everything removed", strict, "", H{hunk("-a", "-b")}, "patch_apply_error"},
		{"context alone", strict, "z\n", H{hunk(" a")}, "patch_apply_error"},
		{"an anchor below", order, "a\nB\nc\nf\n", H{hunk("@@ f", " a", "-b", "+B", " c")}, "patch_apply_error"},
		{"a line to look for first that is gone", cursor, "a\nB\nc\nf\n", H{seek(hunk("@@ g", " a", "-b", "+B", " c"))}, "patch_apply_error"},
		{"not at the end of the file", order, "z\na\nB\ny\n", H{hunk(" a", "-b", "+B", "$")}, "patch_apply_error"},
		{"context, and not at the end of the file", order, "z\na\nB\nc\ny\n", H{hunk(" a", "-b", "+B", " c", "$")}, "patch_apply_error"},
		{"a newline afterwards", order, "z\na\nB\n", H{hunk(" a", "-b", "+B", "\\")}, "patch_apply_error"},
		{"the same hunk twice", strict, "a\nB\nc\nd\n", H{hunk(" a", "-b", "+B", " c"), hunk(" a", "-b", "+B", " c")}, "patch_apply_error"},
		{"the same removal twice", strict, "z\na\nc\nd\n", H{hunk(" a", "-b", " c"), hunk(" a", "-x", " c")}, "patch_apply_error"},
		{"out of order", strict, "d\nE\nf\na\nB\nc\n", H{hunk(" a", "-b", "+B", " c"), hunk(" d", "-e", "+E", " f")}, "patch_apply_error"},
		{"out of order with what is to be done", strict, "d\ne\nf\na\nB\nc\n", H{hunk(" a", "-b", "+B", " c"), hunk(" d", "-e", "+E", " f")}, "patch_apply_error"},
		{"what was added is to be removed", strict, "a\nB\nc\nd\n", H{hunk(" a", "-b", "+B", " c"), hunk("-B", "+C")}, "patch_apply_error"},
		{"what an earlier hunk takes the context of", strict, "a\nb\nc\nz\na\nc\ny\n", H{hunk("-a", "+A", " b"), hunk(" a", "-b", " c")}, "patch_apply_error"},
		{"what is to be done is done elsewhere", strict, "d\na\nc\ne\nb\nb\nc\nb\ne\nb\n", H{hunk(" d", " a", "-e", " c"), hunk(" c", "+b", " e", "+b")}, "patch_apply_error"},
		{"what an earlier hunk takes", strict, "a\nb\nc\n", H{hunk("-b", "+B"), hunk(" b", "-c")}, "patch_apply_error"},

		{"added at the end", strict, "a\nb\nc\n", H{hunk(" a", " b", "+c")}, "s"},
		{"added at the beginning", strict, "a\nb\nc\n", H{hunk("+a", " b")}, "s"},
		{"added in the middle", strict, "a\nb\nc\nd\n", H{hunk(" a", " b", "+c")}, "s"},
		{"added at the marked end", order, "a\nb\nc\n", H{hunk(" a", " b", "+c", "$")}, "s"},
		{"added after an anchor", order, "f\nc\nd\n", H{hunk("@@ f", "+c")}, "s"},
		{"added twice, since another is to be done", strict, "a\nb\nc\n", H{hunk("-a", "+A"), hunk(" b", "+c")}, "dd"},
		{"added and removed", strict, "b\na\nz\n", H{hunk("-a", "+b", "+a")}, "s"},
		{"not yet added", strict, "a\nb\nd\n", H{hunk(" a", " b", "+c")}, "d"},
		{"one of a run removed", strict, "a\nb\nb\n", H{hunk(" a", "-b")}, "d"},
		{"a removal with a mistake in it", strict, "one()\n@Keep\n  two()\n@Keep\none()\n  two()\n", H{hunk(" one()", "-@Kep", "   two()")}, "patch_apply_error"},
		{"not below its anchor any more", order, "def f():\n  if x:\n    return 1\ndef g():\n  if x:\n    return 2\n", H{hunk("@@ def g():", "   if x:", "-    return 1", "+    return 2")}, "s"},
		{"not below its anchor, and changed there", order, "def f():\n  if x:\n    return 1\ndef g():\n  if x:\n    return 3\n", H{hunk("@@ def g():", "   if x:", "-    return 1", "+    return 2")}, "multiple_matches"},
		{"added, and others to do", order, "a\nb\nc\nd\n", H{hunk("-a", "+A"), hunk(" b", "+c")}, "ds"},
		{"the same hunk twice", order, "a\nb\nd\n", H{hunk("-a", "+A"), hunk(" b", "+c"), hunk(" b", "+c")}, "dds"},
		{"the same change twice", order, "a\nb\nd\n", H{hunk("-a", "+A", " b"), hunk("-a", "+A", " b")}, "ds"},
		{"no old lines", cursor, "a\nb\n", H{hunk("+b")}, "d"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := settle(text.Split(tt.file), tt.hunks, tt.rules, SkipEdges)
			if got := letters(out, err); got != tt.want {
				t.Errorf("skipping: %q, want %q", got, tt.want)
			}
			if err == nil && strings.Count(tt.want, "s") == len(tt.want) && (!out.all || out.after != "" || out.edits != nil) {
				t.Errorf("it is all there, and still changed: %+v", out)
			}
		})
	}
}

// letters tells what became of each hunk, or of the first that was refused.
func letters(out *settled, err error) string {
	if err != nil {
		return string(fail.All(err)[0].Kind)
	}
	var b strings.Builder
	for _, h := range out.hunks {
		b.WriteByte("ds"[b2i(h.Skipped)])
	}
	return b.String()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestFindTells: without the setting a hunk that is applied is refused as before, and said to be applied.
func TestFindTells(t *testing.T) {
	_, err := settle(text.Split("a\nB\nc\nd\ne\nf\n"), []patch.Hunk{hunk(" a", "-b", "+B", " c"), hunk(" d", "-x", "+X", " f"), hunk(" e", "+g", " f")}, order, Tell)
	all := fail.All(err)
	if len(all) != 2 || !all[0].Already || all[1].Already || all[0].Line != 1 || all[0].Nearest.Place != (fail.Place{First: 1, Last: 3}) {
		t.Errorf("%+v", all)
	}
}

// TestFindDoesNotTell: a client that leaves out what is said to be applied must not apply the rest twice. Where a hunk that has
// its place may be applied somewhere else, none is said to be.
func TestFindDoesNotTell(t *testing.T) {
	_, err := settle(text.Split("a\nB\nc\nd\ne\nf\n"), []patch.Hunk{hunk(" a", "-b", "+B", " c"), hunk(" d", "-x", "+X", " f"), hunk(" d", " e", "+f")}, strict, Tell)
	for _, e := range fail.All(err) {
		if e.Already {
			t.Errorf("%+v", e)
		}
	}
}

// FuzzFind: what applied changes nothing a second time, or is refused, unless a hunk finds a place only in what another
// adds again; and what was never applied is applied as without the setting, but at edges.
func FuzzFind(f *testing.F) {
	for seed := range uint64(3000) {
		f.Add(seed, uint8(seed%3), uint8(seed%5))
	}
	f.Fuzz(func(t *testing.T, seed uint64, mode, most uint8) {
		rng := rand.New(rand.NewPCG(seed, uint64(most)))
		rules := []dialect.Rules{strict, order, {Place: dialect.Ordered, Ladder: []patch.Rung{patch.Exact, patch.Trailing}}}[mode%3]
		before, hunks := repeatable(rng, int(most%5)+2)
		first, err := settle(text.Split(before), hunks, rules, Ignore)
		if err != nil || slices.ContainsFunc(hunks, func(h patch.Hunk) bool {
			return !alone(before, h, rules) || !strings.Contains(joined(h.New()), joined(h.Old())) && alone(first.after, h, rules)
		}) {
			return // one of several places, or of a run like "b b b", may always be meant once more
		}
		again, err := settle(text.Split(first.after), hunks, rules, SkipEdges)
		helped := func() bool {
			for k := range hunks {
				if !again.hunks[k].Skipped && !alone(first.after, hunks[k], rules) {
					return true
				}
			}
			return false
		}
		if err == nil && !again.all && again.after != first.after && !helped() {
			t.Errorf("%q, twice:\n%v\n%q\n%q", before, printed(hunks), first.after, again.after)
		}
		once, err := settle(text.Split(before), hunks, rules, Skip)
		if err != nil || once.all || once.after != first.after || !slices.Equal(once.hunks, first.hunks) {
			t.Errorf("%q, once:\n%v\n%+v\n%+v %v", before, printed(hunks), first, once, err)
		}
	})
}

// alone reports whether a hunk has one place in the file, with no other hunk's help.
func alone(file string, h patch.Hunk, rules dialect.Rules) bool {
	_, err := settle(text.Split(file), []patch.Hunk{h}, rules, Ignore)
	return err == nil
}

func printed(hunks []patch.Hunk) (out []string) {
	for _, h := range hunks {
		s, _ := lines(h)
		out = append(out, s)
	}
	return out
}

// repeatable makes a file of few different lines, and hunks for it that have context on both sides or the file's end.
func repeatable(rng *rand.Rand, letters int) (string, []patch.Hunk) {
	line := func() string { return string(rune('a' + rng.IntN(letters))) }
	var file []string
	for range 1 + rng.IntN(12) {
		file = append(file, line())
	}
	var hunks []patch.Hunk
	for at := 0; at < len(file); {
		h, n := patch.Hunk{}, 0
		context := func() {
			for range 1 + rng.IntN(2) {
				if at+n < len(file) {
					h.Lines = append(h.Lines, patch.Line(" "+file[at+n]))
					n++
				}
			}
		}
		if at > 0 || rng.IntN(2) == 0 {
			context()
		}
		for range 1 + rng.IntN(2) {
			for range rng.IntN(3) {
				if at+n < len(file) {
					h.Lines = append(h.Lines, patch.Line("-"+file[at+n]))
					n++
				}
			}
			for range rng.IntN(3) {
				h.Lines = append(h.Lines, patch.Line("+"+line()))
			}
			context()
		}
		hunks = append(hunks, h)
		at += n + 1 + rng.IntN(4)
	}
	if rng.IntN(3) == 0 {
		hunks = hunks[:1]
	}
	return strings.Join(file, "\n") + "\n", hunks
}

// BenchmarkFind prints what looking for outcomes costs a line, beside a refusal without it.
func BenchmarkFind(b *testing.B) {
	for n := 1 << 13; n <= 1<<16; n *= 2 {
		var file strings.Builder
		var hunks []patch.Hunk
		for i := range n {
			fmt.Fprintf(&file, "line %d\n", i)
			if i%8 == 4 {
				hunks = append(hunks, hunk(fmt.Sprintf(" line %d", i-1), "-old", fmt.Sprintf("+line %d", i), fmt.Sprintf(" line %d", i+1)))
			}
		}
		for name, mode := range map[string]Mode{"never": Ignore, "skip": Skip} {
			b.Run(fmt.Sprintf("%s/lines=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					settle(text.Split(file.String()), hunks, order, mode) //nolint:errcheck // the time is what counts
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/line")
			})
		}
	}
}
