package dialect

import (
	"strings"
	"testing"
)

// What every dialect with an envelope has in common.
var shared = []rule{
	{"the four sections", in("*** Add File: a", "+x", "*** Update File: b", "@@", "-x", "+y", "*** Delete File: c"),
		"2 add \"a\" = CONTENT\n4 update \"b\"\n  HUNK: [-x] [+y]\n8 delete \"c\"\n"},
	{"blank lines around the envelope are not text", "\n  \n" + in("*** Delete File: c") + "\n\n", "4 delete \"c\"\n"},
	{"empty lines separate sections", in("", "*** Delete File: c", "", "", "*** Delete File: d", ""), "3 delete \"c\"\n6 delete \"d\"\n"},
	{"no newline at the very end", strings.TrimSuffix(in("*** Delete File: c"), "\n"), "2 delete \"c\"\n"},
	{"every line in CRLF is LF", strings.ReplaceAll(up("@@", " a", "-b", "+c"), "\n", "\r\n"), "2 update \"f\"\n  HUNK: [ a] [-b] [+c]\n"},
	{"spaces inside of a path", in("*** Delete File: a b  c"), "2 delete \"a b  c\"\n"},
	{"quotes are part of a path", in(`*** Delete File: "c"`), "2 delete \"\\\"c\\\"\"\n"},
	{"an empty line in a hunk is blank context", up("@@", " a", "", "-b"), "2 update \"f\"\n  HUNK: [ a] [ ] [-b]\n"},
	{"an empty line below @@ too", up("@@", "", "-b"), "2 update \"f\"\n  HUNK: [ ] [-b]\n"},
	{"empty lines at the end of a section may be separators", up("@@", " a", "-b", "", "", "*** Delete File: c"),
		"2 update \"f\"\n  HUNK: blank=2 [ a] [-b] [ ] [ ]\n8 delete \"c\"\n"},
	{"also at the end of the patch", up("@@", "-b", ""), "2 update \"f\"\n  HUNK: blank=1 [-b] [ ]\n"},
	{"between hunks they are context", up("@@", "-b", "", "@@", "-c"), "2 update \"f\"\n  HUNK: [-b] [ ]\n  6: [-c]\n"},
	{"a line of one space is context", up("@@", "-b", " "), "2 update \"f\"\n  HUNK: [-b] [ ]\n"},
	{"marks inside of lines", up("@@", "---- a", "++++ b", " *** End Patch", "+*** Begin Patch", "-@@ x"),
		"2 update \"f\"\n  HUNK: [---- a] [++++ b] [ *** End Patch] [+*** Begin Patch] [-@@ x]\n"},

	{"empty text", "", "! 1 the patch text is empty"},
	{"white space only", " \n\t\n", "! 1 the patch text is empty"},
	{"NUL byte", "*** Begin Patch\n*** Add File: a\n+\x00\n*** End Patch\n", "! 3 the patch text is binary (NUL byte on line 3)"},
	{"no End", "*** Begin Patch\n*** Delete File: c\n", `! 2 no "*** End Patch"`},
	{"no Begin", "*** Delete File: c\n*** End Patch\n", "! 1 it has sections, but no"},
	{"a second envelope", in("*** Delete File: c") + in("*** Delete File: d"), "! 4 a second patch begins here"},
	{"Begin again", in("*** Delete File: c", "*** Begin Patch"), "! 3 again"},
	{"unknown line", in("*** Frobnicate File: c"), "! 2 unknown line"},
	{"wrong case", in("*** add file: c"), "! 2 unknown line"},
	{"a header without a path", in("*** Add File:", "+x"), "! 2 names no path"},
	{"a header with a path of spaces", in("*** Delete File:   "), "! 2 names no path"},
	{"a line before the first section", in("+x", "*** Add File: a"), "! 2 belongs to no section"},
	{"an added line without its plus", in("*** Add File: a", "+x", "y"), `! 4 without "+"`},
	{"an empty added line without its plus", in("*** Add File: a", "+x", "", "+y"), `! 4 without "+"`},
	{"a Delete with a body", in("*** Delete File: c", "-x"), `! 3 no lines of its own, but here is "-x"`},
	{"an Update without hunks", up(), "! 2 no hunks"},
	{"an Update of empty lines", up("", ""), "! 2 no hunks"},
	{"another first character", up("@@", "-a", "b"), `! 5 begins like this: "b"`},
	{"a tab for a space", up("@@", "\ta"), "! 4 begins like this"},
}

func TestShared(t *testing.T) {
	for d, content := range map[*Dialect]string{Emend: `"x\n"`, Comma: `"x\n"`, Codex: `"x\n"`, Chimera: `"x"`} {
		t.Run(d.Name, func(t *testing.T) {
			rules := make([]rule, len(shared))
			for i, r := range shared {
				r.want = strings.ReplaceAll(r.want, "CONTENT", content)
				r.want = hunkLine(r)
				rules[i] = r
			}
			check(t, d, Options{}, rules)
		})
	}
}

// hunkLine puts the line of the first "@@" for HUNK.
func hunkLine(r rule) string {
	text := strings.ReplaceAll(r.text, "\r", "")
	i := strings.Index(text, "\n@@")
	if i < 0 {
		return r.want
	}
	return strings.ReplaceAll(r.want, "HUNK", string(rune('0'+strings.Count(text[:i+1], "\n")+1)))
}
