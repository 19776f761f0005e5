package replace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// one is a single edit.
func one(old, now string) []Edit { return []Edit{{Old: old, New: now}} }

// kinds is an error as its kinds, reasons and edits: "old_text_not_found 2".
func kinds(err error) string {
	var out []string
	for _, e := range fail.All(err) {
		word := string(e.Kind)
		if e.Reason != "" {
			word += " " + e.Reason
		}
		if e.Edit > 0 {
			word += fmt.Sprintf(" %d", e.Edit)
		}
		out = append(out, word)
	}
	return "!" + strings.Join(out, ", ")
}

func TestReplace(t *testing.T) {
	const bom = text.BOM
	tests := []struct {
		name   string
		before string
		edits  []Edit
		want   string // the text after, or "!kind reason edit, ..."
	}{
		{"part of a line", "PORT = 3000\nHOST = a\n", one("PORT = 3000", "PORT = 8080"), "PORT = 8080\nHOST = a\n"},
		{"across lines", "a\nb\nc\n", one("a\nb", "x"), "x\nc\n"},
		{"from the middle to the middle", "foo bar\nbaz qux\n", one("bar\nbaz", "-"), "foo - qux\n"},
		{"a deletion", "a\nb\nc\n", one("b\n", ""), "a\nc\n"},
		{"the whole text", "a\n", one("a\n", ""), ""},
		{"several, in any order", "a b c\n", []Edit{{Old: "c", New: "C"}, {Old: "a", New: "A"}}, "A b C\n"},
		{"against the original", "a b\n", []Edit{{Old: "a", New: "b"}, {Old: "b", New: "c"}}, "b c\n"},
		{"touching", "ab\n", []Edit{{Old: "b", New: "2"}, {Old: "a", New: "1"}}, "12\n"},

		// how often
		{"twice where once is expected", "x x\n", one("x", "y"), "!multiple_matches 1"},
		{"as often as expected", "x x\nx\n", []Edit{{Old: "x", New: "y", Count: 3}}, "y y\ny\n"},
		{"less often", "x x\n", []Edit{{Old: "x", New: "y", Count: 3}}, "!multiple_matches 1"},
		{"occurrences that overlap", "aaa\n", one("aa", "b"), "!multiple_matches 1"},
		{"overlapping, as many as some count", "aaaa\n", []Edit{{Old: "aa", New: "b", Count: 2}}, "!multiple_matches 1"},
		{"overlapping, as many as all count", "aaa\n", []Edit{{Old: "aa", New: "b", Count: 2}}, "!multiple_matches 1"},
		{"touching occurrences", "abab\n", []Edit{{Old: "ab", New: "c", Count: 2}}, "cc\n"},
		{"nowhere", "a\n", one("b", "c"), "!old_text_not_found 1"},

		// arguments
		{"no edits", "a\n", nil, "!command_failed bad_arguments"},
		{"nothing to look for", "a\n", one("", "b"), "!command_failed bad_arguments 1"},
		{"nothing to look for in an empty file", "", one("", "a\n"), "a\n"},
		{"in a file of a mark", bom, one("", "a\n"), bom + "a\n"},
		{"twice into an empty file", "", []Edit{{New: "a"}, {New: "b"}}, "!overlapping_edits"},
		{"an empty text twice", "", []Edit{{New: "a", Count: 2}}, "!command_failed bad_arguments 1"},
		{"something in an empty file", "", one("a", "b"), "!old_text_not_found 1"},
		{"the same text", "a\n", one("a", "a"), "!command_failed bad_arguments 1"},
		{"a negative count", "a\n", []Edit{{Old: "a", New: "b", Count: -1}}, "!command_failed bad_arguments 1"},
		{"binary", "a\x00b\n", one("a", "b"), "!binary_file"},

		// overlaps
		{"one inside the other", "abc\n", []Edit{{Old: "abc", New: "x"}, {Old: "b", New: "y"}}, "!overlapping_edits"},
		{"the same text twice", "abc\n", []Edit{{Old: "abc", New: "x"}, {Old: "abc", New: "y"}}, "!overlapping_edits"},
		{"every failure", "abc\nx\nx\n", []Edit{{Old: "ab", New: "1"}, {Old: "q", New: "1"}, {Old: "bc", New: "2"}, {Old: "x", New: "1"}, {Old: "", New: "1"}},
			"!old_text_not_found 2, multiple_matches 4, command_failed bad_arguments 5, overlapping_edits"},

		// line ends
		{"CRLF kept", "a\r\nb\r\nc\r\n", one("a\nb\n", "x\ny\n"), "x\r\ny\r\nc\r\n"},
		{"CRLF for more lines", "a\r\nb\r\n", one("b", "b\nc\nd"), "a\r\nb\r\nc\r\nd\r\n"},
		{"CRLF in the edit", "a\nb\n", one("a\r\nb\r\n", "x\r\ny\r\n"), "x\ny\n"},
		{"CRLF in the edit and the file", "a\r\nb\r\n", one("a\r\nb", "x\r\nb"), "x\r\nb\r\n"},
		{"CRLF in the new text only", "a\nb\n", one("a", "x\r\ny"), "x\ny\nb\n"},
		{"each newline keeps its end", "a\r\nb\nc\rd\n", one("a\nb\nc\nd\n", "1\n2\n3\n4\n"), "1\r\n2\n3\r4\n"},
		{"further ones that of the line before", "a\r\nb\nc\n", one("a\nb", "1\n2\n3"), "1\r\n2\r\n3\nc\n"},
		{"inside a line: that of the line before", "a\r\nb\nc\n", one("b", "1\n2"), "a\r\n1\r\n2\nc\n"},
		{"at the top: that of the line after", "a\r\nb\n", one("a", "1\n2"), "1\r\n2\r\nb\n"},
		{"no line end to go by", "a", one("a", "1\n2"), "1\n2"},
		{"a lone CR is a line end", "a\rb\r", one("a\nb", "x\ny"), "x\ry\r"},
		{"a CR as content", "10%\r20%\n", one("10%\r20%", "10%\r30%"), "10%\r30%\n"},
		{"a CR beside a LF", "a\r\nb\nc\n", one("a\r\nb\n", "x\r\ny\n"), "x\r\ny\nc\n"},
		{"a CR as content is no newline that is replaced", "a\rb\nc\r\n", one("a\rb\n", "1\n2\n"), "1\n2\nc\r\n"},
		{"a CR that would cut a CRLF", "a\r\nb\n", one("a\r", "x"), "!old_text_not_found 1"},
		{"a CRLF asked for", "a\nb\n", one("a\nb", "a\r\nb\nc"), "a\r\nb\nc\n"},
		{"a CR of a CRLF is not doubled", "a\r\nb\r\n", one("a\nb\n", "x\r\ny\n"), "x\r\ny\r\n"},
		{"a CR of a CRLF where CR ends lines", "a\rb\r", one("a\nb", "x\r\ny"), "x\ry\r"},
		{"an empty line between CR and LF", "a\rb\nc\n", one("b", ""), "a\r\r\nc\n"},
		{"a new empty line after a CR", "a\rb\nc\n", one("b\n", "\n\n"), "a\r\r\n\nc\n"},
		{"the last newline goes", "a\nb\n", one("b\n", "b"), "a\nb"},
		{"the last newline comes", "a\nb", one("b", "b\n"), "a\nb\n"},
		{"the last newline stays away", "a\nb", one("a", "x"), "x\nb"},

		// bytes
		{"a mark", bom + "a\nb\n", one("a", "x"), bom + "x\nb\n"},
		{"a mark and CRLF", bom + "a\r\nb\r\n", one("a\nb", "x\nb"), bom + "x\r\nb\r\n"},
		{"no UTF-8", "\xff\xfea\xc3\nb\n", one("b", "c"), "\xff\xfea\xc3\nc\n"},
		{"no UTF-8 sought", "a\xffb\xfe\n", one("\xffb", "x"), "ax\xfe\n"},
		{"mixed ends elsewhere", "a\r\nb\nc\rd", one("b", "x"), "a\r\nx\nc\rd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := Run(tt.before, tt.edits, Options{})
			got := ""
			if err != nil {
				got = kinds(err)
			} else {
				got = out.After
				checkEdits(t, tt.before, out.After, out.Edits)
			}
			if got != tt.want {
				t.Errorf("got  %q\nwant %q (%v)", got, tt.want, err)
			}
			for _, e := range fail.All(err) {
				if e.Hint == "" || e.Msg == "" {
					t.Errorf("no next step: %+v", e)
				}
			}
		})
	}
}

