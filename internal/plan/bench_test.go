package plan

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/patch"
)

// job is a file and the hunks for it.
type job struct {
	file     string
	hunks    []patch.Hunk
	sections []patch.Section // beside the one with the hunks
	opts     Options
	fails    bool
}

// jobs make files of n lines: what is usual, and what is meant to hurt.
var jobs = []struct {
	name  string
	rules dialect.Rules
	make  func(n int) job
}{
	{"one hunk", hunktest.Ordered, func(n int) job { return code(n, 1, "") }},
	{"a hunk every 100 lines", hunktest.Ordered, func(n int) job { return code(n, n/100, "") }},
	{"a hunk every 100 lines, indentation ignored", hunktest.Loose, func(n int) job { return code(n, n/100, "  ") }},
	{"a hunk every 100 lines, codex", hunktest.Cursor, func(n int) job { return code(n, n/100, " ") }},
	{"no place, one hunk", hunktest.Ordered, func(n int) job { return missing(n, 1) }},
	{"no place, a hunk every 100 lines", hunktest.Ordered, func(n int) job { return missing(n, n/100) }},
	{"no place, a hunk every 100 lines, every rung", hunktest.Loose, func(n int) job { return missing(n, n/100) }},
	{"equal lines, nearly a match everywhere", hunktest.Ordered, func(n int) job { return equal(n, 1) }},
	{"equal lines, 10 near matches, codex", hunktest.Cursor, func(n int) job { return equal(n, 10) }},
	{"equal lines, ambiguous everywhere", hunktest.Ordered, ambiguous},
	{"hunks that feed each other", hunktest.Strict, feeding},
	{"a chain of insertions", hunktest.Strict, chain},
	{"insertions after one line", hunktest.Strict, afterOne},
	{"one large insertion", hunktest.Ordered, insertion},
	{"one hunk that changes every tenth of equal lines", hunktest.Ordered, everyTenth},
	{"additions under anchors that two lines hold", hunktest.Ordered, anchored},
	{"anchors far below and no lines there", hunktest.Cursor, farAnchors},
	{"an anchor below equal lines", hunktest.Ordered, below},
	{"one anchor above everything, a hunk every 10 lines", hunktest.Ordered, underOne},
	{"stacked anchors around many lines", hunktest.Ordered, stacked},
	{"typography in one long line", hunktest.Loose, typographic},
	{"blocks between lines of context", hunktest.Ordered, blocks},
	{"one hunk that is applied already and removes every tenth line", hunktest.Ordered, appliedRemovals},
	{"ellipses between lines that stand in many places", hunktest.Ordered, ellipses},
	{"removals beside one line, all applied", hunktest.Ordered, besideOne},
	{"a mistake in each of 40 hunks, corrected", hunktest.Lenient, mistakes},
	{"anchors that lead elsewhere, left out", hunktest.Lenient, elsewhere},
	{"files that are gone, one of which may have been deleted", hunktest.Ordered, gone},
	{"a hunk every 10 lines, each with two lines in one", hunktest.Lenient, twoInOne},
	{"one added line of spaces and letters for ends of lines", hunktest.Lenient, endsInOne},
	{"equal lines with changes between them, typography ignored", hunktest.Lenient, alikeLoosely},
}

// printed is a way to print corrected hunks, which are only offered where there is one.
var printed = Options{Print: func(patch.Hunk) (string, bool) { return "shown", true }}

// mistakes has hunks with a typing mistake in a line of context.
func mistakes(n int) job {
	j := code(n, 40, "")
	for k := range j.hunks {
		l := &j.hunks[k].Lines[0]
		*l = patch.Line(strings.Replace(string(*l), "line", "lin", 1))
	}
	j.opts = printed
	return j
}

// elsewhere has 40 hunks that have their place far from where their anchors lead.
func elsewhere(n int) job {
	j := code(n, 40, "")
	j.file += "func last() {\n}\n"
	for k := range j.hunks {
		j.hunks[k].Anchors = []string{"func last() {"}
	}
	j.opts = printed
	return j
}

// underOne has hunks far below an anchor whose scope has to be looked at.
func underOne(n int) job {
	j := code(n, n/10, "")
	j.file = "anchor:\n" + j.file
	for k := range j.hunks {
		j.hunks[k].Anchors = []string{"anchor"}
	}
	return j
}

func stacked(n int) job {
	j := code(n, 1, "")
	var above strings.Builder
	for i := range n / 4 {
		fmt.Fprintf(&above, "anchor%d\n", i)
		j.hunks[0].Anchors = append(j.hunks[0].Anchors, fmt.Sprintf("anchor%d", i))
	}
	j.hunks[0].Lines = j.hunks[0].Lines[:0]
	for line := range strings.Lines(j.file) {
		j.hunks[0].Lines = append(j.hunks[0].Lines, patch.Line(" "+strings.TrimSuffix(line, "\n")))
	}
	j.hunks[0].Lines = append(j.hunks[0].Lines, "+end")
	j.file = above.String() + j.file
	return j
}

