package dialect

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/hint"
)

const nonl = `\ No newline at end of file`

// What emend and comma have in common beyond every dialect's rules.
var letter = []rule{
	{"an added file ends in a newline", in("*** Add File: a", "+x", "+y"), "2 add \"a\" = \"x\\ny\\n\"\n"},
	{"unless its last line is empty", in("*** Add File: a", "+x", "+"), "2 add \"a\" = \"x\\n\"\n"},
	{"two empty lines at the end", in("*** Add File: a", "+x", "+", "+"), "2 add \"a\" = \"x\\n\\n\"\n"},
	{"no line", in("*** Add File: a"), "2 add \"a\" = \"\"\n"},
	{"one empty line", in("*** Add File: a", "+"), "2 add \"a\" = \"\"\n"},
	{"two empty lines", in("*** Add File: a", "+", "+"), "2 add \"a\" = \"\\n\"\n"},
	{"the marker suppresses the newline", in("*** Add File: a", "+x", nonl), "2 add \"a\" = \"x\"\n"},
	{"a separator below the marker", in("*** Add File: a", "+x", nonl, "", "*** Delete File: c"), "2 add \"a\" = \"x\"\n6 delete \"c\"\n"},
	{"the marker must come last", in("*** Add File: a", "+x", nonl, "+y"), "! 5 a line after"},
	{"the marker twice", in("*** Add File: a", "+x", nonl, nonl), "! 5 in the wrong place"},
	{"the marker first", in("*** Add File: a", nonl, "+x"), "! 3 in the wrong place"},
	{"a CR is content", in("*** Add File: a", "+x\r", "+y"), "2 add \"a\" = \"x\\r\\ny\\n\"\n"},

	{"the marker below an added line", up("@@", "-a", "+b", nonl), "2 update \"f\"\n  3: new-open [-a] [+b]\n"},
	{"below a removed line", up("@@", "-a", nonl, "+b"), "2 update \"f\"\n  3: old-open [-a] [+b]\n"},
	{"below both", up("@@", "-a", nonl, "+b", nonl), "2 update \"f\"\n  3: old-open new-open [-a] [+b]\n"},
	{"added before removed", up("@@", "+b", nonl, "-a", nonl), "2 update \"f\"\n  3: old-open new-open [+b] [-a]\n"},
	{"below context it speaks of both sides", up("@@", "-a", " b", nonl), "2 update \"f\"\n  3: old-open new-open [-a] [ b]\n"},
	{"unless an added line follows", up("@@", " b", nonl, "+c"), "2 update \"f\"\n  3: old-open [ b] [+c]\n"},
	{"which may have its own", up("@@", " b", nonl, "+c", nonl), "2 update \"f\"\n  3: old-open new-open [ b] [+c]\n"},
	{"a separator below it", up("@@", "-a", "+b", nonl, "", "*** Delete File: c"), "2 update \"f\"\n  3: new-open [-a] [+b]\n8 delete \"c\"\n"},
	{"first line of a hunk", up("@@", nonl, "-a"), "! 4 in the wrong place"},
	{"twice for one side", up("@@", "-a", nonl, nonl), "! 6 in the wrong place"},
	{"twice for the added side", up("@@", "+a", nonl, "-b", "+c"), "! 7 a line after"},
	{"an old line after it", up("@@", "-a", nonl, "-b"), "! 6 a line after"},
	{"context after an added last line", up("@@", "+a", nonl, " b"), "! 6 a line after"},
	{"below an empty line", up("@@", "-a", "", nonl), "! 6 in the wrong place"},

	{"move", in("*** Move File: a -> b"), "2 move \"a\" to \"b\"\n"},
	{"move with hunks", in("*** Move File: a -> b/c", "@@", "-x", "+y"), "2 move \"a\" to \"b/c\"\n  3: [-x] [+y]\n"},
	{"move without an arrow", in("*** Move File: a"), `! 2 no " -> "`},
	{"move from nowhere", in("*** Move File:  -> b"), "! 2 names no path"},
	{"move to nowhere", in("*** Move File: a -> "), "! 2 names no path"},
	{"space before a path", in("*** Delete File:  c"), `! 2 the path " c" has white space around it`},
	{"space after a path", in("*** Delete File: c "), `! 2 the path "c " has white space around it`},
	{"a CR after a path", in("*** Delete File: c\r"), `! 2 the path "c\r" has white space around it`},
	{"space around the arrow", in("*** Move File: a  -> b"), `! 2 the path "a " has white space around it`},
	{"no space after the colon", in("*** Delete File:c"), `! 2 no space before the path "c"`},

	{"text before", "hi\n" + in("*** Delete File: c"), `! 1 text before "*** Begin Patch": "hi"`},
	{"text after", in("*** Delete File: c") + "\nhi\n", `! 5 text after "*** End Patch": "hi"`},
	{"a fence", "```\n" + in("*** Delete File: c") + "```\n", `! 1 a Markdown fence before`},
	{"a heredoc", "<<'EOF'\n" + in("*** Delete File: c") + "EOF\n", `! 1 a heredoc before`},
	{"a byte order mark", "\ufeff" + in("*** Delete File: c"), `! 1 a byte order mark before`},
	{"a padded Begin", " " + in("*** Delete File: c"), `! 1 white space around`},
	{"a padded End", "*** Begin Patch\n*** Delete File: c\n *** End Patch\n", `! 3 no "*** End Patch"`},
	{"space after a header word", in("*** Delete File : c"), "! 2 unknown line"},
	{"Environment ID", in("*** Environment ID: e", "*** Delete File: c"), "! 2 unknown line"},
	{"no sections", in(), "! 2 no sections"},
}

