package dialect

import (
	"math/rand/v2"
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
		{"an added line without its plus", "*** Add File: a\nimport os\nprint(1)\n", "! 2 without \"+\": \"import os\""},
		{"one among others", "*** Add File: a\n+x\ny\n+z\n", "! 3 without \"+\": \"y\""},
		{"a minus in an added file", "*** Add File: a\n+x\n-y\n", "! 3 without \"+\": \"-y\""},
		{"an empty added line may lack its plus", "*** Add File: a\n+x\n\n\n+y\n\n*** Delete File: c", "1 add \"a\" = \"x\\n\\n\\ny\\n\"\n7 delete \"c\"\n"},
		{"not if others have it", "*** Add File: a\n+x\n\n+y\n+\n+z", "! 3 an empty line without \"+\""},
		{"nor if others have it in another section", "*** Update File: f\n@@ a\n+\n*** Add File: a\n+x\n\n+y\n", "! 6 an empty line without \"+\""},
		{"nor if all lines are apart", "*** Add File: a\n\n+x\n\n+y\n", "! 4 an empty line without \"+\""},
		{"nor if there is white space", "*** Add File: a\n+x\n  \n+y\n", "! 3 an empty line without \"+\""},
		{"the marker of a missing newline is ignored", "*** Add File: a\n+x\n" + nonl + "\n", "1 add \"a\" = \"x\\n\"\n"},
		{"text before is ignored", "Here:\n- so\n*** Delete File: c\n", "3 delete \"c\"\n"},
		{"a fence around the sections", "Here:\n```\n*** Delete File: c\n```\n", "3 delete \"c\"\n"},
		{"a fence around an added file", "```diff\n*** Add File: a\n+x\n```\n\n", "2 add \"a\" = \"x\\n\"\n"},
		{"a fence around a hunk", "~~~\n*** Update File: f\n@@ a\n-b\n~~~", "2 update \"f\"\n  3: adjoin \"a\" [-b]\n"},
		{"a fence that was not opened", "*** Add File: a\n+x\n```\n", "! 3 without \"+\""},
		{"a fence that was closed", "```\n```\n*** Add File: a\n+x\n```\n", "! 5 without \"+\""},
		{"a fence with text after it", "```\n*** Add File: a\n+x\n```\n+y\n", "! 4 without \"+\""},
		{"a Delete with a body", "*** Delete File: c\n-x\n@@\n", "! 2 no lines of its own, but here is \"-x\""},
		{"@@ anchor", "*** Update File: f\n@@ def main():\n-    pass\n+    x\n", "1 update \"f\"\n  2: adjoin \"def main():\" [-    pass] [+    x]\n"},
		{"@@ anchor @@", "*** Update File: f\n@@ a @@ \n-b", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n"},
		{"@@ anchor @@ @@", "*** Update File: f\n@@ a @@  @@\n-b\n@@@@\n-c\n@@ @@ @@\n-d", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n  4: [-c]\n  6: [-d]\n"},
		{"its indentation stays, its end is trimmed", "*** Update File: f\n@@     a\t \n-b", "1 update \"f\"\n  2: adjoin \"    a\" [-b]\n"},
		{"the header of a unified diff is text", "*** Update File: f\n@@ -1,2 +1,2 @@\n-b", "1 update \"f\"\n  2: adjoin \"-1,2 +1,2\" [-b]\n"},
		{"a bare @@ has no anchor", "*** Update File: f\n@@\n-b\n@@ @@\n-c", "1 update \"f\"\n  2: [-b]\n  4: [-c]\n"},
		{"a bare @@ without lines is nothing", "*** Update File: f\n@@ a\n-b\n@@\n", "1 update \"f\"\n  2: adjoin \"a\" [-b]\n"},
		{"an anchor without lines", "*** Update File: f\n@@ a\n@@ b\n-b", "! 2 a hunk without lines"},
		{"context", "*** Update File: f\n@@ a\n b\n-c", "1 update \"f\"\n  2: adjoin \"a\" [ b] [-c]\n"},
		{"empty lines between old ones are ignored", "*** Update File: f\n@@ a\n\n b\n\n-c\n\n\n-d\n+e\n\n@@ x\n-y\n\n", "1 update \"f\"\n  2: adjoin \"a\" [ b] [-c] [-d] [+e]\n  12: adjoin \"x\" [-y]\n"},
		{"between added lines they are added", "*** Update File: f\n@@ a\n-b\n+c\n\n+d\n", "1 update \"f\"\n  2: adjoin \"a\" [-b] [+c] [+] [+d]\n"},
		{"not if others have a plus", "*** Update File: f\n@@ a\n-b\n+\n+c\n\n+d\n", "! 6 an empty line without \"+\""},
		{"above an added line it is unclear", "*** Update File: f\n@@ a\n b\n\n+c\n", "! 4 an empty line beside an added one"},
		{"below one too", "*** Update File: f\n@@ a\n+b\n\n\n c\n", "! 4 an empty line beside an added one"},
		{"and below @@", "*** Update File: f\n@@ a\n\n+b\n", "! 3 an empty line beside an added one"},
		{"End of File and the marker of a missing newline are ignored", "*** Update File: f\n@@ a\n-b\n*** End of File\n" + nonl + "\n+c", "1 update \"f\"\n  2: adjoin \"a\" [-b] [+c]\n"},
		{"a line without a mark", "*** Update File: f\n@@ a\n-b\nc\n+d", "! 4 begins like this: \"c\""},
		{"a line without a mark above any @@", "*** Update File: f\nc\n@@ a\n-b\n", "! 2 begins like this: \"c\""},
		{"stars", "*** Update File: f\n@@ a\n-b\n***\n+c", "! 4 unknown line \"***\""},
		{"a path is trimmed at both ends", "*** Add File:  c\n+x", "1 add \"c\" = \"x\\n\"\n"},
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

// TestSupyagentLosesNothing checks that every marked line of a text that is read is in the patch, and that a text with any other
// line below a header is refused.
func TestSupyagentLosesNothing(t *testing.T) {
	lines := []string{"*** Add File: a", "*** Update File: b", "*** Delete File: c", "@@ d", "@@", "+x", "+y", "+", "-x", " x", "x", "\t", "", "", "```",
		"*** End of File", nonl, "***"}
	read := 0
	for seed := range uint64(50_000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var text strings.Builder
		text.WriteString(lines[rng.IntN(3)])
		for range 1 + rng.IntN(6) {
			text.WriteString("\n" + lines[rng.IntN(len(lines))])
		}
		got, err := Supyagent.Parse(text.String(), Options{})
		if err != nil {
			continue
		}
		read++
		want := map[string]int{}
		for l := range strings.SplitSeq(text.String(), "\n") {
			switch {
			case l == "" || strings.HasPrefix(l, "@@") || strings.HasPrefix(l, "*** ") || l == nonl || l == "\t":
			case strings.ContainsAny(l[:1], "+- "):
				want[l]++
			default:
				t.Fatalf("%q is read, with the line %q", text.String(), l)
			}
		}
		for _, s := range got.Patch.Sections {
			for l := range strings.Lines(s.Content) {
				want["+"+strings.TrimSuffix(l, "\n")]--
			}
			for _, h := range s.Hunks {
				for _, l := range h.Lines {
					want[string(l)]--
				}
			}
		}
		for l, n := range want {
			if n > 0 || n < 0 && l != "+" { // an empty line may be an added one
				t.Fatalf("%q is read as\n%swith %d too few of %q", text.String(), show(got.Patch), n, l)
			}
		}
	}
	if read < 1500 {
		t.Errorf("only %d texts were read: the test shows little", read)
	}
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
		{fail.Error{Kind: fail.CommandFailed, Path: "p", Disk: true, Msg: "no space left on device"}, patch.Update,
			"Apply failed: p: no space left on device", "no space left on device"},
		{fail.Error{Kind: fail.OutsideWorkspace, Path: "../p", Msg: "outside"}, patch.Update, "Validation failed: ../p: outside", "outside"},
	})
	for _, text := range []string{"", "hello", in()} {
		_, err := Supyagent.Parse(text, Options{})
		if got := Supyagent.Words.Refusal(refusal(t, err), 0); got != "No operations found in patch" {
			t.Errorf("%q: %q", text, got)
		}
	}
}
