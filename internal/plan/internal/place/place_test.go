package place

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan/internal/hunktest"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

var (
	hunk        = hunktest.Hunk
	seek        = hunktest.Seek
	adjoin      = hunktest.Adjoin
	strict      = hunktest.Strict
	order       = hunktest.Ordered
	cursor      = hunktest.Cursor
	loose       = hunktest.Loose
	joined      = hunktest.Text
	randomHunk  = hunktest.RandomHunk
	randomLines = hunktest.RandomLines
)

// placed is a file with its hunks placed.
type placed struct {
	after        string
	hunks        []api.Placed
	edits, bytes []text.Change
}

// place places the hunks in file, or returns every reason why not.
func place(file *text.Lines, hunks []patch.Hunk, r dialect.Rules) (*placed, error) {
	p := Find(file, hunks, r, false)
	if err := p.Limit(); err != nil {
		return nil, err
	}
	if errs := p.Errors(); len(errs) > 0 {
		return nil, errs
	}
	out := p.Result()
	return &placed{out.After, p.Landed(), out.Edits, out.Bytes}, nil
}

func TestPlace(t *testing.T) {
	type H = []patch.Hunk
	tests := []struct {
		name  string
		rules dialect.Rules
		file  string
		hunks H
		want  string // the file afterwards, or "!kind" with the first refusal's reason
		lines []int  // where the hunks landed
	}{
		{"one place", strict, "a\nb\nc\n", H{hunk(" a", "-b", "+B")}, "a\nB\nc\n", []int{1}},
		{"no place", strict, "a\nb\n", H{hunk("-x")}, "!patch_apply_error context_not_found", nil},
		{"two places", strict, "a\nb\na\n", H{hunk("-a")}, "!multiple_matches", nil},
		{"unique after the first hunk", strict, "a\nb\na\n", H{hunk("-a", " b"), hunk("-a", "+c")}, "b\nc\n", []int{1, 3}},
		{"made ambiguous by the first hunk", strict, "a\nb\n", H{hunk(" a", "+b", "-b", "+x", "+b"), hunk("-b")}, "!multiple_matches", nil},
		{"context that an earlier hunk wrote", strict, "a\nb\n", H{hunk("-a", "+A"), hunk(" A", "-b", "+B")}, "A\nB\n", []int{1, 2}},
		{"removing what an earlier hunk wrote", strict, "a\nb\n", H{hunk("-a", "+A"), hunk("-A", "+X")}, "!overlapping_edits", nil},
		{"both remove one line", strict, "a\nb\nc\n", H{hunk("-b", "+B"), hunk("-b", "-c")}, "!overlapping_edits", nil},
		{"context that an earlier hunk took", strict, "a\nb\nc\n", H{hunk("-b", "+B"), hunk(" b", "-c")}, "!patch_apply_error context_not_found", nil},
		{"shared context", strict, "a\nb\nc\n", H{hunk("-a", "+A", " b"), hunk(" b", "-c", "+C")}, "A\nb\nC\n", []int{1, 2}},
		{"interleaved", strict, "a\nb\nc\n", H{hunk("-a", " b", "-c"), hunk("-b")}, "!overlapping_edits", nil},
		{"out of order", strict, "a\nb\nc\n", H{hunk("-c", "+C"), hunk("-a", "+A")}, "A\nb\nC\n", []int{3, 1}},
		{"additions into an empty file", strict, "", H{hunk("+a", "+b")}, "a\nb\n", []int{1}},
		{"additions into a file", strict, "a\n", H{hunk("+b")}, "!multiple_matches", nil},
		{"delete all", strict, "a\nb\n", H{hunk("-a", "-b")}, "", []int{1}},

		{"anchor decides", order, "f\nx\ng\nx\n", H{hunk("@@ g", "-x", "+y")}, "f\nx\ng\ny\n", []int{4}},
		{"anchor leaves two", order, "f\nx\ng\nx\n", H{hunk("@@ f", "-x", "+y")}, "!multiple_matches", nil},
		{"anchor is not needed", order, "f\nx\n", H{hunk("@@ nowhere", "-x", "+y")}, "f\ny\n", []int{2}},
		{"anchor is missing", order, "x\nf\nx\n", H{hunk("@@ nowhere", "-x", "+y")}, "!patch_apply_error context_not_found", nil},
		{"stacked anchors", order, "c\nm\nx\nd\nm\nx\n", H{hunk("@@ d", "@@ m", "-x", "+y")}, "c\nm\nx\nd\nm\ny\n", []int{6}},
		{"addition after an anchor", order, "f\ng\n", H{hunk("@@ f", "+x")}, "f\nx\ng\n", []int{2}},
		{"addition after an anchor twice there", order, "f\nf\n", H{hunk("@@ f", "+x")}, "!multiple_matches", nil},
		{"addition after an anchor that is gone", order, "e\nf\ng\n", H{hunk("-e"), hunk("-f"), hunk("@@ f", "+x")}, "!overlapping_edits", nil},
		{"addition at the end", order, "f\nf\n", H{hunk("+x", "$")}, "f\nf\nx\n", []int{3}},
		{"end of file decides", order, "x\na\nx\n", H{hunk("-x", "+y", "$")}, "x\na\ny\n", []int{3}},
		{"not at the end", order, "x\na\n", H{hunk("-x", "+y", "$")}, "!patch_apply_error context_not_found", nil},
		{"order decides between two", order, "a\nx\nm\nx\n", H{hunk(" a", "+A"), hunk("-x", "+1"), hunk(" m", "+M")}, "a\nA\n1\nm\nM\nx\n", []int{1, 2, 3}},
		{"order with nothing above", order, "x\nm\nx\n", H{hunk("-x", "+1"), hunk(" m", "+M")}, "!multiple_matches", nil},
		{"order with nothing below", order, "x\nm\nx\n", H{hunk(" m", "+M"), hunk("-x", "+1")}, "!multiple_matches", nil},
		{"order decides for as many as there are", order, "x\nm\nx\n", H{hunk("-x", "+1"), hunk("-x", "+2")}, "1\nm\n2\n", []int{1, 3}},
		{"order leaves it open", order, "x\nx\nm\nx\n", H{hunk("-x", "+1"), hunk(" m", "+M")}, "!multiple_matches", nil},
		{"anchor before the rung", loose, "x\ny\nF\nx \ny\n", H{hunk("@@ F", "-x", " y", "+z")}, "x\ny\nF\ny\nz\n", []int{4}},
		{"anchor before the rung, and another hunk adds a place", loose, "x\nF\n x\nq\n", H{hunk("@@ F", "-x", "+1"), hunk(" q", "+ x")}, "!multiple_matches", nil},
		{"anchor with nothing below", loose, "x\ny\nF\ny\n", H{hunk("@@ F", "-x", " y", "+z")}, "!multiple_matches", nil},
		{"anchor below the only place", order, "x\nf\ny\n", H{hunk("@@ f", "-x", "+z")}, "!multiple_matches", nil},
		{"anchor in the place", order, "x\nf\ny\n", H{hunk("@@ f", "-x", " f", "+z")}, "f\nz\ny\n", []int{1}},
		{"anchor of another block", order, "f:\n  x\ng:\n  y\n", H{hunk("@@ f:", "-  y", "+  z")}, "!multiple_matches", nil},
		{"anchor of a block further up, at the head of the next", order, "f:\n  x\ng:\n  y\n", H{hunk("@@ f:", "-g:", "+h:", "   y")}, "f:\n  x\nh:\n  y\n", []int{3}},
		{"anchor of an outer block", order, "c:\n  f:\n    x\n  g:\n    y\n", H{hunk("@@ c:", "-    y", "+    z")}, "c:\n  f:\n    x\n  g:\n    z\n", []int{5}},
		{"anchor of a block that was closed", order, "f {\n  x\n}\n\ny\n", H{hunk("@@ f {", "-y", "+z")}, "f {\n  x\n}\n\nz\n", []int{5}},
		{"anchor that several blocks have", order, "f {\n  x\n}\nf {\n  y\n}\n", H{hunk("@@ f {", "-  y", "+  z")}, "f {\n  x\n}\nf {\n  z\n}\n", []int{5}},
		{"anchor above an operator", order, "f<\n  A\n> {\n  x\n}\n", H{hunk("@@ f<", "-  x", "+  z")}, "f<\n  A\n> {\n  z\n}\n", []int{4}},
		{"anchor above a label", order, "f {\n  x\nout:\n  y\n}\n", H{hunk("@@ f {", "-  y", "+  z")}, "f {\n  x\nout:\n  z\n}\n", []int{4}},
		{"anchor that decides for another block", order, "e:\n  x\nf:\n  y\ng:\n  x\n", H{hunk("@@ f:", "-  x", "+  z")}, "!multiple_matches", nil},
		{"stacked anchors, the outer one elsewhere", order, "c:\n  f:\n    x\nd:\n  f:\n    y\n", H{hunk("@@ c:", "@@ f:", "-    y", "+    z")}, "!multiple_matches", nil},
		{"one hunk proves tabs for the others", loose, "a\n\n\tb\n", H{hunk(" a", "+    n"), hunk("-    b", "+    B")}, "a\n\tn\n\n\tB\n", []int{1, 3}},
		{"hunks do not agree on tabs", loose, "a\n\n\tb\n\tc\n", H{hunk(" a", "+    n"), hunk("-    b", "+    B"), hunk("-  c", "+  C")}, "!patch_apply_error context_not_found", nil},
		{"a loose hunk that is there already", loose, "z\na \nb\n", H{hunk(" a", "+b")}, "!patch_apply_error context_not_found", nil},
		{"additions that stand there, from above", loose, "}\n}\n\nf\n}\n\ng \n", H{hunk(" }", " ", "+f", "+}", "+", " g")}, "!patch_apply_error context_not_found", nil},
		{"additions that stand there, by the letter", order, "}\n}\n\nf\n}\n\ng\n", H{hunk(" }", " ", "+f", "+}", "+", " g")}, "!patch_apply_error context_not_found", nil},
		{"additions that stand there, in a dialect that keeps its letter", strict, "}\n}\n\nf\n}\n\ng\n", H{hunk(" }", " ", "+f", "+}", "+", " g")}, "}\n}\n\nf\n}\n\nf\n}\n\ng\n", []int{5}},
		{"additions that stand there, below", order, "b\nc\nd\n", H{hunk(" b", "+c")}, "!patch_apply_error context_not_found", nil},
		{"additions that stand there, above", order, "b\nc\nd\n", H{hunk("+c", " d")}, "!patch_apply_error context_not_found", nil},
		{"additions that stand there and are shown", order, "b\nc\nd\n", H{hunk(" b", "+c", " c")}, "b\nc\nc\nd\n", []int{1}},
		{"additions that stand there, below an anchor", order, "f\nc\nd\n", H{hunk("@@ f", "+c")}, "!patch_apply_error context_not_found", nil},
		{"additions that stand there, at the end", order, "f\nc\n", H{hunk("+c", "$")}, "!patch_apply_error context_not_found", nil},
		{"half of the additions stands there", order, "b\nc\nd\n", H{hunk(" b", "+c", "+x")}, "b\nc\nx\nc\nd\n", []int{1}},
		{"what replaces a line stands below it", order, "a\nb\nc\n", H{hunk(" a", "-b", "+c")}, "a\nc\nc\n", []int{1}},
		{"the same hunk twice, the second in what another one wrote", order, "a\nb\nc\nz\n", H{hunk(" a", "+x", " b"), hunk(" c", "+y", "+a", "+b", " z"), hunk(" a", "+x", " b")}, "!patch_apply_error context_not_found", nil},
		{"the same addition twice", order, "b\nd\n", H{hunk(" b", "+c"), hunk(" b", "+c")}, "!patch_apply_error context_not_found", nil},
		{"the same addition for two places", order, "b\nm\nb\n", H{hunk(" b", "+c"), hunk(" b", "+c")}, "b\nc\nm\nb\nc\n", []int{1, 3}},
		{"one added after the other", order, "b\nd\n", H{hunk(" b", "+c"), hunk(" b", "+c", " c")}, "b\nc\nc\nd\n", []int{1, 1}},
		{"three spaces for a tab, and an added line of four", loose, "\ta()\n\tb()\n", H{hunk("    a()", "+    x()", "    b()")}, "!patch_apply_error context_not_found", nil},
		{"four spaces for a tab, and one more before a star", loose, "\ta()\n\tb()\n", H{hunk("     a()", "+     * x", "     b()")}, "\ta()\n\t * x\n\tb()\n", []int{1}},
		{"an added line that seems to be two, among lines that nearly match", loose, "a = 1\n", H{hunk(" a = 1  ", `+b = 2\n+c = 3`)}, "!patch_apply_error context_not_found", nil},
		{"the same letters in a string", loose, "a = 1\n", H{hunk(" a = 1  ", `+b = "2\n+c = 3"`)}, "a = 1\nb = \"2\\n+c = 3\"\n", []int{1}},
		{"two spaces for a tab, beside a comment whose lines begin with one", loose, " * x\n  y\n", H{hunk("- * x", "+ * X", "+\tn", " \ty")}, " * X\n  n\n  y\n", []int{1}},
		{"one line further left than the others", loose, "  a\n  b\n", H{hunk("   a", "+ n", "  b")}, "!patch_apply_error context_not_found", nil},
		{"typography that the file has not", loose, "a = \"x\";\n", H{hunk(" a = “x”;", "+b = “two” + ‘2’;")}, "a = \"x\";\nb = \"two\" + '2';\n", []int{1}},
		{"typography of which nothing says that it is not meant", loose, "a = \"x\";\n", H{hunk(" a = “x”;", "+b = “two”; // – 2")}, "!patch_apply_error context_not_found", nil},
		{"typography in old lines only", loose, "a = \"x\";\n", H{hunk(" a = “x”;", "+b = \"t\"; // it’s “2”")}, "!patch_apply_error context_not_found", nil},
		{"one quote that is not meant, and another that old lines have plainly", loose, "a = \"x\" + 'y';\n", H{hunk(" a = “x” + 'y';", "+b = “two”; // it’s 2")}, "!patch_apply_error context_not_found", nil},
		{"a cut off removed line", loose, "a\nb\n *\n * c\n", H{hunk(" a", "-b", "- *  ")}, "!patch_apply_error context_not_found", nil},
		{"a removed line that ends in spaces, as the one before", loose, "a\nb\n *\n * c\n", H{hunk(" a", "-b ", "- *  ")}, "a\n * c\n", []int{1}},
		{"two depths that are one in the file", loose, "a\nb\nc\n", H{hunk("   a", "-b", "+B", "+  B2", "   c")}, "!patch_apply_error context_not_found", nil},
		{"a comment shifted", loose, "    f\n        g\n/*\n * a\n * b\n", H{hunk(" * a", "+* more", " * b")}, "    f\n        g\n/*\n * a\n * more\n * b\n", []int{4}},
		{"a comment shifted, or its marks lost", loose, "  x;\n\n  /**\n   * a\n   */\n", H{hunk("  x;", " ", "  /**", "+   * more", "+   */", "+  y;", "+", "+  /**", "   * a")}, "!patch_apply_error context_not_found", nil},
		{"an added line that holds two", loose, "{\n  \"a\": 1\n  }\n", H{hunk(" {", "-  \"a\": 1", "+  \"a\": 2\\n   }", " }")}, "!patch_apply_error context_not_found", nil},
		{"an apostrophe in a word, where only another quote is shown not to be meant", loose, "a = \"x\";\n", H{hunk(" a = “x”;", "+b = “two”; // it’s 2")}, "!patch_apply_error context_not_found", nil},
		{"an apostrophe beside quotes that are added plainly", loose, "say(\"it's\")\n", H{hunk("-say(“it’s”)", "+say(\"I\") // it’s")}, "!patch_apply_error context_not_found", nil},
		{"typography of another kind", loose, "a = \"x\" - 1;\n", H{hunk(" a = “x” - 1;", "+b; // – 2")}, "a = \"x\" - 1;\nb; // – 2\n", []int{1}},
		{"typography that the file has elsewhere", loose, "a = \"x\";\n“z”\n", H{hunk(" a = “x”;", "+b = “two”;")}, "!patch_apply_error context_not_found", nil},
		{"typography that the file has, and other that it has not", loose, "a – \"x\"\n", H{hunk(" a – “x”", "+b – x")}, "!patch_apply_error context_not_found", nil},
		{"typography in added lines only", loose, "a\n", H{hunk(" a", "+“b”")}, "a\n“b”\n", []int{1}},
		{"typography that another hunk shows not to be meant", loose, "a\nb \"x\"\n", H{hunk(" a", "+“c”"), hunk("-b “x”", "+b “y”")}, "a\n\"c\"\nb \"y\"\n", []int{1, 2}},
		{"plain where the file has typography", loose, "a “x”\n", H{hunk(" a \"x\"", "+b \"y\"")}, "a “x”\nb \"y\"\n", []int{1}},
		{"marks of context left out", loose, "    test:\n        run: y\n", H{hunk("    test:", "+    lint:", "+        run: z", "        run: y")}, "!patch_apply_error context_not_found", nil},
		{"further left by as much on all lines", loose, "    test:\n        run: y\n", H{hunk("  test:", "+ lint:", "+     run: z", "      run: y")}, "    test:\n    lint:\n        run: z\n        run: y\n", []int{1}},
		{"further left, and an aligned line", loose, "    f(a,\n      b)\n    g\n        h\n", H{hunk(" f(a,", "   b)", "+i(a,", "+  b)", "+j", " g")}, "    f(a,\n      b)\n    i(a,\n      b)\n    j\n    g\n        h\n", []int{1}},
		{"a loose hunk that would change nothing", loose, "\ta\n", H{hunk("-a", "+\ta")}, "!patch_apply_error context_not_found", nil},
		{"used up and out of order", order, "x\nm\nx\nn\n", H{hunk("-x", "+1", " n"), hunk("-x", "+2")}, "!multiple_matches", nil},
		{"used up and in order", order, "x\nm\nx\nn\n", H{hunk("-x", "+1", " m"), hunk("-x", "+2")}, "1\nm\n2\nn\n", []int{1, 3}},

		{"one place for two hunks", order, "x\nanchor\nx\nend\n", H{hunk("@@ anchor", "-x", "+y"), hunk("@@ anchor", "-x", "+z")}, "!overlapping_edits", nil},
		{"one place for two equal hunks", order, "c\nc\n", H{hunk("@@ c", "-c"), hunk("@@ c", "-c")}, "!overlapping_edits", nil},
		{"decided together, changed by the other", order, "p\nq\nr\nanchor\np\nq\nr\n", H{hunk("@@ anchor", " p", "+z", " q"), hunk("@@ anchor", " p", " q", "-r")}, "!overlapping_edits", nil},
		{"two additions after one line", strict, "a\nz\n", H{hunk(" a", "+1"), hunk(" a", "+2"), hunk(" a", "+3")}, "a\n1\n2\n3\nz\n", []int{1, 1, 1}},
		{"two additions after one line, in order", order, "a\nz\n", H{hunk(" a", "+1", "+2"), hunk(" a", "+3")}, "a\n1\n2\n3\nz\n", []int{1, 1}},
		{"two additions after the last line", strict, "a\n", H{hunk(" a", "+1"), hunk(" a", "+2")}, "a\n1\n2\n", []int{1, 1}},
		{"two additions before one line", strict, "a\n", H{hunk("+1", " a"), hunk("+2", " a")}, "1\n2\na\n", []int{1, 1}},
		{"an addition before the next line, and one after this", strict, "a\nz\n", H{hunk("+1", " z"), hunk(" a", "+2")}, "a\n1\n2\nz\n", []int{2, 1}},
		{"an addition after a line whose next one was replaced", strict, "a\nb\n", H{hunk("-b", "+B"), hunk(" a", "+1"), hunk(" a", "+2")}, "a\n1\n2\nB\n", []int{2, 1, 1}},
		{"an addition before a line that is then replaced", strict, "a\nb\n", H{hunk(" a", "+1"), hunk("-b", "+B"), hunk(" a", "+2")}, "a\n1\n2\nB\n", []int{1, 2, 1}},
		{"the same in one run", strict, "a\nb\n", H{hunk(" a", "+1", "-b", "+B"), hunk(" a", "+2")}, "a\n1\n2\nB\n", []int{1, 1}},
		{"additions after a line that was added", strict, "a\nz\n", H{hunk(" a", "+1", "+2"), hunk(" 1", "+x"), hunk(" 1", "+y")}, "a\n1\nx\ny\n2\nz\n", []int{1, 2, 2}},
		{"an addition between a line and one that was added", strict, "a\nz\n", H{hunk(" a", "+2"), hunk(" a", "+1", " 2")}, "a\n1\n2\nz\n", []int{1, 1}},
		{"two additions under an anchor whose next line went", order, "f\nb\nc\n", H{hunk("@@ f", "+1"), hunk("-b", "+B"), hunk("@@ f", "+2")}, "f\n1\n2\nB\nc\n", []int{2, 2, 2}},
		{"two additions under one adjoining anchor", strict, "f\nc\n", H{adjoin(hunk("@@ f", "+1")), adjoin(hunk("@@ f", "+2"))}, "f\n1\n2\nc\n", []int{2, 2}},
		{"decided late, added after the same line", order, "a\nx\nF\na\nz\n", H{hunk("@@ F", " a", "+1"), hunk(" F", " a", "+2")}, "a\nx\nF\na\n1\n2\nz\n", []int{4, 3}},
		{"decided late, added before the same line", order, "a\nx\nF\na\nz\n", H{hunk("@@ F", "+1", " a"), hunk("+2", " a", " z")}, "!overlapping_edits", nil},
		{"two additions under one anchor", order, "a\nf\nb\n", H{hunk("@@ f", "+1"), hunk("@@ f", "+2")}, "a\nf\n1\n2\nb\n", []int{3, 3}},
		{"an addition under an anchor whose next line went", order, "f\nb\nc\n", H{hunk("-b", "+B"), hunk("@@ f", "+2")}, "f\n2\nB\nc\n", []int{2, 3}},
		{"used up on a rung that was not needed before", loose, "x \nb\nc\nd\nx\n", H{hunk("-x", "+y"), hunk("-x", "+z")}, "!multiple_matches", nil},

		{"cursor takes the first", cursor, "x\nm\nx\n", H{hunk("-x", "+1")}, "1\nm\nx\n", []int{1}},
		{"cursor goes on", cursor, "x\nm\nx\n", H{hunk("-x", "+1"), hunk("-x", "+2")}, "1\nm\n2\n", []int{1, 3}},
		{"cursor never goes back", cursor, "a\nb\n", H{hunk("-b", "+B"), hunk("-a", "+A")}, "!patch_apply_error context_not_found", nil},
		{"cursor after an anchor", cursor, "x\nm\nx\n", H{seek(hunk("@@ m", "-x", "+1"))}, "x\nm\n1\n", []int{3}},
		{"addition after a sought anchor", cursor, "x\nm\nx\n", H{seek(hunk("@@ m", "+1"))}, "x\nm\n1\nx\n", []int{3}},
		{"exact later beats loose earlier", cursor, " x\nm\nx\n", H{hunk("-x", "+1")}, " x\nm\n1\n", []int{3}},
		{"two additions in one gap keep their order", cursor, "a\n", H{hunk("+X", "$"), hunk(" a", "+Y")}, "a\nX\nY\n", []int{2, 1}},
		{"the file's own line end when no line is left", cursor, "c\r\nc", H{hunk("-c")}, "c\r\n", []int{1}},
		{"the file's own line end in a file made empty", cursor, "q\r\n", H{hunk("-q"), hunk("+x", "$")}, "x\r\n", []int{1, 2}},
		{"an added line's end before the open end's", cursor, "q\r\na", H{hunk("-q", "+d", "+b", "-a")}, "d\r\nb\r\n", []int{1}},
		{"final newline appears", cursor, "a\nb", H{hunk("-a", "+A")}, "A\nb\n", []int{1}},
		{"anchor not there", cursor, "a\n", H{seek(hunk("@@ z", "-a"))}, "!patch_apply_error context_not_found", nil},

		{"block below its anchor", strict, "def f():\n  pass\n", H{adjoin(hunk("@@ def f():", "-  pass", "+  x"))}, "def f():\n  x\n", []int{2}},
		{"block on its anchor", strict, "D = 1\nE\n", H{adjoin(hunk("@@ D = 1", "-D = 1", "+D = 2"))}, "D = 2\nE\n", []int{1}},
		{"block on or below its anchor", strict, "D\nD\nE\n", H{adjoin(hunk("@@ D", "-D", "+F"))}, "!multiple_matches", nil},
		{"block below its anchor begins like it", strict, "x\nx\ny\n", H{adjoin(hunk("@@ x", " x", "-y", "+z"))}, "x\nx\nz\n", []int{2}},
		{"anchor and a gap", strict, "f\nm\nx\n", H{adjoin(hunk("@@ f", "-x"))}, "!patch_apply_error context_not_found", nil},
		{"addition below its anchor", strict, "f\ng\n", H{adjoin(hunk("@@ f", "+x"))}, "f\nx\ng\n", []int{2}},

		{"open end kept", strict, "a\nb", H{hunk("-b", "+B")}, "a\nB", []int{2}},
		{"open end moves on", strict, "a\r\nb", H{hunk(" b", "+c")}, "a\r\nb\r\nc", []int{2}},
		{"open end closed by the marker", strict, "a\nb", H{hunk("-b", "\\", "+B")}, "a\nB\n", []int{2}},
		{"end opened by the marker", strict, "a\nb\n", H{hunk("-b", "+B", "\\")}, "a\nB", []int{2}},
		{"open end kept by the marker", strict, "a\nb", H{hunk("-a", "+A", " b", "\\")}, "A\nb", []int{1}},
		{"marker on a closed end", strict, "a\nb\n", H{hunk("-b", "\\", "+B")}, "!patch_apply_error no_newline_mismatch", nil},
		{"marker away from the end", strict, "b\na\n", H{hunk("-b", "+B", "\\")}, "!patch_apply_error no_newline_mismatch", nil},

		{"crlf kept", strict, "a\r\nb\r\nc\n", H{hunk("-b", "+B", "+D")}, "a\r\nB\r\nD\r\nc\n", []int{2}},
		{"each replaced line's own end", strict, "a\nb\r\nc\rd\n", H{hunk("-a", "-b", "-c", "+1", "+2", "+3", "+4")}, "1\n2\r\n3\r4\rd\n", []int{1}},
		{"at the top the end of the line after", strict, "a\r\nb\n", H{hunk("+x", " a")}, "x\r\na\r\nb\n", []int{1}},
		{"crlf in the hunk's lines too", strict, "a\r\nb\r\n", H{hunk(" a\r", "-b\r", "+B\r")}, "a\r\nB\r\n", []int{1}},
		{"a CR is content", strict, "a\nb\n", H{hunk("-b\r", "+B\r")}, "!patch_apply_error context_not_found", nil},
		{"a CR in an empty file is content", strict, "", H{hunk("+a\r", "+b\r")}, "a\r\nb\r\n", []int{1}},
		{"an added CR is not doubled", strict, "a\r\nb\r\n", H{hunk(" a", "-b", "+B\r")}, "a\r\nB\r\n", []int{1}},
		{"an added CR is content in a file of LF", strict, "a\nb\n", H{hunk("-b", "+B\r")}, "a\nB\r\n", []int{2}},
		{"a CR that is ignored is not written", loose, "a\nb\n", H{hunk("-b\r", "+B\r")}, "a\nB\n", []int{2}},
		{"bom kept", strict, "\uFEFFa\n", H{hunk("-a", "+b")}, "\uFEFFb\n", []int{1}},
		{"not UTF-8 kept", strict, "\xe9\na\n", H{hunk(" \xe9", "-a", "+b")}, "\xe9\nb\n", []int{1}},

		{"trailing space in the file stays", loose, "a  \nb\n", H{hunk(" a", "-b", "+c")}, "a  \nc\n", []int{1}},
		{"re-indented by a prefix", loose, "\t\tif x {\n\t\t\ty\n", H{hunk(" if x {", "-\ty", "+\tz", "+}")}, "\t\tif x {\n\t\t\tz\n\t\t}\n", []int{1}},
		{"white space for white space, two spaces for a tab", loose, "    x\n    \n  y\n", H{hunk(" \t\tx", "-\t\t", "+\t\t\t", " \ty")}, "    x\n      \n  y\n", []int{1}},
		{"tabs for spaces", loose, "\tif x {\n\t\ty\n", H{hunk("     if x {", "-        y", "+        z", "+    }")}, "\tif x {\n\t\tz\n\t}\n", []int{1}},
		{"no single shift", loose, " a\n   b\n", H{hunk(" a", "-b", "+c")}, "!patch_apply_error context_not_found", nil},
		{"no single shift, and nothing to indent", loose, " a\n   b\n", H{hunk(" a", "-b")}, " a\n", []int{1}},
		{"no single shift is no overlap", loose, "    a\na\n", H{hunk("-    a"), hunk("-  a", "-  b", "+x")}, "!patch_apply_error context_not_found", nil},
		{"typography", loose, "say “hi”\n", H{hunk("-say \"hi\"", "+say \"ho\"")}, "say \"ho\"\n", []int{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := place(text.Split(tt.file), tt.hunks, tt.rules)
			if err != nil {
				e := fail.All(err)[0]
				if got := strings.TrimSpace("!" + string(e.Kind) + " " + e.Reason); got != tt.want {
					t.Fatalf("got %s (%v), want %q", got, e, tt.want)
				}
				return
			}
			if out.after != tt.want {
				t.Fatalf("got %q, want %q", out.after, tt.want)
			}
			var lines []int
			for _, h := range out.hunks {
				lines = append(lines, h.Line)
			}
			if !slices.Equal(lines, tt.lines) {
				t.Errorf("hunks landed on %v, want %v", lines, tt.lines)
			}
			hunktest.CheckEdits(t, tt.file, out.after, out.edits, out.bytes)
		})
	}
}