func TestLetter(t *testing.T) {
	for _, d := range []*Dialect{Emend, Comma} {
		t.Run(d.Name, func(t *testing.T) { check(t, d, Options{}, letter) })
	}
}

func TestEmend(t *testing.T) {
	check(t, Emend, Options{}, []rule{
		{"the first @@ may be left out", up(" a", "-b", "@@", "-c"), "2 update \"f\"\n  3: [ a] [-b]\n  5: [-c]\n"},
		{"@@ text narrows", up("@@ func f() {", "-b"), "2 update \"f\"\n  3: narrow \"func f() {\" [-b]\n"},
		{"white space around it says nothing", up("@@   f ", "-b"), "2 update \"f\"\n  3: narrow \"f\" [-b]\n"},
		{"stacked", up("@@ class A", "@@ def f", "-b"), "2 update \"f\"\n  3: narrow \"class A\" narrow \"def f\" [-b]\n"},
		{"stacked with an empty line between", up("@@ class A", "", "@@ def f", "-b"), "2 update \"f\"\n  3: narrow \"class A\" narrow \"def f\" [-b]\n"},
		{"an empty @@ adds no anchor", up("@@", "@@ f", "@@  ", "-b"), "2 update \"f\"\n  3: narrow \"f\" [-b]\n"},
		{"the header of a unified diff", up("@@ -1,2 +3 @@", "-b"), "2 update \"f\"\n  3: [-b]\n"},
		{"its text is the anchor", up("@@ -1,2 +3,4 @@ def f():", "-b"), "2 update \"f\"\n  3: narrow \"def f():\" [-b]\n"},
		{"almost such a header", up("@@ -1,2 3,4 @@ def", "-b"), "2 update \"f\"\n  3: narrow \"-1,2 3,4 @@ def\" [-b]\n"},
		{"@@ without lines", up("@@ f"), "! 3 a hunk without lines"},
		{"@@ without lines in the middle", up("-a", "@@ f", "*** End of File"), "! 4 a hunk without lines"},
		{"End of File", up("@@", "-a", "+b", "*** End of File"), "2 update \"f\"\n  3: at-end [-a] [+b]\n"},
		{"End of File, then empty lines", up("@@", "-a", "*** End of File", "", "*** Delete File: c"), "2 update \"f\"\n  3: at-end [-a]\n7 delete \"c\"\n"},
		{"End of File, then a hunk", up("@@", "-a", "*** End of File", "@@", "-b"), "2 update \"f\"\n  3: at-end [-a]\n  6: [-b]\n"},
		{"End of File, then a line", up("@@", "-a", "*** End of File", "-b"), "! 6 a line after"},
		{"End of File twice", up("@@", "-a", "*** End of File", "*** End of File"), "! 6 unknown line"},
		{"End of File in an added file", in("*** Add File: a", "+x", "*** End of File"), "! 4 unknown line"},
		{"additions with End of File", up("@@", "+a", "*** End of File"), "2 update \"f\"\n  3: at-end [+a]\n"},
		{"additions alone", up("@@", "+a"), "2 update \"f\"\n  3: [+a]\n"},
		{"empty lines below additions are separators", up("@@ f", "+a", ""), "2 update \"f\"\n  3: narrow \"f\" [+a]\n"},
		{"the marker and End of File", up("@@", "-a", "+b", nonl, "*** End of File"), "2 update \"f\"\n  3: at-end new-open [-a] [+b]\n"},
		{"Move to", in("*** Update File: a", "*** Move to: b", "@@", "-x"), "2 move \"a\" to \"b\"\n  4: [-x]\n"},
		{"Move to without hunks", in("*** Update File: a", "*** Move to: b"), "2 move \"a\" to \"b\"\n"},
		{"Move to nowhere", in("*** Update File: a", "*** Move to:"), "! 3 names no path"},
		{"Move to below a hunk", up("@@", "-a", "*** Move to: b"), "! 5 unknown line"},
		{"Move to twice", up("*** Move to: b", "*** Move to: c"), "! 4 unknown line"},
		{"Move to below Move File", in("*** Move File: a -> b", "*** Move to: c"), "! 3 unknown line"},
		{"an arrow in a path to move", in("*** Update File: a -> b", "*** Move to: c -> d"), "2 move \"a -> b\" to \"c -> d\"\n"},
		{"two arrows", in("*** Move File: a -> b -> c"), "! 2 more than one"},
		{"two arrows that share a space", in("*** Move File: a -> -> c"), "! 2 more than one"},
	})
}

