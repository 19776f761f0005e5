package read_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// quiet hides the git configuration of whoever runs the test.
func quiet(t *testing.T) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
}

func refusedAs(t *testing.T, err error, kind fail.Kind, reason string) {
	t.Helper()
	r, ok := errors.AsType[*emend.Refusal](err)
	if !ok || r.Failures[0].Kind != kind || r.Failures[0].Reason != reason || r.Failures[0].Hint == "" {
		t.Errorf("err = %v, want %s %s", err, kind, reason)
	}
}

// TestFindThroughLinks: a root that is a link is followed inside the workspace. A link outside, or to a protected path, is
// refused.
func TestFindThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT RUN: links need a privilege here")
	}
	quiet(t)
	ws := emendtest.Workspace(t, "d/a.txt", "foo\n", "x.pem/a.txt", "foo\n")
	for name, target := range map[string]string{"in": "d", "secret": "x.pem", "out": os.TempDir(), "file": "d/a.txt"} {
		if err := os.Symlink(target, filepath.Join(ws.Root(), name)); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := ws.Search(t.Context(), api.SearchRequest{Query: "foo", Root: "in"}); err != nil || a.Data.Matches[0].Path != "d/a.txt" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := ws.List(t.Context(), api.ListRequest{Path: "in"}); err != nil || a.Data.Path != "d" {
		t.Errorf("%+v, %v", a, err)
	}
	for name, kind := range map[string]fail.Kind{"secret": fail.PermissionDenied, "out": fail.OutsideWorkspace, "file": fail.NotFound} {
		_, err := ws.List(t.Context(), api.ListRequest{Path: name})
		refusedAs(t, err, kind, "")
		if name == "file" {
			continue
		}
		_, err = ws.Search(t.Context(), api.SearchRequest{Query: "foo", Root: name})
		refusedAs(t, err, kind, "")
	}
	if a, err := ws.Search(t.Context(), api.SearchRequest{Query: "foo", Root: "file"}); err != nil || len(a.Data.Matches) != 1 || a.Data.Matches[0].Path != "d/a.txt" {
		t.Errorf("%+v, %v", a, err)
	}
	for name, target := range map[string]string{"to-key": "x.pem/a.txt", "none": "missing", "round": "round"} {
		if err := os.Symlink(target, filepath.Join(ws.Root(), name)); err != nil {
			t.Fatal(err)
		}
		if a, err := ws.Search(t.Context(), api.SearchRequest{Query: "foo", Root: name}); err == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	a, err := ws.Search(t.Context(), api.SearchRequest{Query: "foo"})
	if err != nil || len(a.Data.Matches) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestFindCancel: a cancelled call is refused.
func TestFindCancel(t *testing.T) {
	quiet(t)
	ws := emendtest.Workspace(t, "a", "foo\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := ws.Search(ctx, api.SearchRequest{Query: "foo"})
	refusedAs(t, err, fail.CommandFailed, "cancelled")
	_, err = ws.Glob(ctx, api.GlobRequest{Pattern: "*"})
	refusedAs(t, err, fail.CommandFailed, "cancelled")
	_, err = ws.List(ctx, api.ListRequest{Path: "."})
	refusedAs(t, err, fail.CommandFailed, "cancelled")
}
