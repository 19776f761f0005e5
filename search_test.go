package emend_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend"
)

// TestSearchSaysWhatItLeft: a search that did not look at all of a file says so, in its words and in its notes.
func TestSearchSaysWhatItLeft(t *testing.T) {
	quiet(t)
	long := strings.Repeat("x", 1<<20)
	ws := workspace(t, "a", long+"needle\nfoo\n", "b", strings.Repeat("foo\n", 3000)+"\x00\nneedle\n")
	a, err := ws.Search(t.Context(), emend.SearchRequest{Query: "needle"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Only the first MiB of 1 line was searched.", "1 file was searched only up to the line that has a NUL."}
	words := "0 matches in 2 files searched; only the first MiB of 1 line was searched; 1 file was searched only up to the line that has a NUL"
	if !slices.Equal(a.Notes, want) || a.Result().Text() != words {
		t.Errorf("%q\n%q", a.Notes, a.Result().Text())
	}
}
