package suggest

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/plan/internal/place"
	"github.com/emend-dev/emend/internal/plan/internal/repeat"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

var (
	hunk       = hunktest.Hunk
	strict     = hunktest.Strict
	order      = hunktest.Ordered
	cursor     = hunktest.Cursor
	joined     = hunktest.Text
	randomHunk = hunktest.RandomHunk
	lines      = hunktest.Print
)

// settle is what becomes of a file, or the refusals of its hunks with what is suggested.
func settle(file *text.Lines, hunks []patch.Hunk, r dialect.Rules, print func(patch.Hunk) (string, bool)) (*place.Result, error) {
	p := place.Find(file, hunks, r, false)
	repeat.Find(p, repeat.Tell)
	if errs := p.Errors(); len(errs) > 0 {
		Hunks(p, []patch.Section{{Hunks: hunks}}, errs, print)
		return nil, errs
	}
	return p.Result(), nil
}

func TestNearest(t *testing.T) {
	tests := []struct {
		name    string
		hunk    patch.Hunk
		place   fail.Place
		differs string // part of the differences
		after   string // part of the file once the corrected hunk is applied; "" when there must be none
	}{
		{"indentation", hunk(" func hello(name string) string {", "-    if name == \"\" {", "+    if name == \"x\" {"),
			fail.Place{First: 5, Last: 6}, `line 6: indentation: the file has "\t", the hunk "    "`, "\tif name == \"x\" {"},
		{"trailing space", hunk("-\treturn fmt.Sprintf(\"hello, %s\", name)  ", "+\treturn 1"),
			fail.Place{First: 10, Last: 10}, "trailing white space", "\treturn 1\n}\n\nfunc bye"},
		{"typography", hunk("-\treturn fmt.Sprintf(“bye, %s”, name)", "+\treturn 1"),
			fail.Place{First: 18, Last: 18}, "typography", "\treturn 1\n}\n"},
		{"a changed line", hunk(" func hello(name string) string {", " \tif len(name) == 0 {", "-\t\treturn \"nobody\"", "+\t\treturn \"no one\""),
			fail.Place{First: 5, Last: 7}, "line 6: a changed line", "return \"no one\""},
		{"a blank line left out, and most of the hunk stands below it", hunk(" \t\treturn \"nobody\"", " \t}", "-\treturn fmt.Sprintf(\"hello, %s\", name)", "+\treturn 1"),
			fail.Place{First: 7, Last: 10}, `line 9: the hunk leaves out ""`, "\t}\n\n\treturn 1\n"},
		{"a blank line left out", hunk(" func hello(name string) string {", " \tif name == \"\" {", " \t\treturn \"nobody\"", " \t}", "-\treturn fmt.Sprintf(\"hello, %s\", name)", "+\treturn 1"),
			fail.Place{First: 5, Last: 10}, `line 9: the hunk leaves out ""`, "\t}\n\n\treturn 1\n"},
		{"a line that is not there", hunk(" func bye(name string) string {", " \t// a comment", " \tif name == \"\" {", "-\t\treturn \"nothing\"", "+\t\treturn \"\""),
			fail.Place{First: 13, Last: 15}, `the hunk's line "\t// a comment" is not there`, "\t\treturn \"\"\n"},
		{"one paraphrased line", hunk("-\treturn fmt.Sprintf(\"bye, bye, %s\", name)", "+\treturn 1"),
			fail.Place{First: 18, Last: 18}, "a changed line", "\treturn 1\n}\n"},
		{"made already", hunk(" func hello(name string) string {", "-\tif name == \"nil\" {", "+\tif name == \"\" {"),
			fail.Place{First: 5, Last: 6}, "already there", ""},
		{"a removed line that is not there", hunk(" func bye(name string) string {", "-\tlog.Print(name)", " \tif name == \"\" {"),
			fail.Place{First: 13, Last: 14}, "is not there", ""},
		{"nothing like it", hunk("-completely different words"), fail.Place{}, "", ""},
		{"two places alike", hunk(" \tif name == \"\"  {", " \t\treturn", "+x"), fail.Place{}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := settle(text.Split(hunktest.Program), []patch.Hunk{tt.hunk}, order, lines)
			e := fail.All(err)[0]
			n := e.Nearest
			if n == nil {
				if tt.place != (fail.Place{}) {
					t.Fatalf("no nearest place: %v", e)
				}
				return
			}
			if tt.place != (fail.Place{}) && n.Place != tt.place {
				t.Errorf("nearest %v, want %v", n.Place, tt.place)
			}
			if got := strings.Join(n.Differs, "\n"); !strings.Contains(got, tt.differs) {
				t.Errorf("differs %q, want %q in it", got, tt.differs)
			}
			if (n.Corrected != "") != (tt.after != "") {
				t.Fatalf("corrected hunk %q", n.Corrected)
			}
			if n.Corrected == "" {
				return
			}
			fixed := hunk(strings.Split(strings.TrimSuffix(strings.TrimPrefix(n.Corrected, "@@\n"), "\n"), "\n")...)
			out, err := settle(text.Split(hunktest.Program), []patch.Hunk{fixed}, order, nil)
			if err != nil {
				t.Fatalf("the corrected hunk does not apply: %v\n%s", err, n.Corrected)
			}
			if !strings.Contains(out.After, tt.after) {
				t.Errorf("the corrected hunk gives\n%s\nwant %q in it", out.After, tt.after)
			}
		})
	}
}

