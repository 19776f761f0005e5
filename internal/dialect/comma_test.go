package dialect

import "testing"

func TestComma(t *testing.T) {
	check(t, Comma, Options{}, []rule{
		{"text after @@ means nothing", up("@@ optional-header", " a", "-b", "@@ another", "+c"), "2 update \"f\"\n  3: [ a] [-b]\n  6: [+c]\n"},
		{"nor does the header of a unified diff", up("@@ -1,2 +1 @@ x", "-b"), "2 update \"f\"\n  3: [-b]\n"},
		{"every hunk starts with @@", up(" a", "-b"), "! 3 does not begin with \"@@\""},
		{"@@ without lines", up("@@", "@@", "-b"), "! 3 a hunk without lines"},
		{"@@ without lines at the end", up("@@", "-b", "@@"), "! 5 a hunk without lines"},
		{"no Move to", in("*** Update File: a", "*** Move to: b", "@@", "-x"), "! 3 unknown line"},
		{"no End of File", up("@@", "-a", "*** End of File"), "! 5 unknown line"},
		{"two arrows", in("*** Move File: a -> b -> c"), "! 2 more than one"},
	})
}

func TestCommaIsNeverLenient(t *testing.T) {
	check(t, Comma, Options{Lenient: true}, []rule{
		{"a fence", "```\n" + in("*** Delete File: c") + "```\n", "! 1 a Markdown fence"},
		{"additions stay where they are", up("@@", "+a"), "2 update \"f\"\n  3: [+a]\n"},
	})
}
