package logbook_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestTimelineLines: the list of calls counts the lines of each change, and finds changes by their lines, but not in files that
// may not be read.
func TestTimelineLines(t *testing.T) {
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(filepath.Join(dir, ".emend"), 0o700))
	must(os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n-- two\nthree\n"), 0o644))
	must(os.WriteFile(filepath.Join(dir, ".env"), []byte("KEY=old\n"), 0o644))
	open := func(options ...emend.Option) *emend.Workspace {
		t.Helper()
		ws, err := emend.Open(dir, append(options, emend.NoSync())...)
		must(err)
		t.Cleanup(func() { ws.Close() })
		return ws
	}
	apply := func(ws *emend.Workspace, patch string) {
		t.Helper()
		_, err := ws.Apply(context.Background(), "*** Begin Patch\n"+patch+"*** End Patch\n", api.PatchOptions{})
		must(err)
	}
	allowed := open(emend.AllowProtected(".env"))
	apply(allowed, "*** Update File: a.txt\n@@\n one\n--- two\n+++ 2\n+Zwei\n three\n*** Add File: b.txt\n+b\n")
	apply(allowed, "*** Update File: .env\n@@\n-KEY=old\n+KEY=new\n*** Add File: c.txt\n+c\n")
	apply(allowed, "*** Delete File: b.txt\n")
	must(allowed.Close())
	ws := open()
	list := func(r api.TimelineRequest) []api.LoggedCall {
		t.Helper()
		got, err := ws.Timeline(context.Background(), r)
		must(err)
		return got.Calls
	}
	want := []api.LineCount{{Added: 0, Removed: 1}, {Added: 1, Removed: 0}, {Added: 3, Removed: 1}}
	for i, c := range list(api.TimelineRequest{CountLines: true}) {
		if c.Lines == nil || *c.Lines != want[i] {
			t.Errorf("call %d has %+v, want %+v", i, c.Lines, want[i])
		}
	}
	if c := list(api.TimelineRequest{})[0]; c.Lines != nil {
		t.Error("lines are counted that nobody asked for")
	}
	for text, n := range map[string]int{"zwei": 1, "ZWEI": 1, "++ 2": 1, "-- two": 1, "three": 0, "a.txt": 0, "KEY": 0, "c": 1, "b": 2, "@@": 0} {
		if got := list(api.TimelineRequest{Content: text}); len(got) != n {
			t.Errorf("%q is in %d changes, want %d", text, len(got), n)
		}
	}
}

// TestLinesAreCountedOnce: a list that is shown again reads no diff again.
func TestLinesAreCountedOnce(t *testing.T) {
	dir := t.TempDir()
	ws, err := emend.Open(dir, emend.NoSync())
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if _, err := ws.Create(t.Context(), api.CreateRequest{Path: "a.txt", Content: "one\ntwo\n"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		list, err := ws.Timeline(t.Context(), api.TimelineRequest{CountLines: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := list.Calls[0].Lines; n == nil || *n != (api.LineCount{Added: 2}) {
			t.Errorf("the lines are %+v", n)
		}
		diffs, err := filepath.Glob(filepath.Join(dir, ".emend", "*", "*.diff"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range diffs {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		if left, err := ws.Timeline(t.Context(), api.TimelineRequest{Content: "two"}); err != nil || len(left.Calls) != 0 {
			t.Fatalf("the diff is still there: %v, %v", left, err)
		}
	}
}