// naive is the letter of the seed: hunk after hunk, each exactly once in the text that the earlier ones left.
func naive(file []string, hunks []patch.Hunk) ([]string, bool) {
	have := slices.Clone(file)
	wrote := make([]int, len(have)) // by line: the hunk that wrote it, from 1; negative where it replaces a line
	for k := range hunks {
		old := hunks[k].Old()
		at, n := -1, 0
		for i := 0; i+len(old) <= len(have) && len(old) > 0; i++ {
			if slices.Equal(have[i:i+len(old)], old) {
				at, n = i, n+1
			}
		}
		if len(old) == 0 && len(have) == 0 {
			at, n = 0, 1
		}
		if n != 1 {
			return nil, false
		}
		var lines []string
		var marks []int
		i, mark := at, k+1
		end := len(hunks[k].Lines) // of the lines before those that are added after the last line of context
		for end > 0 && hunks[k].Lines[end-1].Mark() == '+' {
			end--
		}
		if end == 0 || hunks[k].Lines[end-1].Mark() == '-' {
			end = len(hunks[k].Lines)
		}
		for _, l := range hunks[k].Lines[:end] {
			switch l.Mark() {
			case ' ':
				lines, marks, i, mark = append(lines, l.Text()), append(marks, wrote[i]), i+1, k+1
			case '-':
				if wrote[i] != 0 {
					return nil, false
				}
				i, mark = i+1, -k-1
			default:
				lines, marks = append(lines, l.Text()), append(marks, mark)
			}
		}
		have = slices.Replace(have, at, i, lines...)
		wrote = slices.Replace(wrote, at, i, marks...)
		if at += len(lines); at > 0 && end < len(hunks[k].Lines) {
			for own := max(wrote[at-1], -wrote[at-1]); at < len(have) && wrote[at] > 0 && wrote[at] != own; {
				at++ // the patch's order: after what earlier hunks added there
			}
		}
		for _, l := range hunks[k].Lines[end:] {
			have, wrote, at = slices.Insert(have, at, l.Text()), slices.Insert(wrote, at, k+1), at+1
		}
	}
	return have, true
}

