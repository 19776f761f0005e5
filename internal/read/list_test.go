package read_test

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestList(t *testing.T) {
	quiet(t)
	ws := emendtest.Workspace(t, "b/c/d.txt", "12345", "a.txt", "1", ".hidden", "", "b/x.pem", "", "odd\nname", "")
	a, err := ws.List(t.Context(), api.ListRequest{Path: "."})
	if err != nil {
		t.Fatal(err)
	}
	if want := ".: 3 entries\ndir - b/\nfile 1 a.txt\nfile 0 odd\\nname"; a.Result().Text() != want {
		t.Errorf("%s", a.Result().Text())
	}
	a, err = ws.List(t.Context(), api.ListRequest{Path: ".", NamesOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if want := ".: 3 entries\ndir b/\nfile a.txt\nfile odd\\nname"; a.Result().Text() != want || a.Data.Entries[1].Size != 0 {
		t.Errorf("%s", a.Result().Text())
	}
	a, err = ws.List(t.Context(), api.ListRequest{Path: "b/", Recursive: true})
	if err != nil {
		t.Fatal(err)
	}
	e := a.Data.Entries
	if len(e) != 2 || e[0].RelativePath != "b/c" || e[0].Type != "directory" || e[1].Name != "d.txt" || e[1].Size != 5 || e[1].Depth != 2 || e[1].MTime.IsZero() {
		t.Errorf("%+v", e)
	}
	if a, err = ws.List(t.Context(), api.ListRequest{Recursive: true, MaxDepth: 2, IncludeHidden: true}); err != nil || len(a.Data.Entries) != 5 || a.Data.Path != "." {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := ws.List(t.Context(), api.ListRequest{Path: "a.txt"}); !strings.Contains(err.(*emend.Refusal).Failures[0].Hint, "Read the file") {
		t.Errorf("%v", err)
	}
	for _, tt := range []struct {
		r      api.ListRequest
		kind   fail.Kind
		reason string
	}{
		{api.ListRequest{Path: "a.txt"}, fail.NotFound, ""}, {api.ListRequest{Path: "none"}, fail.NotFound, ""}, {api.ListRequest{Path: "b/x.pem"}, fail.PermissionDenied, ""},
		{api.ListRequest{Path: ".", MaxDepth: 33}, fail.CommandFailed, "bad_arguments"}, {api.ListRequest{Path: ".", MaxDepth: -1}, fail.CommandFailed, "bad_arguments"},
		{api.ListRequest{Path: "../"}, fail.OutsideWorkspace, ""}, {api.ListRequest{Path: "/"}, fail.CommandFailed, "absolute_path"},
	} {
		_, err := ws.List(t.Context(), tt.r)
		refusedAs(t, err, tt.kind, tt.reason)
	}
}
