package replace

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
)

// TestCorrect: the texts that are offered for an edit make its change, and none are offered where it is not certain what it means.
func TestCorrect(t *testing.T) {
	const file = "func one(a int) int {\n\tstart := begin(a)\n\tlog(start)\n\treturn start\n}\n\nfunc two(b int) int {\n\tleft := begin(b)\n\treturn left + right\n}\n"
	for _, tt := range []struct {
		name, before string
		edits        []Edit
		edit         int    // which one is looked at
		want         string // the text after both offers; "" if none is made
	}{
		{"a mistake in a removed line", file, one("\tstart := begn(a)\n\tlog(start)\n", "\tstart := begin(a, 1)\n\tlog(start)\n"), 0,
			strings.Replace(file, "begin(a)", "begin(a, 1)", 1)},
		{"a mistake in a line that stays", file, one("func two(b imt) int {\n\tleft := begin(b)\n", "func two(b imt) int {\n\tleft := begin(b, 1)\n"), 0,
			strings.Replace(file, "begin(b)", "begin(b, 1)", 1)},
		{"spaces for tabs", file, one("    left := begin(b)\n    return left + right\n", "    left := begin(b)\n    more(left)\n    return left + right\n"), 0,
			strings.Replace(file, "begin(b)\n", "begin(b)\n\tmore(left)\n", 1)},
		{"CRLF in the file", strings.ReplaceAll(file, "\n", "\r\n"), one("\tlog(strat)\n\treturn start\n", "\tlog(start, 1)\n\treturn start\n"), 0,
			strings.ReplaceAll(strings.Replace(file, "log(start)", "log(start, 1)", 1), "\n", "\r\n")},
		{"no newline at the end", "alpha one\nbravo two\ncharlie three", one("bravo tow\ncharlie three\n", "bravo 2\ncharlie three\n"), 0, "alpha one\nbravo 2\ncharlie three"},
		{"beside another edit", file, []Edit{{Old: "\tlog(start)\n", New: "\tlog(a, start)\n"}, {Old: "\tstart := begn(a)\n", New: "\tstart := begin(a, 1)\n"}}, 1,
			strings.Replace(strings.Replace(file, "begin(a)", "begin(a, 1)", 1), "log(start)", "log(a, start)", 1)},
		{"no line end after the last line", file, one("\tstart := begn(a)\n\tlog(start)", "\tstart := begin(a, 1)\n\tlog(start)"), 0,
			strings.Replace(file, "begin(a)", "begin(a, 1)", 1)},

		{"a part of a line that changes", file, one("begn(a)\n\tlog(start)\n", "begin(a, 1)\n\tlog(start)\n"), 0, ""},
		{"a part of a line, most of it", "before\nab = compute(total, amount)\nafter\n", one("c = compute(total, amount)\n", "c = compute(total)\n"), 0, ""},
		{"up to a part of a line that changes", file, one("func one(a imt) int {\n\tstart := beg", "func one(a int) int {\n\tstart := end"), 0, ""},
		{"two places that are alike", file + file, one("\tstart := begn(a)\n", "\tstart := begin(a, 1)\n"), 0, ""},
		{"across another edit", file, []Edit{{Old: "begin(a)", New: "end(a)"}, {Old: "\tstart := begn(a)\n", New: "\tstart := begin(a, 1)\n"}}, 1, ""},
		{"beside one that adds lines in spaces", file, []Edit{{Old: "func one(a int) int {\n", New: "func one(a int) int {\n    check(a)\n"}, {Old: "    left := begin(b)\n    return left + right\n", New: "    left := begin(b)\n    more(left)\n    return left + right\n"}}, 1, ""},
		{"more than once", file, []Edit{{Old: "\tstart := begn(a)\n", New: "\tstart := begin(a, 1)\n", Count: 2}}, 0, ""},
		{"entities", "if a < b && c {\n\tgo()\n}\n", one("if a &lt; b &amp;&amp; c {\n", "if a &lt; b &amp;&amp; d {\n"), 0, ""},
		{"what is there already", file, one("\tstart := bgin(b)\n", "\tstart := begin(a)\n"), 0, ""},
		{"nothing like it", file, one("nothing of this\n", "is there\n"), 0, ""},
	} {
		_, err := Run(tt.before, tt.edits, Options{})
		all := fail.All(err)
		at := len(all) - 1
		for at >= 0 && all[at].Edit != tt.edit+1 {
			at--
		}
		if at < 0 {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		n := all[at].Nearest
		if offered := n != nil && n.NewText != nil; offered != (tt.want != "") {
			t.Errorf("%s: offered %t: %+v, %s", tt.name, offered, n, all[at].Hint)
			continue
		} else if !offered {
			continue
		}
		tt.edits[tt.edit].Old, tt.edits[tt.edit].New = n.OldText, *n.NewText
		if out, err := Run(tt.before, tt.edits, Options{}); err != nil || out.After != tt.want {
			t.Errorf("%s: %v: %+v; want %q", tt.name, err, out, tt.want)
		}
	}
}