func typographic(n int) job {
	curly := strings.Repeat("“a” ", n)
	return job{file: strings.Repeat(`"a" `, n) + "\nend\n", hunks: []patch.Hunk{hunktest.Hunk(" "+curly, "+"+curly, " end")}}
}

// twoInOne adds lines that seem to hold two, which the file has nowhere.
func twoInOne(n int) job {
	j := job{fails: true}
	var b strings.Builder
	for i := range n {
		if i%10 == 5 {
			j.hunks = append(j.hunks, hunktest.Hunk(fmt.Sprintf(" line %d", i), `+a();\n  b();`))
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	j.file = b.String()
	return j
}

func endsInOne(n int) job {
	return job{file: "one\ntwo\n", hunks: []patch.Hunk{hunktest.Hunk(" one", "+"+strings.Repeat(" ", n)+strings.Repeat(`\n`, n), " two")}}
}

// alikeLoosely changes lines among others that are equal, in a hunk that is not in the file to the byte.
func alikeLoosely(n int) job {
	j := job{fails: true, file: "say(“a”)\n" + strings.Repeat("a b\n", n) + "end\n", hunks: []patch.Hunk{hunktest.Hunk(` say("a")`)}}
	for i := range n / 4 {
		j.hunks[0].Lines = append(j.hunks[0].Lines, " a b", " a b", "-a b", patch.Line(fmt.Sprintf("+c%d", i)), " a b")
	}
	j.hunks[0].Lines = append(j.hunks[0].Lines, " end")
	return j
}

// blocks adds a blank line, which is there already, below each line.
func blocks(n int) job {
	var j job
	var h patch.Hunk
	for i := range n {
		h.Lines = append(h.Lines, patch.Line(fmt.Sprintf(" line %d", i)), "+")
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	j.file, j.hunks = b.String(), []patch.Hunk{h}
	return j
}

// appliedRemovals has one hunk whose every removal leaves signs that are looked for among its own lines.
func appliedRemovals(n int) job {
	j := job{fails: true, hunks: []patch.Hunk{{}}}
	var b strings.Builder
	for i := range n {
		if i%10 == 5 {
			j.hunks[0].Lines = append(j.hunks[0].Lines, patch.Line(fmt.Sprintf("-gone %d", i)), patch.Line(fmt.Sprintf("+come %d", i)))
			fmt.Fprintf(&b, "come %d\n", i)
			continue
		}
		j.hunks[0].Lines = append(j.hunks[0].Lines, patch.Line(fmt.Sprintf(" line %d", i)))
		fmt.Fprintf(&b, "line %d\n", i)
	}
	j.file = b.String()
	return j
}

// ellipses leave out what is between lines, each of which stands in the file six times.
func ellipses(n int) job {
	j := job{fails: true}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i/6)
	}
	for k := range 40 {
		var h patch.Hunk
		for i := range 900 {
			h.Lines = append(h.Lines, patch.Line(fmt.Sprintf(" line %d", k*900+i)), " ...")
		}
		h.Lines = append(h.Lines, "-gone", "+come")
		j.hunks = append(j.hunks, h)
	}
	j.file = b.String()
	return j
}

// besideOne has hunks that each removed another line from below an equal one.
func besideOne(n int) job {
	j := job{fails: true}
	var b strings.Builder
	for i := range n / 10 {
		fmt.Fprintf(&b, "func %d\nequal\nend %d\n", i, i)
		j.hunks = append(j.hunks, hunktest.Hunk(fmt.Sprintf(" func %d", i), " equal", fmt.Sprintf("-gone %d", i), fmt.Sprintf(" end %d", i)))
	}
	j.file = b.String()
	return j
}

func gone(n int) job {
	j := job{fails: true, opts: Options{Idempotent: true}}
	for i := range n / 32 {
		j.sections = append(j.sections, patch.Section{Op: patch.Delete, Path: fmt.Sprintf("gone%d", i)})
	}
	return j
}

func chain(n int) job {
	j := job{file: "b0\n"}
	for k := range n / 8 {
		j.hunks = append(j.hunks, hunktest.Hunk(fmt.Sprintf("+b%d", k+1), fmt.Sprintf(" b%d", k)))
	}
	return j
}

func afterOne(n int) job {
	j := job{file: "a\n"}
	for k := range n / 8 {
		j.hunks = append(j.hunks, hunktest.Hunk(" a", fmt.Sprintf("+b%d", k)))
	}
	return j
}

func insertion(n int) job {
	j := job{file: "a\n", hunks: []patch.Hunk{hunktest.Hunk(" a")}}
	for i := range n {
		j.hunks[0].Lines = append(j.hunks[0].Lines, patch.Line(fmt.Sprintf("+\tresult = append(result, value%d)", i)))
	}
	return j
}

func everyTenth(n int) job {
	j := job{file: strings.Repeat("x\n", n), hunks: []patch.Hunk{{}}}
	for i := range n {
		if i%10 == 0 {
			j.hunks[0].Lines = append(j.hunks[0].Lines, "-x", "+y")
			continue
		}
		j.hunks[0].Lines = append(j.hunks[0].Lines, " x")
	}
	return j
}

func anchored(n int) job {
	j := job{fails: true}
	j.file = "anchor\n" + code(n, 1, "").file + "anchor\n"
	for range n / 10 {
		j.hunks = append(j.hunks, hunktest.Hunk("@@ anchor", "+x"))
	}
	return j
}

func farAnchors(n int) job {
	j := job{fails: true, file: code(n, 1, "").file + "anchor\n"}
	for range n / 10 {
		j.hunks = append(j.hunks, hunktest.Seek(hunktest.Hunk("@@ anchor", "-nothing")))
	}
	return j
}

func below(n int) job {
	j := job{fails: true, file: strings.Repeat("x\n", n) + "anchor\n" + strings.Repeat("x\n", n/4+1)}
	h := hunktest.Hunk("@@ anchor")
	for range n / 4 {
		h.Lines = append(h.Lines, "-x")
	}
	j.hunks = []patch.Hunk{h}
	return j
}

func code(n, hunks int, damage string) job {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "\tresult = append(result, value%d)\n", i)
	}
	j := job{file: b.String()}
	for k := range hunks {
		i := k * (n / hunks)
		line := func(mark string, i int) patch.Line {
			return patch.Line(fmt.Sprintf("%s\tresult = append(result, value%d)%s", mark, i, damage))
		}
		j.hunks = append(j.hunks, patch.Hunk{Lines: []patch.Line{line(" ", i), line("-", i+1), "+\tchanged()", line(" ", i+2)}})
	}
	return j
}

