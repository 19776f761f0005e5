package read_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

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

// TestSearchSaysWhatItLeft: a search that skipped a part of a file says so, in its text and in its notes.
func TestSearchSaysWhatItLeft(t *testing.T) {
	quiet(t)
	long := strings.Repeat("x", 1<<20)
	ws := emendtest.Workspace(t, "a", long+"needle\nfoo\n", "b", strings.Repeat("foo\n", 3000)+"\x00\nneedle\n")
	a, err := ws.Search(t.Context(), api.SearchRequest{Query: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Only the first MiB of 1 line was searched.", "1 file was searched only up to the line that has a NUL."}
	words := "0 matches in 2 files searched; only the first MiB of 1 line was searched; 1 file was searched only up to the line that has a NUL"
	if !slices.Equal(a.Notes, want) || a.Result().Text() != words {
		t.Errorf("%q\n%q", a.Notes, a.Result().Text())
	}
}

// TestSearchTo: SearchTo writes the matches that Search finds.
func TestSearchTo(t *testing.T) {
	quiet(t)
	ws := emendtest.Workspace(t, "sub/a.txt", "one\ntwo foo\nthree foo\x1b\n", "b.txt", "foo\n", "c.bin", "foo\x00", ".env", "foo\n")
	var b strings.Builder
	a, err := ws.Host().SearchTo(t.Context(), api.SearchRequest{Query: "foo"}, &b)
	if err != nil || b.String() != "b.txt:1:foo\nsub/a.txt:2:two foo\nsub/a.txt:3:three foo\\x1b\n" || a.Data != (api.SearchSum{Written: 3, FilesScanned: 3}) {
		t.Errorf("%q, %+v, %v", b.String(), a, err)
	}
	b.Reset()
	a, err = ws.Host().SearchTo(t.Context(), api.SearchRequest{Query: "foo", MaxResults: 2}, &b)
	if err != nil || b.String() != "b.txt:1:foo\nsub/a.txt:2:two foo\n" || !a.Data.Truncated || a.Data.Written != 2 {
		t.Errorf("%q, %+v, %v", b.String(), a, err)
	}
	_, err = ws.Host().SearchTo(t.Context(), api.SearchRequest{Query: "foo", ContextLines: 1}, &b)
	refusedAs(t, err, fail.CommandFailed, "bad_arguments")
	r, w := io.Pipe()
	r.Close()
	if _, err = ws.Host().SearchTo(t.Context(), api.SearchRequest{Query: "foo"}, w); err != io.ErrClosedPipe {
		t.Errorf("the writer is closed: %v", err)
	}
}
