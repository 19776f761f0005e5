package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// recorded is a tree with earlier versions of one file, the newest first.
type recorded struct {
	Memory
	versions []string
	asked    int
}

// Versions implements Source.
func (r *recorded) Versions(_ context.Context, _ File, sum string) iter.Seq[Version] {
	r.asked++
	return func(yield func(Version) bool) {
		for _, data := range r.versions {
			if v := (Version{data, text.Sum(data)}); (sum == "" || sum == v.Sha256) && !yield(v) {
				return
			}
		}
	}
}

// numbered returns lines of ten functions, each with a name, a body and an end that all have.
func numbered() []string {
	var out []string
	for i := range 10 {
		out = append(out, fmt.Sprintf("func f%d() {\n", i), fmt.Sprintf("\tcall(%d)\n", i), "\treturn\n", "}\n", "\n")
	}
	return out
}

// with returns lines with one of them replaced by others.
func with(lines []string, i int, by ...string) []string {
	return slices.Concat(lines[:i], by, lines[i+1:])
}

func joinLines(lines []string) string { return strings.Join(lines, "") }

// buildSeen plans a patch of f leniently, where f has changed from versions to now.
func buildSeen(t *testing.T, o dialect.Options, now string, versions []string, expect string, hunks ...string) (*Plan, *recorded, error) {
	t.Helper()
	parsed, err := dialect.Emend.Parse("*** Begin Patch\n*** Update File: f\n"+strings.Join(hunks, "")+"*** End Patch\n", o)
	if err != nil {
		t.Fatal(err)
	}
	src := &recorded{Memory: Memory{"f": now}, versions: versions}
	how := Options{Print: dialect.Emend.PrintHunk}
	if expect != "" {
		how.Expect = map[string]string{"f": text.Sum(expect)}
	}
	p, err := Build(t.Context(), parsed.Patch, dialect.Emend.Rules(o), src, how)
	return p, src, err
}

var readLeniently = dialect.Options{Lenient: true}

