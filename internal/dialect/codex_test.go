package dialect

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func TestCodex(t *testing.T) {
	del := "*** Delete File: c"
	check(t, Codex, Options{}, []rule{
		{"an added file always ends in a newline", in("*** Add File: a", "+x", "+"), "2 add \"a\" = \"x\\n\\n\"\n"},
		{"also one empty line", in("*** Add File: a", "+"), "2 add \"a\" = \"\\n\"\n"},
		{"no line", in("*** Add File: a"), "2 add \"a\" = \"\"\n"},
		{"the whole text is trimmed", "\n \t" + in(del) + " \n\n", "3 delete \"c\"\n"},
		{"padded markers", " *** Begin Patch \n" + del + "\n\t*** End Patch ", "2 delete \"c\"\n"},
		{"padded headers", in(" *** Add File: a ", "+x", "  *** Delete File: c\t"), "2 add \"a\" = \"x\\n\"\n4 delete \"c\"\n"},
		{"an indented header in an Update is context", up("-a", " *** Delete File: c"), "2 update \"f\"\n  3: [-a] [ *** Delete File: c]\n"},
		{"space after one is not", up("-a", "*** Delete File: c  "), "2 update \"f\"\n  3: [-a]\n4 delete \"c\"\n"},
		{"an indented End inside of an Update is context", up("-a", " *** End Patch", "+b"), "2 update \"f\"\n  3: [-a] [ *** End Patch] [+b]\n"},
		{"a heredoc", "<<'EOF'\n" + in(del) + "EOF", "3 delete \"c\"\n"},
		{"a heredoc with quotes", "\n<<\"EOF\"\n" + in(del) + "EOF\n", "4 delete \"c\"\n"},
		{"its last line only ends in EOF", "<<EOF\n" + in(del) + "xEOF", "3 delete \"c\"\n"},
		{"another word", "<<X\n" + in(del) + "X", "! 1 a heredoc before"},
		{"a shell line", "apply_patch <<EOF\n" + in(del) + "EOF", "! 1 a heredoc before"},
		{"text before", "hi\n" + in(del), "! 1 text before"},
		{"text after", in(del) + "hi", "! 4 text after"},
		{"a CR is content", up("@@\r", "-a\r", "+b\r\r", "+c\rd"), "2 update \"f\"\n  3: [-a\r] [+b\r\r] [+c\rd]\n"},
		{"Environment ID", in("*** Environment ID: e 1 ", del), "environment \"e 1\"\n3 delete \"c\"\n"},
		{"Environment ID twice", in("*** Environment ID: e", "*** Environment ID: e", del), "! 3 unknown line"},
		{"Environment ID later", in(del, "*** Environment ID: e"), "! 3 unknown line"},
		{"Environment ID without a name", in("*** Environment ID: ", del), "! 2 names no environment"},
		{"a path that begins with a space", in("*** Add File:  c "), "! 2 the path \" c\" has white space before it"},
		{"a destination too", in("*** Update File: a", "*** Move to:  b", "-x"), "! 3 the path \" b\" has white space before it"},
		{"no other space before it", in("*** Delete File: \u00a0c"), "! 2 white space before it"},
		{"no space after the colon", in("*** Delete File:c"), "! 2 no space before"},
		{"no Move File", in("*** Move File: a -> b"), "! 2 unknown line"},
		{"Move to", in("*** Update File: a", "*** Move to: b ", "@@", "-x"), "2 move \"a\" to \"b\"\n  4: [-x]\n"},
		{"Move to needs hunks", in("*** Update File: a", "*** Move to: b"), "! 2 no hunks"},
		{"the first @@ may be left out", up("-a", "@@", "-b"), "2 update \"f\"\n  3: [-a]\n  4: [-b]\n"},
		{"@@ text is sought", up("@@ def f():", "-a"), "2 update \"f\"\n  3: seek \"def f():\" [-a]\n"},
		{"as it is, but for its end", up("@@   f ", "-a"), "2 update \"f\"\n  3: seek \"  f\" [-a]\n"},
		{"the header of a unified diff is text", up("@@ -1,2 +1,2 @@", "-a"), "2 update \"f\"\n  3: seek \"-1,2 +1,2 @@\" [-a]\n"},
		{"a bare @@ with space", up("@@  ", "-a"), "2 update \"f\"\n  3: [-a]\n"},
		{"@@ needs its space", up("@@f", "-a"), "! 3 begins like this"},
		{"stacked", up("@@ a", "@@ b", "-x"), "! 3 a hunk without lines"},
		{"@@ at the end", up("-x", "@@ b"), "! 4 a hunk without lines"},
		{"End of File", up("@@", "-a", "*** End of File  ", "", "@@", "+b"), "2 update \"f\"\n  3: at-end [-a]\n  7: at-end [+b]\n"},
		{"End of File, then a line", up("@@", "-a", "*** End of File", " b"), "! 6 a line after"},
		{"additions are for the end", up("@@", "+a"), "2 update \"f\"\n  3: at-end [+a]\n"},
		{"with an anchor they follow it", up("@@ f", "+a"), "2 update \"f\"\n  3: seek \"f\" [+a]\n"},
		{"no marker of a missing newline", up("@@", "-a", nonl), "! 5 begins like this"},
		{"nor in an added file", in("*** Add File: a", "+a", nonl), "! 4 without"},
		{"no sections", in(), "! 2 no sections"},
	})
}