// TestCorrectedHunksApply: every corrected hunk that is offered has exactly one place.
func TestCorrectedHunksApply(t *testing.T) {
	words := []string{"alpha one", "beta two", "gamma three", "delta", "}", "", "\treturn err", "if err != nil {"}
	offered := 0
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		file := make([]string, 4+rng.IntN(30))
		for i := range file {
			file[i] = words[rng.IntN(len(words))]
		}
		h := randomHunk(rng, file)
		i := rng.IntN(len(h.Lines))
		h.Lines[i] = patch.Line(string(h.Lines[i][0]) + "zeta " + h.Lines[i].Text())
		var fixed patch.Hunk
		show := func(h patch.Hunk) (string, bool) { fixed = h; return "shown", true }
		_, err := settle(text.Split(joined(file)), []patch.Hunk{h}, order, show)
		if e := fail.All(err); len(e) == 0 || e[0].Nearest == nil || e[0].Nearest.Corrected == "" {
			continue
		}
		offered++
		if _, err := settle(text.Split(joined(file)), []patch.Hunk{fixed}, order, nil); err != nil {
			t.Fatalf("seed %d: %q with %v: the corrected hunk %v: %v", seed, file, h, fixed, err)
		}
	}
	if offered < 1000 {
		t.Fatalf("only %d corrected hunks were offered: the test shows little", offered)
	}
}

func TestEveryFailureIsReported(t *testing.T) {
	_, err := settle(text.Split(hunktest.Program), []patch.Hunk{hunk("-nowhere"), hunk("-}"), hunk(" package main"), hunk("-neither")}, strict, nil)
	var got []string
	for _, e := range fail.All(err) {
		got = append(got, e.Error())
	}
	want := "hunk 1: its lines are not in the file\nhunk 2: 2 places match (lines 11, 19)\nhunk 4: its lines are not in the file"
	if strings.Join(got, "\n") != want {
		t.Errorf("got %q, want %q", strings.Join(got, "\n"), want)
	}
}

// TestNothingIsOfferedBesideARepeat: who corrects one hunk and sends the others again would have one applied twice.
func TestNothingIsOfferedBesideARepeat(t *testing.T) {
	file := text.Split(joined([]string{"alpha one", "", "beta two", "gamma three", "return", "}", "", "func made() {", "}"}))
	lost := hunk(" alpha one", "-beta two", "+beta 2", " gamma three")
	for _, tt := range []struct {
		name    string
		other   patch.Hunk
		offered bool
		hint    string
	}{
		{"another hunk", hunk(" return", "+}", "+", "+func other() {", " }"), true, "Send the corrected hunk instead"},
		{"one that was applied", hunk(" return", "+}", "+", "+func made() {", " }"), false, "Hunk 2 would add once more what stands there"},
	} {
		_, err := settle(file, []patch.Hunk{lost, tt.other}, strict, lines)
		e := fail.All(err)[0]
		if len(fail.All(err)) != 1 || (e.Nearest.Corrected != "") != tt.offered || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %v: offered %q, hint %q", tt.name, err, e.Nearest.Corrected, e.Hint)
		}
	}
}
