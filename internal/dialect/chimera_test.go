package dialect

import (
	"errors"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/patch"
)

func TestChimera(t *testing.T) {
	check(t, Chimera, Options{}, []rule{
		{"added lines are joined", in("*** Add File: a", "+x", "+y"), "2 add \"a\" = \"x\\ny\"\n"},
		{"an empty last line makes a newline", in("*** Add File: a", "+x", "+"), "2 add \"a\" = \"x\\n\"\n"},
		{"no line", in("*** Add File: a"), "2 add \"a\" = \"\"\n"},
		{"hunks open with nothing", up(" a", "-b"), "2 update \"f\"\n  3: [ a] [-b]\n"},
		{"@@ separates them", up("-a", "@@ x", "-b", "@@", "@@", "-c", "@@"), "2 update \"f\"\n  3: [-a]\n  4: [-b]\n  7: [-c]\n"},
		{"additions are for the end", up("+a"), "2 update \"f\"\n  3: at-end [+a]\n"},
		{"End of File is ignored", up("-a", "*** End of File", "-b"), "2 update \"f\"\n  3: [-a] [-b]\n"},
		{"so is the marker of a missing newline", up("-a", nonl, "+b"), "2 update \"f\"\n  3: [-a] [+b]\n"},
		{"but nothing else", up("-a", `\ x`), "! 4 begins like this"},
		{"text around is ignored", "Here:\n" + in("*** Delete File: c") + "bye\n", "3 delete \"c\"\n"},
		{"space after a marker is nothing", "*** Begin Patch \n*** Delete File: c\n*** End Patch\t\n", "2 delete \"c\"\n"},
		{"space after a path is nothing", in("*** Delete File: c "), "2 delete \"c\"\n"},
		{"nor before it", in("*** Add File: \t c", "+x"), "2 add \"c\" = \"x\"\n"},
		{"no space after the colon", in("*** Delete File:c"), "2 delete \"c\"\n"},
		{"Move File", in("*** Move File: a -> b"), "! 2 unknown line"},
		{"Move to", up("*** Move to: b", "-a"), "! 3 unknown line"},
		{"no sections", in(), "! 2 no sections"},
	})
}

func TestChimeraWords(t *testing.T) {
	got := Chimera.Words.Success([]patch.Change{
		{Op: patch.Update, Writes: "u"}, {Op: patch.Add, Writes: "a"}, {Op: patch.Delete, Writes: "d"},
	})
	if want := "Success. Updated the following files:\nUpdated u\nCreated a\nDeleted d"; got != want {
		t.Errorf("success: %q, want %q", got, want)
	}
	tell(t, Chimera, []telling{
		{fail.Error{Kind: fail.AlreadyExists, Path: "p"}, patch.Add, "apply_patch: cannot add existing file 'p'", ""},
		{fail.Error{Kind: fail.NotFound, Path: "p"}, patch.Update, "apply_patch: cannot update missing file 'p'", ""},
		{fail.Error{Kind: fail.NotFound, Path: "p"}, patch.Delete, "apply_patch: cannot delete missing file 'p'", ""},
		{fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: "p"}, patch.Delete, "apply_patch: 'p' is not a regular file", ""},
		{fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: "p"}, patch.Update, "apply_patch: 'p' is not a regular file", ""},
		{fail.Error{Kind: fail.PatchApply, Reason: fail.DuplicatePath, Path: "p"}, patch.Update, "apply_patch: duplicate hunk for 'p'", ""},
		{fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Path: "p", Hunk: 1, Msg: "not there"}, patch.Update,
			"apply_patch: hunk conflict in 'p': hunk 1: not there", ""},
		{fail.Error{Kind: fail.MultipleMatches, Path: "p", Hunk: 2, Msg: "2 places match (lines 1, 4)"}, patch.Update,
			"apply_patch: hunk conflict in 'p': hunk 2: 2 places match (lines 1, 4)", ""},
		{fail.Error{Kind: fail.CommandFailed, Path: "p", Disk: true, Undone: 3, Cause: errors.New("no space left")}, patch.Update,
			"apply_patch: filesystem error mid-apply on 'p': no space left; rolled back 3 prior change(s)", ""},
		{fail.Error{Kind: fail.OutsideWorkspace, Path: "../p", Msg: "outside"}, patch.Update, "apply_patch: ../p: outside", ""},
	})
	for _, tt := range []struct{ text, want string }{
		{"", "apply_patch: 'patch' must be a non-empty string"},
		{in(), "apply_patch: no file hunks parsed (empty envelope?)"},
		{in("*** Add File: "), "apply_patch: empty file path in patch hunk"},
		{"*** Begin Patch\n*** Delete File: c\n", "apply_patch parse error: line 2: the patch has no \"*** End Patch\" line"},
		{in("*** Frob"), "apply_patch parse error: line 2: unknown line \"*** Frob\""},
	} {
		_, err := Chimera.Parse(tt.text, Options{})
		if got := Chimera.Words.Refusal(refusal(t, err), 0); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}