func TestLenient(t *testing.T) {
	del := "*** Delete File: c"
	check(t, Emend, Options{Lenient: true}, []rule{
		{"nothing to let pass", in(del), "2 delete \"c\"\n"},
		{"padded markers", " *** Begin Patch\t\n" + del + "\n  *** End Patch \n", "2 delete \"c\"\n" +
			"patch line 1: white space around \"*** Begin Patch\" was taken off\npatch line 3: white space around \"*** End Patch\" was taken off\n"},
		{"a padded End inside of a hunk is context", up("-a", " *** End Patch", "+b"), "2 update \"f\"\n  3: [-a] [ *** End Patch] [+b]\n"},
		{"a padded header", in("  " + del + " "), "2 delete \"c\"\npatch line 2: white space around the header was taken off\n"},
		{"a padded path", in("*** Delete File:c"), "2 delete \"c\"\npatch line 2: the white space around the path \"c\" was not one space before it\n"},
		{"a byte order mark", "\ufeff" + in(del), "2 delete \"c\"\npatch line 1: a byte order mark was taken off\n"},
		{"a fence", "```diff\n" + in(del) + "```\n", "3 delete \"c\"\npatch line 5: a Markdown fence around the patch was taken off\n"},
		{"a heredoc", "<<EOF\n" + in(del) + "EOF\n", "3 delete \"c\"\npatch line 5: a heredoc around the patch was taken off\n"},
		{"a shell line", "apply_patch <<'PATCH'\n" + in(del) + "PATCH", "3 delete \"c\"\npatch line 5: a heredoc around the patch was taken off\n"},
		{"cat", "cat <<\"EOF\" | apply_patch\n" + in(del) + "EOF", "3 delete \"c\"\npatch line 5: a heredoc around the patch was taken off\n"},
		{"text around", "Here:\n\n" + in(del) + "\nDone.\nBye.\n", "4 delete \"c\"\n" +
			"patch line 1: text before the patch was set aside: \"Here:\"\npatch line 7: text after the patch was set aside: \"Done.\"\n"},
		{"all of it", "Here:\n```sh\napply_patch <<'EOF'\n" + in(del) + "EOF\n```\nDone.\n", "5 delete \"c\"\n" +
			"patch line 7: a heredoc around the patch was taken off\npatch line 8: a Markdown fence around the patch was taken off\n" +
			"patch line 1: text before the patch was set aside: \"Here:\"\npatch line 9: text after the patch was set aside: \"Done.\"\n"},
		{"a diff below the envelope", in(del) + of("@@", "-a"), "! 4 more to apply stands outside of the envelope: \"--- a/f\""},
		{"a block above it", block("a\n", "b\n") + in(del), "! 3 more to apply stands outside"},
		{"a section above it", "*** Update File: f\n@@\n-a\n" + in(del), "! 1 more to apply stands outside"},
		{"a section below it", in(del) + "\n*** Update File: f\n@@\n-a\n", "! 5 more to apply stands outside"},
		{"a fence that is not closed", "```\n" + in(del), "3 delete \"c\"\npatch line 1: text before the patch was set aside: \"```\"\n"},
		{"a JSON string", `"*** Begin Patch\n*** Delete File: c\n*** End Patch\n"`, "2 delete \"c\"\n" + jsonOff},
		{"a JSON object", ` {"input": "*** Begin Patch\n*** Add File: c\n+\ud83d\ude00\u00e9\t\n*** End Patch\n", "other": 1}` + "\n",
			"2 add \"c\" = \"😀é\\t\\n\"\n" + jsonOff},
		{"a JSON string behind a byte order mark", "\ufeff" + `"*** Begin Patch\n*** Delete File: c\n*** End Patch\n"`,
			"2 delete \"c\"\npatch line 1: a byte order mark was taken off\n" + jsonOff},
		{"two patches in a JSON object", `{"input": "*** Begin Patch\n*** End Patch", "patch": "*** Begin Patch\n*** End Patch"}`, "! 1 it looks like JSON"},
		{"half a character in JSON", `{"patch": "*** Begin Patch\n*** Add File: c\n+\ud83d\n*** End Patch\n"}`, "! 1 it looks like JSON"},
		{"NUL in JSON", `"*** Begin Patch\n*** Add File: c\n+\u0000\n*** End Patch\n"`, "! 3 binary"},
		{"two envelopes", in(del) + "and\n" + in(del), "! 5 a second patch"},
		{"additions do not go to the end", up("@@", "+a"), "2 update \"f\"\n  3: [+a]\n"},
		{"another marker of a missing newline", up("@@", "-a", "+b", `\ Kein Zeilenumbruch`), "2 update \"f\"\n  3: new-open [-a] [+b]\n" +
			"patch line 6: \"\\\\ Kein Zeilenumbruch\" was read as \"\\\\ No newline at end of file\"\n"},
		{"space after End of File", up("@@", "-a", "*** End of File "), "2 update \"f\"\n  3: at-end [-a]\n" +
			"patch line 5: white space after \"*** End of File\" was taken off\n"},
	})
}

