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
