package dialect

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func TestSupyagent(t *testing.T) {
	check(t, Supyagent, Options{}, []rule{
		{"no envelope is needed", "*** Add File: a\n+x\n*** Delete File: c", "1 add \"a\" = \"x\\n\"\n3 delete \"c\"\n"},
		{"one is tolerated", in("*** Delete File: c"), "2 delete \"c\"\n"},
		{"half of one too", "*** Delete File: c\n*** End Patch \n", "1 delete \"c\"\n"},
		{"no added line is dropped", "*** Add File: a\n+x\n+\n+", "1 add \"a\" = \"x\\n\\n\\n\"\n"},
		{"no line", "*** Add File: a", "1 add \"a\" = \"\"\n"},
		{"other lines in it are ignored", "*** Add File: a\n+x\ny\n\n+z\n" + nonl + "\n", "1 add \"a\" = \"x\\nz\\n\"\n"},
		{"text before is ignored", "Here:\n```\n*** Delete File: c\n```\n", "3 delete \"c\"\n"},
		{"a body of a Delete is ignored", "*** Delete File: c\n-x\n@@\n", "1 delete \"c\"\n"},
		{"@@ anchor", "*** Update File: f\n@@ def main():\n-    pass\n+    x\n", "1 update \"f\"\n  2: adjoin \"def main():\" [-    pass] [+    x]\n"},
		{"@@ anchor @@", "*** Update File: f\n@@ a @@ \n-b", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n"},
		{"@@ anchor @@ @@", "*** Update File: f\n@@ a @@  @@\n-b\n@@@@\n-c\n@@ @@ @@\n-d", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n  4: [-c]\n  6: [-d]\n"},
		{"its indentation stays, its end is trimmed", "*** Update File: f\n@@     a\t \n-b", "1 update \"f\"\n  2: adjoin \"    a\" [-b]\n"},
		{"the header of a unified diff is text", "*** Update File: f\n@@ -1,2 +1,2 @@\n-b", "1 update \"f\"\n  2: adjoin \"-1,2 +1,2\" [-b]\n"},
		{"a bare @@ has no anchor", "*** Update File: f\n@@\n-b\n@@ @@\n-c", "1 update \"f\"\n  2: [-b]\n  4: [-c]\n"},
		{"a bare @@ without lines is nothing", "*** Update File: f\n@@ a\n-b\n@@\n", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n"},
		{"an anchor without lines", "*** Update File: f\n@@ a\n@@ b\n-b", "! 2 a hunk without lines"},
		{"context", "*** Update File: f\n@@ a\n b\n-c", "1 update \"f\"\n  2: adjoin \"a\" [ b] [-c]\n"},
		{"empty lines are ignored", "*** Update File: f\n@@ a\n\n-b\n\n+c\n\n", "1 update \"f\"\n  2: adjoin \"a\" [-b] [+c]\n"},
		{"so are End of File, the marker and lines of no kind", "*** Update File: f\n@@ a\n-b\n*** End of File\n" + nonl + "\nx\n***\n+c", "1 update \"f\"\n  2: adjoin \"a\" [-b] [+c]\n"},
		{"lines before any @@ would be lost", "*** Update File: f\n-b\n", "! 2 does not begin with"},
		{"an Update without hunks is the plan's", "*** Update File: f\n", "1 update \"f\"\n"},
		{"the end of a path is trimmed", "*** Delete File: c \t\n", "1 delete \"c\"\n"},
		{"no path", "*** Delete File: \n", "! 1 names no path"},
		{"Move File", "*** Move File: a -> b\n", "! 1 unknown line"},
		{"Move to", "*** Update File: a\n*** Move to: b\n@@ x\n-x", "! 2 unknown line"},
		{"an unknown line before the first section", "*** Rename File: a\n*** Delete File: c", "! 1 unknown line"},
		{"a section after the end", in("*** Delete File: c") + "*** Delete File: d", "! 4 after \"*** End Patch\""},
		{"text after the end", in("*** Delete File: c") + "bye\n- so\n", "2 delete \"c\"\n"},
		{"a second envelope", in("*** Delete File: c") + in("*** Delete File: d"), "! 4 after \"*** End Patch\""},
		{"Begin inside", "*** Delete File: c\n*** Begin Patch\n", "! 2 again"},
		{"nothing", "hello\n", "! 1 no sections"},
		{"empty", " ", "! 1 empty"},
		{"every line in CRLF is LF", "*** Update File: f\r\n@@ a\r\n-b\r\n", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n"},
		{"otherwise a CR is content", "*** Update File: f\r\n@@ a\r\n-b\r\n+c\n", "1 update \"f\"\n  2: adjoin \"a\" [-b\r] [+c]\n"},
	})
}

func TestSupyagentWords(t *testing.T) {
	long := strings.Repeat("é", 61)
	cut := strings.Repeat("é", 60)
	tell(t, Supyagent, []telling{
		{fail.Error{Kind: fail.AlreadyExists, Path: "p"}, patch.Add, "Validation failed: file already exists: p", "File already exists: p"},
		{fail.Error{Kind: fail.NotFound, Path: "p"}, patch.Delete, "Validation failed: file not found for delete: p", "File not found: p"},
		{fail.Error{Kind: fail.NotFound, Path: "p"}, patch.Update, "Validation failed: file not found for update: p", "File not found: p"},
		{fail.Error{Kind: fail.PatchParse, Path: "p", Line: 1}, patch.Update, "Validation failed: no hunks for update: p", "No hunks in update operation"},
		{fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: "p", Hunk: 2, Anchor: long}, patch.Update,
			"Validation failed in p hunk 2: context '" + cut + "' not found or lines don't match",
			"Hunk 2 failed: context '" + cut + "' not found or remove lines don't match"},
		{fail.Error{Kind: fail.MultipleMatches, Path: "p", Hunk: 1, Msg: "2 places match"}, patch.Update,
			"Validation failed in p hunk 1: 2 places match", "Hunk 1 failed: 2 places match"},
		{fail.Error{Kind: fail.OutsideWorkspace, Path: "../p", Msg: "outside"}, patch.Update, "Validation failed: ../p: outside", "outside"},
	})
	for _, text := range []string{"", "hello", in()} {
		_, err := Supyagent.Parse(text, Options{})
		if got := Supyagent.Words.Refusal(refusal(t, err), 0); got != "No operations found in patch" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