func TestOverlapNamesTheHunkAndTheLine(t *testing.T) {
	for _, tt := range []struct {
		name  string
		hunks []patch.Hunk
		want  string
		line  int
	}{
		{"replaced", []patch.Hunk{hunk("-b", "+B"), hunk("-B", "+x")}, "hunk 1 already changes line 2", 2},
		{"a hunk of context alone comes first", []patch.Hunk{hunk(" a"), hunk("-b", "+B"), hunk("-B", "+x")}, "hunk 2 already changes line 2", 2},
		{"a hunk that only removes comes first", []patch.Hunk{hunk("-a"), hunk("-b", "+B"), hunk("-B", "+x")}, "hunk 2 already changes line 2", 2},
		{"the second of two", []patch.Hunk{hunk(" a", "-b", "-c", "+B", "+C", "+D"), hunk("-C", "+x")}, "hunk 1 already changes line 3", 3},
		{"one more than were removed", []patch.Hunk{hunk(" a", "-b", "-c", "+B", "+C", "+D"), hunk("-D", "+x")}, "hunk 1 already changes line 3", 3},
		{"the second run", []patch.Hunk{hunk("-a", "+A", " b", "-c", "+C"), hunk("-C", "+x")}, "hunk 1 already changes line 3", 3},
		{"added", []patch.Hunk{hunk(" a"), hunk(" a", "+B"), hunk("-B", "+x")}, `hunk 2 adds the line "B"`, 1},
		{"added at the top", []patch.Hunk{hunk("+B", " a"), hunk("-B", "+x")}, `hunk 1 adds the line "B"`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := place(text.Split("a\nb\nc\nd\n"), tt.hunks, strict)
			e := fail.All(err)
			if len(e) != 1 || e[0].Kind != fail.Overlapping || e[0].Msg != tt.want || e[0].Line != tt.line {
				t.Errorf("got %v, want line %d: %s", err, tt.line, tt.want)
			}
		})
	}
}

