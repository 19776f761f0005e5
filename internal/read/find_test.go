package read_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
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

func TestSearch(t *testing.T) {
	quiet(t)
	ws := emendtest.Workspace(t, "sub/a.txt", "one\ntwo foo\nthree\nfour\nfive foo\n", "b.txt", "Foo\n", "sub/c.bin", "foo\x00", ".env", "foo\n")
	a, err := ws.Search(t.Context(), api.SearchRequest{Query: "foo", Mode: "text", ContextLines: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := "2 matches in 3 files searched\nsub/a.txt-1-one\nsub/a.txt:2:two foo\nsub/a.txt-3-three\nsub/a.txt-4-four\nsub/a.txt:5:five foo"
	if a.Result().Text() != want {
		t.Errorf("%s", a.Result().Text())
	}
	if m := a.Data.Matches; len(m) != 2 || m[0].Line != 2 || m[0].Column != 5 || m[0].Before[0] != "one" || m[1].Before[0] != "four" || a.Data.FilesScanned != 3 {
		t.Errorf("%+v", a.Data)
	}
	no := false
	a, err = ws.Search(t.Context(), api.SearchRequest{Query: "^f", Mode: "regex", CaseSensitive: &no, MaxResults: 2, Root: "."})
	if err != nil || len(a.Data.Matches) != 2 || !a.Data.Truncated || !strings.Contains(a.Result().Text(), "maxResults") || a.Data.Matches[0].Path != "b.txt" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = ws.Search(t.Context(), api.SearchRequest{Query: "txt", Mode: "path", MaxResults: -1}); err != nil || a.Result().Text() != "2 paths in 3 files searched\nb.txt\nsub/a.txt" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = ws.Search(t.Context(), api.SearchRequest{Query: "foo", Mode: "text", Root: "sub/a.txt"}); err != nil || len(a.Data.Matches) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = ws.Search(t.Context(), api.SearchRequest{Query: "none", Mode: "text"}); err != nil || a.Result().Text() != "0 matches in 3 files searched" || a.Data.Matches == nil {
		t.Errorf("%+v, %v", a, err)
	}
	for _, tt := range []struct {
		r      api.SearchRequest
		kind   fail.Kind
		reason string
	}{
		{api.SearchRequest{Query: "("}, "", ""}, {api.SearchRequest{Query: "(", Mode: "regex"}, fail.CommandFailed, "bad_pattern"}, {api.SearchRequest{Query: "x", Mode: "fuzzy"}, fail.CommandFailed, "bad_arguments"},
		{api.SearchRequest{Query: "x", MaxResults: 10_001}, fail.CommandFailed, "bad_arguments"}, {api.SearchRequest{Query: "x", ContextLines: -1}, fail.CommandFailed, "bad_arguments"},
		{api.SearchRequest{Query: "x", Root: "none"}, fail.NotFound, ""}, {api.SearchRequest{Query: "x", Root: ".env"}, fail.PermissionDenied, ""},
	} {
		if _, err := ws.Search(t.Context(), tt.r); tt.kind != "" {
			refusedAs(t, err, tt.kind, tt.reason)
		} else if err != nil {
			t.Errorf("%+v: %v", tt.r, err)
		}
	}
}

func TestGlob(t *testing.T) {
	quiet(t)
	ws := emendtest.Workspace(t, "src/a.go", "1", "src/in/b.go", "", "c.go", "", "src/in/x.key", "", ".ignore", "c.go\n")
	a, err := ws.Glob(t.Context(), api.GlobRequest{Pattern: "src/**"})
	if err != nil || a.Result().Text() != "4 paths\nsrc/\nsrc/a.go\nsrc/in/\nsrc/in/b.go" || a.Data.Matches[1].Size != 1 || a.Data.Matches[0].Type != "directory" {
		t.Errorf("%+v, %v", a, err)
	}
	in, err := emend.Open(ws.Root(), emend.Base("src"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if a, err = in.Glob(t.Context(), api.GlobRequest{Pattern: "*.go", MaxResults: 1}); err != nil || a.Result().Text() != "1 path\nsrc/a.go" || a.Data.Truncated {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err = ws.Glob(t.Context(), api.GlobRequest{Pattern: "**/*.go", MaxResults: 1, IncludeIgnored: true}); err != nil || a.Data.Matches[0].Path != "c.go" || !a.Data.Truncated {
		t.Errorf("%+v, %v", a, err)
	}
	_, err = ws.Glob(t.Context(), api.GlobRequest{Pattern: "[a"})
	refusedAs(t, err, fail.CommandFailed, "bad_pattern")
	_, err = ws.Glob(t.Context(), api.GlobRequest{Pattern: "*", Root: "src/a.go"})
	refusedAs(t, err, fail.NotFound, "")
	left := emend.WithoutDirs(t.Context(), "in")
	if a, err = ws.Glob(left, api.GlobRequest{Pattern: "**/*.go"}); err != nil || a.Result().Text() != "2 paths\nc.go\nsrc/a.go" {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestFindThroughLinks: a root that is a link is followed inside the workspace. A link outside, or to a protected path, is
// refused.
func TestFindThroughLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
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

// TestExcludes: the user's excludes file of git applies in a repository.
func TestExcludes(t *testing.T) {
	quiet(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	os.Unsetenv("GIT_CONFIG_GLOBAL")
	ws := emendtest.Workspace(t, ".git/HEAD", "", "a.one", "", "a.two", "", "a.txt", "")
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	globs := func() string {
		t.Helper()
		a, err := ws.Glob(t.Context(), api.GlobRequest{Pattern: "*"})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result().Text()
	}
	write("config/git/ignore", "*.one\n")
	if got := globs(); got != "2 paths\na.two\na.txt" {
		t.Errorf("%s", got)
	}
	write(".gitconfig", "[user]\n\texcludesfile = no\n[core] # here\n  ExcludesFile = \"~/my ignores\" ; and\n[other]\n")
	write("my ignores", "*.two\n")
	if got := globs(); got != "2 paths\na.one\na.txt" {
		t.Errorf("%s", got)
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