func missing(n, hunks int) job {
	j := code(n, hunks, "")
	j.fails = true
	for k := range j.hunks {
		j.hunks[k].Lines[1] = patch.Line(fmt.Sprintf("-\tresult = append(result, valu%d)", k))
	}
	return j
}

func equal(n, hunks int) job {
	j := job{file: strings.Repeat("a\n", n), fails: true}
	for k := range hunks {
		var h patch.Hunk
		for range n / 2 / hunks {
			h.Lines = append(h.Lines, " a")
		}
		h.Lines = append(h.Lines, patch.Line(fmt.Sprintf("-b%d", k)))
		j.hunks = append(j.hunks, h)
	}
	return j
}

func ambiguous(n int) job {
	j := job{file: strings.Repeat("a\n", n), fails: true}
	for range 100 {
		j.hunks = append(j.hunks, hunktest.Hunk(" a", "-a", "+b"))
	}
	return j
}

// feeding turns the lines that keep a long run of equal lines apart into equal ones, from the last to the first.
func feeding(n int) job {
	var b strings.Builder
	var j job
	for i := range n / 10 {
		fmt.Fprintf(&b, "sep%d\n%s", i, strings.Repeat("x\n", 9))
		j.hunks = append([]patch.Hunk{hunktest.Hunk(fmt.Sprintf("-sep%d", i), "+x")}, j.hunks...)
	}
	j.file = b.String()
	long := patch.Hunk{}
	for range n / 2 {
		long.Lines = append(long.Lines, " x")
	}
	long.Lines = append(long.Lines, "-never")
	j.hunks = append(j.hunks, long)
	j.fails = true
	return j
}

func (j *job) lines() int {
	n := strings.Count(j.file, "\n")
	for _, h := range j.hunks {
		n += len(h.Lines)
	}
	return n + len(j.sections)
}

// size is the bytes of file and patch.
func (j *job) size() int {
	size := len(j.file)
	for _, h := range j.hunks {
		for _, l := range h.Lines {
			size += len(l) + 1
		}
	}
	return size
}

// bound is what planning may hold: 3 x (file + patch) + 16 bytes a line + 32 MiB.
func (j *job) bound() float64 { return float64(3*j.size() + 16*j.lines() + 32<<20) }

// BenchmarkBuild prints, for files that double in size, what a line of file and patch costs in time, which must
// not grow, and the most memory that was held at once as a share of the bound, which must stay below 1.
func BenchmarkBuild(b *testing.B) {
	for _, jb := range jobs {
		for n := 1 << 15; n <= 1<<20; n *= 2 {
			b.Run(fmt.Sprintf("%s/lines=%d", jb.name, n), func(b *testing.B) {
				j := jb.make(n)
				p := patch.Patch{Sections: j.sections}
				if j.hunks != nil {
					p.Sections = append(p.Sections, patch.Section{Op: patch.Update, Path: "f", Hunks: j.hunks})
				}
				src := Memory{"f": j.file}
				run := func() {
					if _, err := Build(context.Background(), p, jb.rules, src, j.opts); (err != nil) != j.fails {
						b.Fatal(err)
					}
				}
				for b.Loop() {
					run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(j.lines()), "ns/line")
				b.ReportMetric((float64(peak(run))+float64(j.size()))/j.bound(), "of-bound")
			})
		}
	}
}

// peak is how much more than before is live at any moment while f runs. With the collector at work all the time
// what it counts is hardly more than what is in use.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	runtime.GC()
	live := func() uint64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	before, high := live(), uint64(0)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				high = max(high, live())
				runtime.Gosched()
			}
		}
	}()
	f()
	close(stop)
	<-done
	if high < before {
		return 0
	}
	return high - before
}
