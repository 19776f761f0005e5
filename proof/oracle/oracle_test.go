//go:build oracle

package oracle

import (
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/proof/oracle/shrink"
)

// judge compares both programs.
type judge struct {
	testing.TB
	theirs *program
}

func TestCodex(t *testing.T) {
	j := judge{t, install(t)}
	if name := os.Getenv("EMEND_ORACLE_CASE"); name != "" {
		j.one(name)
		return
	}
	n, seed := number(t, "EMEND_ORACLE_N", 4000), number(t, "EMEND_ORACLE_SEED", 1)
	counts, unexplained := j.all(n, seed)
	t.Logf("%d patches, seed %d: %d accepted by both, %d refused by both", n, seed, counts["accepted"], counts["refused"])
	for _, name := range names() {
		t.Logf("%6d  %s", counts[name], name)
	}
	if floor := n / 4; counts["accepted"] < floor {
		t.Errorf("both accepted only %d patches; fewer than %d prove little", counts["accepted"], floor)
	}
	shown := number(t, "EMEND_ORACLE_SHOW", 5)
	for _, c := range unexplained[:min(len(unexplained), int(shown))] {
		small := j.smallest(c)
		t.Errorf("no rule explains this:\n%s%s", small, j.show(small))
	}
	if len(unexplained) > 0 {
		t.Errorf("%d disagreements are not explained", len(unexplained))
	}
}