const jsonOff = "patch line 1: a JSON string around the patch was taken off; line numbers count the lines of the string\n"

func TestHints(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		d          *Dialect
		want       string
	}{
		{"fence", "```\n" + in("*** Delete File: c") + "```", Emend, "--lenient"},
		{"text after", in("*** Delete File: c") + "bye", Emend, "--lenient"},
		{"JSON", `{"patch": "*** Begin Patch\n*** Delete File: c\n*** End Patch\n"}`, Emend, "--lenient"},
		{"padded path", in("*** Delete File: c "), Emend, "With --lenient this text is read."},
		{"environment", in("*** Environment ID: e", "*** Delete File: c"), Emend, "This text reads as codex; pass --dialect codex."},
		{"move to", in("*** Update File: a", "*** Move to: b", "@@", "-x"), Comma, "This text reads as emend, codex; pass --dialect emend."},
		{"end of file", up("@@", "-x", "*** End of File"), Comma, "This text reads as emend, codex; pass --dialect emend."},
		{"no @@", up("-x"), Comma, "This text reads as emend, codex, chimera; pass --dialect emend."},
		{"stacked", up("@@ a", "@@ b", "-x"), Codex, "This text reads as emend; pass --dialect emend."},
		{"no envelope", "*** Update File: f\n@@ a\n-b\n", Emend, "This text reads as supyagent; pass --dialect supyagent."},
		{"move file", "*** Begin Patch\n*** Move File: a -> b\n*** End Patch", Supyagent, "This text reads as emend, comma; pass --dialect emend."},
		{"two arrows", in("*** Move File: a -> b -> c"), Emend, "*** Move to:"},
		{"two arrows", in("*** Move File: a -> b -> c"), Comma, "cannot be moved in this dialect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.d.Parse(tt.text, Options{})
			if e := refusal(t, err); !strings.Contains(hint.Reader{}.Say(e.Hint), tt.want) {
				t.Errorf("%s: %v: hint %q, want %q", tt.d.Name, e, e.Hint, tt.want)
			}
		})
	}
	// A dialect that would drop a line, or take half a patch for the whole, is no advice.
	for _, text := range []string{in("*** Add File: a", "+x", "y"), in("*** Add File: a", "+x", "", "+y"), in("*** Update File: f", "@@ a", "-a", "x"),
		"*** Begin Patch\n*** Add File: a\n+this text is cut o"} {
		_, err := Emend.Parse(text, Options{})
		if e := refusal(t, err); strings.Contains(e.Hint, "supyagent") {
			t.Errorf("%q: hint %q names a dialect that loses a line", text, e.Hint)
		}
	}
}