func interleaved(err error) bool {
	return errors.Is(err, fail.Overlapping) && strings.Contains(err.Error(), "interleave")
}

func TestPlaceIsTheLetter(t *testing.T) {
	accepted := 0
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		lines := randomLines(rng, rng.IntN(14))
		hunks := make([]patch.Hunk, 1+rng.IntN(4))
		for k := range hunks {
			hunks[k] = randomHunk(rng, lines)
		}
		want, ok := naive(lines, hunks)
		out, err := place(text.Split(joined(lines)), hunks, strict)
		switch {
		case err == nil && !ok, err != nil && ok && !interleaved(err):
			t.Fatalf("seed %d: %q with %v: err = %v, the letter accepts: %v", seed, lines, hunks, err, ok)
		case err == nil && out.after != joined(want):
			t.Fatalf("seed %d: %q with %v: got %q, want %q", seed, lines, hunks, out.after, joined(want))
		case err == nil:
			accepted++
			hunktest.CheckEdits(t, joined(lines), out.after, out.edits, out.bytes)
			// What the letter places, order must place alike or refuse.
			if o, err := place(text.Split(joined(lines)), hunks, order); err == nil && o.after != out.after {
				t.Fatalf("seed %d: %q with %v: ordered %q, letter %q", seed, lines, hunks, o.after, out.after)
			}
		}
	}
	if accepted < 1000 {
		t.Fatalf("only %d of the patches were accepted: the test shows little", accepted)
	}
}