func number(t *testing.T, name string, def uint64) uint64 {
	s := os.Getenv(name)
	if s == "" {
		return def
	}
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// all compares cases 0 up to n of a seed and counts the answers by the rules that explain them.
func (j judge) all(n, seed uint64) (counts map[string]uint64, unexplained []tcase) {
	counts = map[string]uint64{}
	var mu sync.Mutex
	var workers sync.WaitGroup
	step := uint64(runtime.GOMAXPROCS(0))
	for first := range step {
		workers.Go(func() {
			for i := first; i < n; i += step {
				c := makeCase(seed, i)
				why, ok := j.explain(c)
				mu.Lock()
				for _, name := range why {
					counts[name]++
				}
				if !ok {
					unexplained = append(unexplained, c)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return counts, unexplained
}

// explain classifies a case: "accepted" or "refused" if the programs agree, else the rules that explain the difference. It
// tries single rules before pairs, and pairs before triples.
func (j judge) explain(c tcase) (why []string, ok bool) {
	theirs, our := j.theirs.run(j, c), ours(c)
	if agree(theirs, our) {
		switch {
		case our.ok:
			return []string{"accepted"}, true
		case !maps.Equal(theirs.tree, c.files):
			return []string{"refused", partial}, true
		}
		return []string{"refused"}, true
	}
	for most := range 4 {
		if why := j.explainWith(c, theirs, our, rules, most); why != nil {
			return why, true
		}
	}
	return nil, false
}

// explainWith tries every combination of exactly n rules, in their order.
func (j judge) explainWith(c tcase, theirs, our outcome, from []rule, n int) []string {
	if n == 0 {
		if agree(theirs, our) {
			return []string{}
		}
		return nil
	}
	for i, r := range from {
		next, t, o, ok := j.apply(r, c, theirs, our)
		if !ok {
			continue
		}
		if why := j.explainWith(next, t, o, from[i+1:], n-1); why != nil {
			return append(why, r.name)
		}
	}
	return nil
}

// apply returns the case and the outcomes without the difference that r allows. It reports false if r does not apply.
func (j judge) apply(r rule, c tcase, theirs, our outcome) (next tcase, t, o outcome, ok bool) {
	switch {
	case r.blur != nil:
		return c, blurred(theirs, r), blurred(our, r), r.applies(c, our)
	case r.refuses != nil:
		return c, theirs, theirs, theirs.ok && only(our.errs, r.refuses)
	}
	if next, ok = r.without(c); ok {
		t, o = j.theirs.run(j, next), ours(next)
	}
	return next, t, o, ok
}

// only reports whether every refusal satisfies those, or follows from one that does: a later section of the same file lacks the
// refused change.
func only(errs fail.List, those func(*fail.Error) bool) bool {
	spoilt := map[string]bool{}
	for _, e := range errs {
		if name := path.Clean(e.Path); those(e) {
			spoilt[name] = true
		} else if !spoilt[name] {
			return false
		}
	}
	return len(errs) > 0
}

// agree reports whether two outcomes are the same. It ignores what a refused patch leaves behind.
func agree(theirs, our outcome) bool {
	if !theirs.ok || !our.ok {
		return theirs.ok == our.ok
	}
	return maps.Equal(theirs.tree, our.tree)
}

func blurred(o outcome, r rule) outcome {
	tree := map[string]string{}
	for name, data := range o.tree {
		tree[name] = r.blur(data)
	}
	o.tree = tree
	return o
}

// smallest shrinks an unexplained case: lines of the patch, then files, then their lines.
func (j judge) smallest(c tcase) tcase {
	unexplained := func(c tcase) bool {
		_, ok := j.explain(c)
		return !ok
	}
	for range 2 {
		lines := shrink.Slice(strings.SplitAfter(c.patch, "\n"), 300, func(lines []string) bool {
			return unexplained(tcase{c.files, strings.Join(lines, "")})
		})
		c.patch = strings.Join(lines, "")
		names := shrink.Slice(slices.Sorted(maps.Keys(c.files)), 30, func(names []string) bool {
			return unexplained(tcase{these(c.files, names), c.patch})
		})
		c.files = these(c.files, names)
		for name, data := range c.files {
			files := maps.Clone(c.files)
			lines := shrink.Slice(strings.SplitAfter(data, "\n"), 200, func(lines []string) bool {
				files[name] = strings.Join(lines, "")
				return unexplained(tcase{files, c.patch})
			})
			c.files = maps.Clone(files)
			c.files[name] = strings.Join(lines, "")
		}
	}
	return c
}

func these(files map[string]string, names []string) map[string]string {
	out := map[string]string{}
	for _, name := range names {
		out[name] = files[name]
	}
	return out
}

// show describes what both programs did with c.
func (j judge) show(c tcase) string {
	tell := func(who string, o outcome) string {
		word := "refuses"
		if o.ok {
			word = "accepts"
		}
		return fmt.Sprintf("%s %s: %s\n%s", who, word, strings.TrimSpace(o.said), strings.TrimSuffix(tcase{files: o.tree}.String(), "patch\n"))
	}
	return tell("codex", j.theirs.run(j, c)) + tell("emend", ours(c))
}

// one compares a case from a file.
func (j judge) one(name string) {
	data, err := os.ReadFile(name)
	if err != nil {
		j.Fatal(err)
	}
	c, err := parse(string(data))
	if err != nil {
		j.Fatal(err)
	}
	why, ok := j.explain(c)
	j.Logf("explained %v by %v\n%s%s", ok, why, c, j.show(c))
}

// TestRulesAreDocumented checks that docs/differences.md lists every rule, and no other.
func TestRulesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../../docs/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^\d+\. \[([a-z0-9-]+)\]`).FindAllStringSubmatch(string(doc), -1) {
		documented = append(documented, m[1])
	}
	for _, name := range names() {
		if !slices.Contains(documented, name) {
			t.Errorf("docs/differences.md has no row that begins with [%s]", name)
		}
	}
	for _, name := range documented {
		if !slices.Contains(names(), name) {
			t.Errorf("docs/differences.md has a row [%s], but no rule is called that", name)
		}
	}
}

func TestCaseReadsBack(t *testing.T) {
	for i := range uint64(200) {
		c := makeCase(9, i)
		back, err := parse(c.String())
		if err != nil || back.patch != c.patch || !maps.Equal(back.files, c.files) {
			t.Fatalf("case %d: %v\n%s\nreads back as\n%s", i, err, c, back)
		}
	}
}