func TestCodexWords(t *testing.T) {
	got := Codex.Words.Success([]patch.Change{
		{Op: patch.Delete, Writes: "./d"}, {Op: patch.Update, Writes: "u"}, {Op: patch.Add, Writes: "a"},
		{Op: patch.Move, Writes: "n"}, {Op: patch.Add, Writes: "b"},
	})
	want := "Success. Updated the following files:\nA a\nA b\nM u\nM n\nD ./d"
	if got != want {
		t.Errorf("success: %q, want %q", got, want)
	}
	for _, tt := range []struct{ text, want string }{
		{"*** Delete File: a", "Invalid patch: The first line of the patch must be '*** Begin Patch'"},
		{"*** Begin Patch\n*** Delete File: a", "Invalid patch: The last line of the patch must be '*** End Patch'"},
		{in(), "No files were modified."},
		{up(), "Invalid patch hunk on line 2: Update file hunk for path 'f' is empty"},
		{up("@@", "x"), "Invalid patch hunk on line 4: "},
		{"", "Invalid patch: the patch text is empty"},
	} {
		_, err := Codex.Parse(tt.text, Options{})
		if got := Codex.Words.Refusal(refusal(t, err), patch.Update); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
	tell(t, Codex, []telling{
		{fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: "f", Hunk: 1, Old: []string{"a", " b"}}, patch.Update,
			"Failed to find expected lines in f:\na\n b", ""},
		{fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: "f", Hunk: 1, Old: strings.Split("1 2 3 4 5 6 7 8 9 10", " ")}, patch.Update,
			"Failed to find expected lines in f:\n1\n2\n3\n4\n5\n6\n7\n8\n(and 2 more)", ""},
		{fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: "f", Hunk: 1, Anchor: "def f():"}, patch.Update,
			"Failed to find context 'def f():' in f", ""},
		{fail.Error{Kind: fail.OutsideWorkspace, Path: "../f", Msg: "outside"}, patch.Update, "../f: outside", ""},
	})
}

// A telling is what a refusal is called: the whole text, and the entry in a list of results.
type telling struct {
	e            fail.Error
	op           patch.Op
	want, inList string
}

func tell(t *testing.T, d *Dialect, tellings []telling) {
	t.Helper()
	for _, tt := range tellings {
		if got := d.Words.Refusal(&tt.e, tt.op); got != tt.want {
			t.Errorf("%s tells %v as %q, want %q", d.Name, &tt.e, got, tt.want)
		}
		if tt.inList == "" {
			continue
		}
		if got := d.Words.Each(&tt.e, tt.op); got != tt.inList {
			t.Errorf("%s lists %v as %q, want %q", d.Name, &tt.e, got, tt.inList)
		}
	}
}