func TestReplaceSaysWhere(t *testing.T) {
	out, err := Run("a\nb x\nc\nd x x\n", []Edit{{Old: "x", New: "y", Count: 3}, {Old: "a\n", New: ""}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(out.Applied), "[{3 exact [{2 2} {4 4} {4 4}]} {1 exact [{1 1}]}]"; got != want {
		t.Errorf("applied %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(out.Edits), "[{0 2 0 1} {3 4 2 3}]"; got != want {
		t.Errorf("edits %s, want %s", got, want)
	}
	out, err = Run("", one("", "a\n"), Options{})
	if err != nil || fmt.Sprint(out.Applied) != "[{1 exact [{1 0}]}]" {
		t.Errorf("in an empty file: %v, %v", out, err)
	}
}

// A diff shows no line that an edit names and does not change.
func TestReplaceEditsAreNarrow(t *testing.T) {
	out, err := Run("a\nb\nc\nd\ne\n", one("a\nb\nc\nd\ne\n", "a\nB\nc\nd\ne\nf\n"), Options{})
	if err != nil || fmt.Sprint(out.Edits) != "[{1 2 1 2} {5 5 5 6}]" {
		t.Errorf("%v, %v", out, err)
	}
}

func TestReplaceRefusals(t *testing.T) {
	tests := []struct {
		name   string
		before string
		edits  []Edit
		msg    string // part of the message
		hint   string // part of the hint
		places string
	}{
		{"too often", "x\na\nx\n", one("x", "y"), "oldText occurs 2 times, expected 1 (lines 1, 3)", "‹expectedOccurrences› to 2", "[{1 1} {3 3}]"},
		{"not often enough", "x\na\n", []Edit{{Old: "x", New: "y", Count: 2}}, "occurs 1 time, expected 2", "‹expectedOccurrences› to 1", "[{1 1}]"},
		{"one over the other", "aaa", one("aa", "b"), "overlap one another: 2 of them, expected 1", "surrounding text", "[{1 1} {1 1}]"},
		{"overlapping edits", "a\nb\nc\n", []Edit{{Old: "b\nc", New: "1"}, {Old: "a\nb", New: "2"}},
			"edits 1 and 2 change the same text (lines 2-3 and 1-2)", "Join the edits", "[{2 3} {1 2}]"},
		{"an empty old text", "a\n", one("", "b"), "oldText is empty", "write_file", "[]"},
		{"binary", "\x00", one("a", "b"), "binary", "another tool", "[]"},
		{"not in an empty file", "", one("a", "b"), "empty", "write_file", "[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Run(tt.before, tt.edits, Options{})
			if err == nil {
				t.Fatal("not refused")
			}
			e := fail.All(err)[0]
			if !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) || fmt.Sprint(e.Places) != tt.places {
				t.Errorf("%q, %q, %v", e.Msg, e.Hint, e.Places)
			}
		})
	}
}

func TestReplaceOverlapsNamesEveryPair(t *testing.T) {
	_, err := Run("abcdef\n", []Edit{{Old: "abc", New: "1"}, {Old: "cd", New: "2"}, {Old: "def", New: "3"}, {Old: "b", New: "4"}}, Options{})
	e := fail.All(err)[0]
	if fmt.Sprint(e.Pairs) != "[[1 4] [1 2] [2 3]]" || len(e.Places) != 6 {
		t.Errorf("pairs %v, places %v", e.Pairs, e.Places)
	}
}

func TestReplaceListsAtMost(t *testing.T) {
	_, err := Run(strings.Repeat("x\n", 1000), one("x", "y"), Options{})
	e := fail.All(err)[0]
	if e.Total != 1000 || len(e.Places) != fail.MaxPlaces {
		t.Errorf("total %d, %d places", e.Total, len(e.Places))
	}
}

func TestReplaceLoosely(t *testing.T) {
	const file = "func a() {\n\tif x {\n\t\treturn “1”  \n\t}\n}\n\nfunc b() {\n\tdone()\n}"
	tests := []struct {
		name  string
		rung  patch.Rung
		edits []Edit
		want  string // part of the text after, or "!..."
		on    patch.Rung
	}{
		{"exact first", patch.Unicode, one("\tdone()", "\tgone()"), "\tgone()\n}", patch.Exact},
		{"not allowed", patch.Exact, one("\t}\n}  \n", "\t}\n}\n\n"), "!old_text_not_found 1", 0},
		{"trailing space", patch.Trailing, one("\t\treturn “1”\n\t}\n", "\t\treturn 2\n\t}\n"), "\t\treturn 2\n\t}\n}\n", patch.Trailing},
		{"trailing space on a line that stays", patch.Trailing, one("\t\treturn “1”\n\t}\n}\n", "\t\treturn “1”\n\t}\n\t// x\n}\n"), "\t\treturn “1”  \n\t}\n\t// x\n}\n", patch.Trailing},
		{"indentation", patch.Whitespace, one("    if x {\n", "    if y {\n        z()\n"), "\tif y {\n\t\tz()\n\t\treturn", patch.Whitespace},
		{"indentation not allowed", patch.Trailing, one("    if x {\n", "    if y {\n"), "!old_text_not_found 1", 0},
		{"typography", patch.Unicode, one("return \"1\"", "return 2"), "\n\t\treturn 2\n\t}", patch.Unicode},
		{"the old line's typography is kept", patch.Unicode, one("\treturn \"1\"\n}", "\treturn \"1\"\n\tgo()\n}"), "return “1”  \n\t\tgo()\n\t}", patch.Unicode},
		{"an indentation that does not shift alike", patch.Whitespace, one("if x {\nreturn “1”\n", "if x {\nreturn 3\n"), "!old_text_not_found 1", 0},
		{"no whole lines", patch.Unicode, one("if x {\n    return", "if y {\n    return"), "!old_text_not_found 1", 0},
		{"joins two lines", patch.Unicode, one("    if x {\n", "    if y {"), "!old_text_not_found 1", 0},
		{"several places", patch.Unicode, one("  }\n", "  })\n"), "!multiple_matches 1", 0},
		{"a deletion", patch.Whitespace, one("    if x {\n", ""), "func a() {\n\t\treturn", patch.Whitespace},
		{"the open last line", patch.Trailing, one("\tdone()\n}\n", "\tdone()\n\tmore()\n}\n"), "\tdone()\n\tmore()\n}", patch.Trailing},
		{"overlapping a strict one", patch.Unicode, []Edit{{Old: "    if x {\n", New: "    if y {\n"}, {Old: "x {", New: "z {"}}, "!overlapping_edits", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := Run(file, tt.edits, Options{Tolerance: tt.rung})
			if err != nil {
				if got := kinds(err); got != tt.want {
					t.Errorf("got %s, want %s (%v)", got, tt.want, err)
				}
				return
			}
			checkEdits(t, file, out.After, out.Edits)
			if !strings.Contains(out.After, tt.want) || out.Applied[0].Rung != tt.on {
				t.Errorf("on rung %s: %q, want %q", out.Applied[0].Rung, out.After, tt.want)
			}
		})
	}
}