func TestThreeWays(t *testing.T) {
	base := numbered()
	const call5 = "@@\n func f5() {\n-\tcall(5)\n+\tcall 5 anew\n \treturn\n }\n"
	above := with(base, 6, "\tcall one\n") // f1
	// The line above the hunk's change stays, the one before that changed.
	context5 := with(base, 24, "// f5 is new\n")
	const wide5 = "@@\n \treturn\n }\n \n func f5() {\n-\tcall(5)\n+\tcall 5 anew\n \treturn\n }\n"
	block, copied, apart := []string{"alpha\n", "one\n", "x\n"}, []string{"ALPHA\n", "one\n", "x\n"}, []string{"some\n", "words\n", "between\n"}
	for _, tt := range []struct {
		name     string
		now      []string
		versions [][]string
		hash     bool // of the first of versions
		hunks    string
		want     []string // the file; nil if it is refused
		rung     patch.Rung
		err      string // kind and a part of the message
	}{
		{name: "a hash, and a change elsewhere", now: above, versions: [][]string{base}, hash: true, hunks: call5, want: with(above, 26, "\tcall 5 anew\n")},
		{name: "a hash, and context that changed", now: context5, versions: [][]string{base}, hash: true, hunks: wide5, want: with(context5, 26, "\tcall 5 anew\n")},
		{name: "a hash that is not on record", now: above, hash: true, versions: nil, hunks: call5, err: "stale_file: f: the file changed since it was read"},
		{name: "a hash, and no place in that version", now: above, versions: [][]string{base}, hash: true, hunks: "@@\n-\tcall(55)\n+\tx\n",
			err: "stale_file: f: the file changed since it was read"},
		{name: "a hash, and the very line changed", now: with(base, 26, "\tcall five\n"), versions: [][]string{base}, hash: true, hunks: call5,
			err: "stale_file: f:27: hunk 1: conflict"},
		{name: "a hash, and the next line changed", now: with(base, 27, "\treturn 5\n"), versions: [][]string{base}, hash: true, hunks: call5,
			err: "stale_file: f:28: hunk 1: conflict"},
		{name: "a hash, and the change is made already", now: with(above, 26, "\tcall 5 anew\n"), versions: [][]string{base}, hash: true, hunks: call5,
			want: with(above, 26, "\tcall 5 anew\n")},
		{name: "a hash, and the change is made already where its context changed", now: with(with(base, 26, "\tcall 5 anew\n"), 24, "// f5 is new\n"), versions: [][]string{base},
			hash: true, hunks: wide5, want: with(with(base, 26, "\tcall 5 anew\n"), 24, "// f5 is new\n")},
		{name: "a hash, and a copy came", now: slices.Concat(base, base[25:29]), versions: [][]string{base}, hash: true, hunks: call5,
			err: "multiple_matches: f: hunk 1: 2 places match"},
		{name: "a hash, and the lines moved", now: slices.Concat(base[25:30], base[:25], base[30:]), versions: [][]string{base}, hash: true, hunks: call5,
			err: "stale_file: f: hunk 1: the file changed since it was read, and the lines of this hunk are elsewhere in it now, at line 1"},
		{name: "a hash, and lines around that are everywhere", now: []string{"A\n", "}\n", "}\n", "}\n", "B\n"}, versions: [][]string{{"a\n", "}\n", "}\n", "}\n", "b\n"}},
			hash: true, hunks: "@@\n a\n }\n-}\n+]\n }\n b\n", err: "stale_file: f: hunk 1: the file changed since the version that this hunk fits, and nothing tells for sure"},
		{name: "a hash, and what is added came otherwise", now: with(with(base, 44, "\n", "// a wise note\n"), 0, "func f0() { //\n"), versions: [][]string{base}, hash: true,
			hunks: "@@\n func f5() {\n+// a wise note\n \tcall(5)\n", err: "stale_file: f: hunk 1: the file changed since the version that this hunk fits, and the file has got the lines"},

		{name: "context that changed", now: context5, versions: [][]string{base}, hunks: wide5, want: with(context5, 26, "\tcall 5 anew\n")},
		{name: "the second last version", now: context5, versions: [][]string{with(context5, 0, "func zero() {\n"), base}, hunks: wide5, want: with(context5, 26, "\tcall 5 anew\n")},
		{name: "two versions that agree", now: context5, versions: [][]string{with(base, 1, "\tzero()\n"), base}, hunks: wide5, want: with(context5, 26, "\tcall 5 anew\n")},
		{name: "made already, in changed context", now: with(context5, 26, "\tcall 5 anew\n"), versions: [][]string{base}, hunks: wide5, want: with(context5, 26, "\tcall 5 anew\n")},
		{name: "a part of it made, beside what is not", now: with(with(base, 26, "\tcall 5 anew\n"), 27, "\treturn\n"), versions: [][]string{base},
			hunks: "@@\n func f5() {\n-\tcall(5)\n-\treturn\n+\tcall 5 anew\n+\treturn 5\n }\n", err: "stale_file: f:27: hunk 1: conflict"},
		{name: "two of three changes made, around lines without words", now: slices.Concat(base[:22], []string{"X\n", "}\n", ")\n", "]\n", "Y\n"}),
			versions: [][]string{slices.Concat(base[:22], []string{"x\n", "}\n", ")\n", "]\n", "y\n"})}, hunks: "@@\n-x\n+X\n }\n-)\n+))\n ]\n-y\n+Y\n",
			want: slices.Concat(base[:22], []string{"X\n", "}\n", "))\n", "]\n", "Y\n"})},
		{name: "one of two versions speaks against it", now: context5, versions: [][]string{with(base, 1, "\tzero()\n"), with(base, 27, "\treturn 2\n")},
			hunks: "@@\n \treturn\n }\n \n func f5() {\n-\tcall(5)\n+\tcall 5 anew\n", want: with(context5, 26, "\tcall 5 anew\n"), rung: patch.Corrected},
		{name: "two versions that do not agree", now: slices.Concat(copied, apart, copied), versions: [][]string{slices.Concat(block, apart), slices.Concat(apart, block)},
			hunks: "@@\n alpha\n one\n-x\n+y\n", err: "patch_apply_error"},
		{name: "a version from which it does not merge", now: context5, versions: [][]string{base, slices.Concat(base[20:30], base[:20], base[30:])}, hunks: wide5,
			err: "stale_file: f:1: hunk 1: conflict"},
		{name: "the line to remove changed, alike", now: with(context5, 26, "\tcall(55)\n"), versions: [][]string{base}, hunks: wide5, err: "stale_file: f:27: hunk 1: conflict"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var versions []string
			for _, v := range tt.versions {
				versions = append(versions, joinLines(v))
			}
			expect := ""
			if tt.hash {
				expect = joinLines(base)
				if len(versions) > 0 {
					expect = versions[0]
				}
			}
			p, _, err := buildSeen(t, readLeniently, joinLines(tt.now), versions, expect, tt.hunks)
			if tt.err != "" {
				e := fail.All(err)
				if err == nil || !strings.Contains(fmt.Sprintf("%s: %v", e[0].Kind, e[0]), tt.err) {
					t.Fatalf("got %v, want %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := joinLines(tt.now)
			for _, s := range p.Steps {
				got = s.After
				if h := s.Hunks[0]; h.Rung != cmp.Or(tt.rung, patch.Merged) || h.Line < 22 || h.Line > 26 || (h.Rung == patch.Merged) != strings.HasPrefix(h.Merged, "it fits the version ") {
					t.Errorf("%+v", h)
				}
			}
			if got != joinLines(tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, joinLines(tt.want))
			}
			if (len(p.Steps) == 0) != (len(p.Skipped) == 1) {
				t.Errorf("%d steps, skipped %v", len(p.Steps), p.Skipped)
			}
		})
	}
}

// TestThreeWaysOnlyLenient: the strict reading looks for no version, and neither does lenient where the hash holds or all is in place.
func TestThreeWaysOnlyLenient(t *testing.T) {
	base := joinLines(numbered())
	now := strings.Replace(base, "call(1)", "call one", 1)
	const fits, gone = "@@\n-\tcall(5)\n+\tx\n", "@@\n-\tcall(1)\n+\tx\n"
	for _, tt := range []struct {
		name          string
		options       dialect.Options
		expect, hunks string
	}{
		{"strict, stale", dialect.Options{}, base, fits},
		{"strict, no place", dialect.Options{}, "", gone},
		{"down to a rung", dialect.Options{Lenient: true, Tolerance: patch.Unicode}, base, fits},
		{"in place", readLeniently, "", fits},
		{"the hash holds, in place", readLeniently, now, fits},
		{"the hash holds, no place", readLeniently, now, gone},
	} {
		if _, src, _ := buildSeen(t, tt.options, now, []string{base}, tt.expect, tt.hunks); src.asked > 0 {
			t.Errorf("%s: versions were looked for", tt.name)
		}
	}
}

// TestConflictShows: a conflict shows what the version had, what the file has and what the hunk makes.
func TestConflictShows(t *testing.T) {
	base := joinLines(numbered())
	now := strings.Replace(base, "call(5)", "call five", 1)
	_, _, err := buildSeen(t, readLeniently, now, []string{base}, base, "@@\n func f5() {\n-\tcall(5)\n+\tcall 5 anew\n")
	list, _ := errors.AsType[fail.List](err)
	if len(list) != 1 || list[0].Nearest == nil {
		t.Fatal(err)
	}
	e := list[0]
	if !slices.Equal(e.Nearest.Lines, []string{"\tcall five"}) || e.Nearest.First != 27 || e.Want != text.Sum(base) || e.Have != text.Sum(now) {
		t.Errorf("%+v %+v", e, e.Nearest)
	}
	for _, want := range []string{`the version had "\tcall(5)"`, `"\tcall 5 anew"`} {
		if !strings.Contains(strings.Join(e.Nearest.Differs, "\n"), want) {
			t.Errorf("%q does not say %s", e.Nearest.Differs, want)
		}
	}
}

// TestThreeWaysKeepsBoth: of two sides with random changes each keeps all that it added and removed, in its order, or the patch is refused.
func TestThreeWaysKeepsBoth(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	merged := 0
	for range 2000 {
		base := numbered()[:25]
		side := func(tag string) []string {
			var out []string
			for i, l := range base {
				switch rng.IntN(25) {
				case 0:
				case 1:
					out = append(out, fmt.Sprintf("%s%d\n", tag, i))
				case 2:
					out = append(out, l, fmt.Sprintf("%s%d\n", tag, i))
				default:
					out = append(out, l)
				}
			}
			return out
		}
		now, mine := side("theirs"), side("mine")
		var hunks strings.Builder
		for _, c := range text.Between(joinLines(base), joinLines(mine)) {
			from, to := max(0, c.A0-3), min(len(base), c.A1+3)
			hunks.WriteString("@@\n" + marked(" ", base[from:c.A0]) + marked("-", base[c.A0:c.A1]) + marked("+", mine[c.B0:c.B1]) + marked(" ", base[c.A1:to]))
		}
		if hunks.Len() == 0 {
			continue
		}
		p, _, err := buildSeen(t, readLeniently, joinLines(now), []string{joinLines(base)}, joinLines(base), hunks.String())
		if err != nil || len(p.Steps) == 0 {
			continue
		}
		if p.Steps[0].Hunks[0].Rung != patch.Merged {
			continue // nobody changed anything
		}
		merged++
		after := strings.SplitAfter(p.Steps[0].After, "\n")
		for tag, lines := range map[string][]string{"theirs": now, "mine": mine} {
			own := func(l string) bool { return !strings.HasPrefix(l, tag) }
			if got, want := slices.DeleteFunc(slices.Clone(after), own), slices.DeleteFunc(slices.Clone(lines), own); !slices.Equal(got, want) {
				t.Fatalf("%s has %q of %q\nnow\n%s\nmine\n%s\nafter\n%s", tag, got, want, joinLines(now), joinLines(mine), joinLines(after))
			}
		}
		for _, l := range base {
			if strings.Contains(l, "f") && slices.Contains(after, l) != (slices.Contains(now, l) && slices.Contains(mine, l)) {
				t.Fatalf("%q\nnow\n%s\nmine\n%s\nafter\n%s", l, joinLines(now), joinLines(mine), joinLines(after))
			}
		}
	}
	if t.Logf("%d merged", merged); merged < 100 {
		t.Errorf("only %d were merged", merged)
	}
}

// marked returns lines with a mark.
func marked(mark string, lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(mark + l)
	}
	return b.String()
}

