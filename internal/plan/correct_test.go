package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/patch"
)

// lenientPlan plans a patch of the emend dialect leniently.
func lenientPlan(t *testing.T, text string, tree Memory, o Options) (*Plan, error) {
	t.Helper()
	read := dialect.Options{Lenient: true}
	parsed, err := dialect.Emend.Parse(text, read)
	if err != nil {
		t.Fatal(err)
	}
	o.Print = dialect.Emend.PrintHunk
	return Build(t.Context(), parsed.Patch, dialect.Emend.Rules(read), tree, o)
}

// TestCorrectedAtOnce: lenient does what the refusals ask for, if every one asks for something.
func TestCorrectedAtOnce(t *testing.T) {
	tree := Memory{
		"f":      "package f\n\nfunc one() int {\n\tx := first()\n\treturn x\n}\n\nfunc two() int {\n\ty := second()\n\treturn y\n}\n",
		"g":      "alpha words\nbeta words\ngamma words\ndelta words\n",
		"Dir/Up": "one\ntwo\nthree\n",
	}
	typo := []string{"*** Update File: f", "@@", " func one() int {", " \tx := frist()", "-\treturn x", "+\treturn x + 1", " }"}
	done := []string{"*** Update File: g", "@@", " alpha words", "-other words", "+beta words", " gamma words"}
	lost := []string{"*** Update File: g", "@@", " of another file", "-nothing", "+something"}
	for _, tt := range []struct {
		name  string
		lines [][]string
		want  string // the changed files, or the kinds of the refusals
		notes string
	}{
		{"a typing mistake", [][]string{typo}, "f", "line 4: a changed line: the file has \"\\tx := first()\", the hunk \"\\tx := frist()\""},
		{"and a hunk that is applied", [][]string{typo, done}, "f -g", ""},
		{"and one that has no place", [][]string{typo, lost}, "!patch_apply_error !patch_apply_error", ""},
		{"a hunk that is applied", [][]string{done}, "-g", ""},
		{"a path as git writes it", [][]string{{"*** Update File: a/g", "@@", "-beta words", "+BETA"}}, "g", `the path "a/g" was read as "g"`},
		{"a path in another case", [][]string{{"*** Update File: b/dir/up", "@@", "-two", "+zwei"}}, "Dir/Up", `the path "b/dir/up" was read as "Dir/Up"`},
		{"a path in another case, and other lines", [][]string{{"*** Update File: dir/up", "@@", "-four", "+zwei"}}, "!patch_apply_error", ""},
		{"nothing proves the path", [][]string{{"*** Delete File: a/g"}}, "!not_found", ""},
	} {
		var lines []string
		for _, s := range tt.lines {
			lines = append(lines, s...)
		}
		p, err := lenientPlan(t, envelope(lines...), tree, Options{})
		got := told(p, err)
		if p != nil {
			got = strings.ReplaceAll(changed(p), "  ", " ")
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s: %v", tt.name, got, tt.want, err)
		}
		if tt.notes != "" && p != nil {
			var notes strings.Builder
			notes.WriteString(strings.Join(p.Passed, "\n"))
			for _, s := range p.Steps {
				for _, h := range s.Hunks {
					if (h.Rung == patch.Corrected) != (h.Corrected != "") {
						t.Errorf("%s: %+v", tt.name, h)
					}
					notes.WriteString(h.Corrected)
				}
			}
			if notes.String() != tt.notes {
				t.Errorf("%s: %s, want %s", tt.name, notes.String(), tt.notes)
			}
		}
	}
}

// changed lists the paths that p writes, and with a - those that it skips.
func changed(p *Plan) string {
	var out []string
	for _, s := range p.Steps {
		out = append(out, s.Path)
	}
	for _, s := range p.Skipped {
		out = append(out, "-"+s.Path)
	}
	return strings.Join(out, " ")
}

// TestOnePathOnly: a path that may mean two files means none.
func TestOnePathOnly(t *testing.T) {
	text := envelope("*** Update File: a/f", "@@", "-x", "+y")
	for _, tt := range []struct {
		tree Memory
		want string
	}{
		{Memory{"f": "x\n"}, "f"},
		{Memory{"f": "x\n", "F": "x\n"}, "!not_found"},
		{Memory{"f": "x\n", "A/f": "x\n"}, "!not_found"},
		{Memory{"A/F": "x\n"}, "A/F"},
		{Memory{"a/f": "x\n", "f": "x\n"}, "a/f"},
		{Memory{"f/f": "x\n"}, "!not_found"},
	} {
		p, err := lenientPlan(t, text, tt.tree, Options{})
		got := told(p, err)
		if p != nil {
			got = changed(p)
		}
		if got != tt.want {
			t.Errorf("%v: %s, want %s", tt.tree, got, tt.want)
		}
	}
	if _, err := lenientPlan(t, text, Memory{"f": "x\n"}, Options{Expect: map[string]string{"a/f": strings.Repeat("0", 64)}}); len(fail.All(err)) != 1 || fail.All(err)[0].Kind != fail.Stale {
		t.Errorf("the expected hash of a/f is not that of f: %v", err)
	}
}

// TestCorrectedIsOffered: what lenient corrects by itself is what comes out if the corrected hunks of the strict refusal are sent.
func TestCorrectedIsOffered(t *testing.T) {
	words := strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu")
	corrected := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 17))
		var file []string
		for range 8 + rng.IntN(16) {
			file = append(file, strings.Repeat("  ", rng.IntN(3))+words[rng.IntN(len(words))]+" "+words[rng.IntN(len(words))])
		}
		at := 1 + rng.IntN(len(file)-4)
		lines := []string{"*** Update File: f", "@@", " " + file[at-1], "-" + file[at], "+" + file[at] + fmt.Sprint(" ", seed), " " + file[at+1], " " + file[at+2]}
		spoil := 2 + rng.IntN(5)
		if spoil == 4 {
			spoil++
		}
		lines[spoil] = strings.Replace(lines[spoil], "a", "aa", 1)
		tree := Memory{"f": strings.Join(file, "\n") + "\n"}
		p, err := lenientPlan(t, envelope(lines...), tree, Options{})
		if err != nil || p.Steps[0].Hunks[0].Rung != patch.Corrected {
			continue
		}
		corrected++
		_, err = build(t, "emend", envelope(lines...), tree, Options{Print: dialect.Emend.PrintHunk})
		list := fail.All(err)
		if len(list) != 1 || list[0].Nearest == nil || list[0].Nearest.Corrected == "" {
			t.Fatalf("%q for %q: the strict refusal offers nothing: %v", lines, file, err)
		}
		again, err := build(t, "emend", envelope("*** Update File: f", strings.TrimSuffix(list[0].Nearest.Corrected, "\n")), tree, Options{})
		if err != nil || again.Steps[0].After != p.Steps[0].After {
			t.Fatalf("%q for %q: lenient makes %q, the corrected hunk %v, %v", lines, file, p.Steps[0].After, again, err)
		}
	}
	if corrected < 500 {
		t.Fatalf("only %d hunks were corrected: the law says little", corrected)
	}
}