func TestReplaceLooselyAsOftenAsExpected(t *testing.T) {
	out, err := Run("  a\r\n\ta\r\nb\r\n", []Edit{{Old: "a  \n", New: "c\n", Count: 2}}, Options{Tolerance: patch.Whitespace})
	if err != nil || out.After != "  c\r\n\tc\r\nb\r\n" || fmt.Sprint(out.Applied) != "[{2 whitespace [{1 1} {2 2}]}]" {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestReplaceLooselyOverlapping(t *testing.T) {
	_, err := Run("\ta\n\ta\n\ta\n", []Edit{{Old: "a  \na\n", New: "b\n", Count: 2}}, Options{Tolerance: patch.Whitespace})
	e := fail.All(err)[0]
	if e.Kind != fail.MultipleMatches || !strings.Contains(e.Msg, "overlap one another") || !strings.Contains(e.Msg, "whitespace") || fmt.Sprint(e.Places) != "[{1 2} {2 3}]" {
		t.Errorf("%v, %v", err, e.Places)
	}
}

func TestReplaceNearest(t *testing.T) {
	tests := []struct {
		name    string
		before  string
		old     string
		now     string
		place   fail.Place
		differs string
		oldText string // what is offered
	}{
		{"indentation", hunktest.Program, "    if name == \"\" {\n        return \"nobody\"\n", "x\n", fail.Place{First: 6, Last: 7}, "indentation", "\tif name == \"\" {\n\t\treturn \"nobody\"\n"},
		{"one line of another", hunktest.Program, "fmt.Sprintf(\"hello %s\", name)", "x", fail.Place{First: 10, Last: 10}, `the file has "fmt.Sprintf(\"hello, %s\", name)"`, "fmt.Sprintf(\"hello, %s\", name)"},
		{"another case", hunktest.Program, "SPRINTF(\"HELLO", "x", fail.Place{First: 10, Last: 10}, "", "Sprintf(\"hello"},
		{"from the middle of a line", hunktest.Program, "(name string) string {\n\tif name == \"\" {\n\t\treturn \"no-body\"\n\t}\n\n\treturn fmt.Sprintf(\"hello", "x",
			fail.Place{First: 5, Last: 10}, `line 7: a changed line`, "(name string) string {\n\tif name == \"\" {\n\t\treturn \"nobody\"\n\t}\n\n\treturn fmt.Sprintf(\"hello"},
		{"two places", hunktest.Program, "return fmt.Sprintf(\"%s\", name)", "x", fail.Place{}, "", ""},
		{"made already", hunktest.Program, "func hello(name int) string", "func hello(name string) string", fail.Place{First: 5, Last: 5}, "newText is already there", ""},
		{"line ends", "a\r\nb\n", "a\r\nb\r\n\n", "x", fail.Place{}, "", ""},
		{"mixed line ends", "aaa\nbbb\nccc\n", "aaa\r\nbbb\nccc", "x\n", fail.Place{First: 1, Last: 3}, "the line ends", ""},
		{"nothing like it", hunktest.Program, "completely different words", "x", fail.Place{}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Run(tt.before, one(tt.old, tt.now), Options{})
			e := fail.All(err)[0]
			if e.Kind != fail.OldTextNotFound || e.Hint == "" {
				t.Fatalf("%v, hint %q", err, e.Hint)
			}
			if e.Nearest == nil {
				if tt.place != (fail.Place{}) {
					t.Fatalf("nothing near: %v", e)
				}
				return
			}
			if tt.place == (fail.Place{}) && tt.oldText == "" && e.Nearest.OldText == "" {
				return
			}
			if e.Nearest.Place != tt.place || !strings.Contains(strings.Join(e.Nearest.Differs, "\n"), tt.differs) || e.Nearest.OldText != tt.oldText {
				t.Errorf("%+v\nhint %s", e.Nearest, e.Hint)
			}
			if e.Nearest.OldText != "" {
				if _, err := Run(tt.before, one(e.Nearest.OldText, "another text"), Options{}); err != nil {
					t.Errorf("the old text that was offered is refused: %v", err)
				}
			}
		})
	}
}

func TestReplaceLimit(t *testing.T) {
	_, err := Run(strings.Repeat("a\n", maxRead/perHit+1), []Edit{{Old: "a", New: "b", Count: maxRead/perHit + 1}}, Options{})
	if got := kinds(err); got != "!command_failed limit" {
		t.Errorf("%.200s", got)
	}
}

// TestReplaceManyIsTheSame: many edits are looked for at once and few one by one, with the same outcome.
func TestReplaceManyIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	made := 0
	for range 150 {
		before := randomText(rng)
		var edits []Edit
		for n := 0; n < len(before); n += 8 + rng.IntN(40) {
			e := Edit{Old: before[n:min(len(before), n+1+rng.IntN(12))], New: "new"}
			if rng.IntN(3) > 0 {
				_, e.Count, _ = occurrences(asSeen(before), e.Old, 0)
			}
			edits = append(edits, e)
		}
		if rng.IntN(2) == 0 { // so that none overlap
			edits = slices.DeleteFunc(edits, func(e Edit) bool { return e.Count != 1 || len(e.Old) > 8 })
		}
		edits = append(edits, make([]Edit, maxSingly)...)
		for i := range maxSingly {
			edits[len(edits)-1-i] = Edit{Old: "=", New: "nowhere"}
		}
		r := newReplacer(before, edits)
		r.findAll()
		one := newReplacer(before, edits)
		for k := range one.edits {
			one.findExact(k)
		}
		for k := range r.edits {
			a, b := r.edits[k], one.edits[k]
			if a.total == 1 && a.err == nil {
				made++
			}
			same := a.total == b.total && a.rung == b.rung && (a.err == nil) == (b.err == nil)
			switch {
			case !same || a.err == nil && !slices.Equal(a.spans, b.spans):
				t.Fatalf("%q in %q:\n%+v, %v\n%+v, %v", b.Old, before, a, a.err, b, b.err)
			case a.err != nil && len(a.err.Places) > 0 && a.err.Error() != b.err.Error():
				t.Fatalf("%q in %q: %v, want %v", b.Old, before, a.err, b.err)
			}
		}
	}
	if made < 500 {
		t.Errorf("only %d edits have their place", made)
	}
}

func randomText(rng *rand.Rand) string {
	var b strings.Builder
	for range 20 + rng.IntN(900) {
		b.WriteString([]string{"a", "ab", "b\r\n", "word", "x y\n", "zz", "\u00e9"}[rng.IntN(7)])
	}
	return b.String()
}