// TestFileIsAVersionWithHunks: if the file is byte for byte what the hunks make of a version on record, they are applied, whatever refused
// them; if it is what a part of their changes makes of it, the rest is made.
func TestFileIsAVersionWithHunks(t *testing.T) {
	const blocks = "one {\n}\n\ntwo {\n}\n"
	for _, tt := range []struct {
		name, version, now, hunks string
		want                      string // "" if it is refused, and nothing says that it is applied
		alone                     string // the same without the version on record
	}{
		{"an addition below context that is still there", "alpha\nbeta\n", "alpha\nmore words\nbeta\n", "@@\n alpha\n+more words\n", "alpha\nmore words\nbeta\n", ""},
		{"a blank line that was added", "a\n\nb\n", "a\n\n\nb\n", "@@\n a\n+\n \n b\n", "a\n\n\nb\n", ""},
		{"and another line since", "alpha\nbeta\n", "alpha\nmore words\nbeta\ngamma\n", "@@\n alpha\n+more words\n", "", ""},
		{"an addition that makes its context stand twice", "one line\n", "one line\ntwo lines\none line\n", "@@\n one line\n+two lines\n+one line\n", "one line\ntwo lines\none line\n", ""},
		{"the first of two additions below context that is still there", "alpha\nbeta\n", "alpha\nmore words\nbeta\n", "@@\n alpha\n+more words\n@@\n beta\n+other words\n",
			"alpha\nmore words\nbeta\nother words\n", ""},
		{"a bracket that was exchanged, of two", blocks, "one {\n}\n\ntwo [\n]\n", "@@\n-two {\n-}\n+two [\n+]\n", "one {\n}\n\ntwo [\n]\n", ""},
		{"the first of two changes", "a\n}\nb\n}\nc\n", "a\n]\nb\n}\nc\n", "@@\n a\n-}\n+]\n b\n-}\n+]\n c\n", "a\n]\nb\n]\nc\n", ""},
		{"the first of two changes, and another", "a\n}\nb\n}\nc\n", "A\n]\nb\n}\nc\n", "@@\n a\n-}\n+]\n b\n-}\n+]\n c\n", "", ""},
	} {
		for _, versions := range [][]string{{tt.version}, nil} {
			want := tt.want
			if versions == nil {
				want = tt.alone
			}
			p, _, err := buildSeen(t, readLeniently, tt.now, versions, "", tt.hunks)
			got := ""
			if err == nil {
				if got = tt.now; len(p.Steps) > 0 {
					got = p.Steps[0].After
				}
			}
			if got != want {
				t.Errorf("%s, %d versions: leaves %q, want %q (%v)", tt.name, len(versions), got, want, err)
			}
		}
	}
}