// TestNothingIsLost: whatever anchors, ends of file, order and rungs decide, what comes out has every line of the
// file but the removed ones, and every added one.
func TestNothingIsLost(t *testing.T) {
	accepted := 0
	for seed := range uint64(40000) {
		rng := rand.New(rand.NewPCG(seed, 8))
		rules := []dialect.Rules{order, loose, strict, cursor}[rng.IntN(4)]
		lines := randomLines(rng, 1+rng.IntN(12))
		var hunks []patch.Hunk
		for range 1 + rng.IntN(4) {
			h := randomHunk(rng, lines)
			if rng.IntN(2) == 0 {
				h.Anchors = []string{lines[rng.IntN(len(lines))]}
				h.How = []patch.How{patch.Narrow, patch.Seek, patch.Adjoin}[rng.IntN(3)]
			}
			if h.AtEnd = rng.IntN(8) == 0; rng.IntN(6) == 0 {
				h.Lines = []patch.Line{"+n"}
			}
			if h.How == patch.Narrow && len(h.Anchors) > 0 && rng.IntN(4) == 0 {
				h.Anchors = append(h.Anchors, lines[rng.IntN(len(lines))])
			}
			hunks = append(hunks, h)
		}
		out, err := place(text.Split(joined(lines)), hunks, rules)
		if err != nil {
			continue
		}
		accepted++
		want := map[string]int{}
		for _, l := range lines {
			want[l]++
		}
		for _, h := range hunks {
			for _, l := range h.Lines {
				want[l.Text()] += map[byte]int{'+': 1, '-': -1}[l.Mark()]
			}
		}
		for l := range strings.Lines(out.after) {
			want[strings.TrimSuffix(l, "\n")]--
		}
		for l, n := range want {
			if n != 0 {
				t.Fatalf("seed %d: %q with %v gives %q: %d too few of %q", seed, lines, hunks, out.after, n, l)
			}
		}
		hunktest.CheckEdits(t, joined(lines), out.after, out.edits, out.bytes)
	}
	if accepted < 2000 {
		t.Fatalf("only %d of the patches were accepted: the test shows little", accepted)
	}
}

