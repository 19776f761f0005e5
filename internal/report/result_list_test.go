package report

import (
	"errors"
	"slices"
	"syscall"
	"testing"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// TestListedOnce checks that a refused result lists every file of the patch once, with all that failed in it.
func TestListedOnce(t *testing.T) {
	v := View{Dialect: dialect.Supyagent, Atomic: true, Patch: patch.Patch{Sections: []patch.Section{
		{Op: patch.Update, Path: "a"}, {Op: patch.Add, Path: "./b"}, {Op: patch.Delete, Path: "c"}}}}
	notFound := func(section, hunk int, path string) *fail.Error {
		return &fail.Error{Kind: fail.PatchApply, Reason: fail.ContextNotFound, Section: section, Hunk: hunk, Path: path, Anchor: "x", Msg: "not there"}
	}
	full := &fail.Error{Kind: fail.CommandFailed, Path: "sub/b", Disk: true, Cause: syscall.ENOSPC, Msg: "no space left on device"}
	partial := v
	partial.Partial = &plan.Plan{Steps: []plan.Step{{Op: patch.Update, Path: "a"}}}
	for _, tt := range []struct {
		name    string
		v       View
		all     fail.List
		refusal string
		want    []ListedFile
	}{
		{"two hunks of one file", v, fail.List{notFound(1, 1, "a"), notFound(1, 2, "a")}, "Validation failed in a hunk 1: context 'x' not found or lines don't match", []ListedFile{
			{"a", "update", false, "Hunk 1 failed: context 'x' not found or remove lines don't match\nHunk 2 failed: context 'x' not found or remove lines don't match"},
			{"./b", "add", false, "Not changed."}, {"c", "delete", false, "Not changed."}}},
		{"the disk, at a file", v, fail.List{full}, "Apply failed: sub/b: no space left on device", []ListedFile{
			{"a", "update", false, "Not changed."}, {"./b", "add", false, "no space left on device"}, {"c", "delete", false, "Not changed."}}},
		{"the store", v, fail.List{{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Msg: "the store cannot be written: x", Cause: errors.New("x")}},
			"Apply failed: the store cannot be written: x", []ListedFile{
				{"a", "update", false, "Not changed."}, {"./b", "add", false, "Not changed."}, {"c", "delete", false, "Not changed."}}},
		{"undecided", v, fail.List{{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Msg: "the disk failed"}}, "Apply failed: the disk failed", []ListedFile{
			{"a", "update", false, "It is undecided whether this is applied."}, {"./b", "add", false, "It is undecided whether this is applied."},
			{"c", "delete", false, "It is undecided whether this is applied."}}},
		{"after a section that is applied", partial, fail.List{notFound(2, 0, "./b")}, "Validation failed: ./b: not there", []ListedFile{
			{"a", "update", true, ""}, {"./b", "add", false, "not there"}, {"c", "delete", false, "Not changed."}}},
		{"one path twice", View{Dialect: dialect.Supyagent, Patch: patch.Patch{Sections: []patch.Section{{Op: patch.Update, Path: "a"}, {Op: patch.Update, Path: "./a"}}}},
			fail.List{{Kind: fail.PatchApply, Reason: fail.DuplicatePath, Section: 2, Path: "./a", Msg: "twice"}}, "Validation failed: ./a: twice", []ListedFile{{"a", "update", false, "twice"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newListResult(tt.v, nil, tt.all)
			if !slices.Equal(r.Results, tt.want) || r.Error != tt.refusal {
				t.Errorf("got %q, %+v\nwant %q, %+v", r.Error, r.Results, tt.refusal, tt.want)
			}
		})
	}
}