// first is the cursor's rule, naively.
func first(lines []string, hunks []patch.Hunk) ([]string, bool) {
	var out []string
	cursor := 0
	for _, h := range hunks {
		old, hit := h.Old(), -1
		for _, r := range cursorLadder {
			for i := cursor; i+len(old) <= len(lines) && hit < 0; i++ {
				if slices.EqualFunc(lines[i:i+len(old)], old, r) {
					hit = i
				}
			}
		}
		if hit < 0 {
			return nil, false
		}
		out = append(out, lines[cursor:hit]...)
		i := hit
		for _, l := range h.Lines {
			switch l.Mark() {
			case ' ':
				out, i = append(out, lines[i]), i+1
			case '-':
				i++
			default:
				out = append(out, l.Text())
			}
		}
		cursor = i
	}
	return append(out, lines[cursor:]...), true
}

var cursorLadder = []func(a, b string) bool{
	func(a, b string) bool { return a == b },
	func(a, b string) bool { return strings.TrimRight(a, " ") == strings.TrimRight(b, " ") },
}

func TestCursorTakesTheFirst(t *testing.T) {
	rules := cursor
	rules.Ladder = rules.Ladder[:2]
	for seed := range uint64(10000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		lines := randomLines(rng, 1+rng.IntN(14))
		for i := range lines {
			lines[i] += strings.Repeat(" ", rng.IntN(2))
		}
		var hunks []patch.Hunk
		for range 1 + rng.IntN(3) {
			if h := randomHunk(rng, lines); len(h.Old()) > 0 {
				hunks = append(hunks, h)
			}
		}
		want, ok := first(lines, hunks)
		out, err := place(text.Split(joined(lines)), hunks, rules)
		if (err == nil) != ok {
			t.Fatalf("seed %d: %q with %v: err = %v, want ok %v", seed, lines, hunks, err, ok)
		}
		if ok && out.after != joined(want) {
			t.Fatalf("seed %d: %q with %v: got %q, want %q", seed, lines, hunks, out.after, joined(want))
		}
	}
}
