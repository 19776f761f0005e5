package change_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// placesOf returns where the hunks of the newest entry landed, according to the log.
func placesOf(t *testing.T, ws *emend.Workspace) (places []string, more int) {
	t.Helper()
	h, err := ws.History(t.Context(), api.HistoryRequest{Diff: true, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range h.Data.Entries[0].Hunks {
		places = append(places, fmt.Sprint(p.Line, " ", p.Rung))
	}
	return places, h.Data.Entries[0].HunksMore
}

const plain = "one\ntwo\nthree\n\tfour\nfive\n"

// In every dialect the log has each hunk, with its line in the file before the change and its rung.
func TestHunksOnRecord(t *testing.T) {
	for dialect, tc := range map[string]struct {
		text string
		want string
	}{
		"emend":     {emendtest.Envelope("*** Update File: f", "@@", "-two", "+2", "@@", "-five", "+5"), "2 exact,5 exact"},
		"codex":     {emendtest.Envelope("*** Update File: f", "@@", " one", "-two ", "+2", "@@", "-four", "+4"), "1 trailing,4 whitespace"},
		"comma":     {emendtest.Envelope("*** Update File: f", "@@", "-two", "+2", "@@", "-five", "+5"), "2 exact,5 exact"},
		"supyagent": {emendtest.Envelope("*** Update File: f", "@@", "-two", "+2", "@@", "-five", "+5"), "2 exact,5 exact"},
		"chimera":   {emendtest.Envelope("*** Update File: f", "@@", "-two", "+2", "@@", "-five", "+5"), "2 exact,5 exact"},
	} {
		ws := emendtest.Workspace(t, "f", plain)
		if _, err := ws.Apply(t.Context(), tc.text, api.PatchOptions{Dialect: dialect}); err != nil {
			t.Errorf("%s: %v", dialect, err)
			continue
		}
		if got, more := placesOf(t, ws); strings.Join(got, ",") != tc.want || more != 0 {
			t.Errorf("%s: %q and %d more, want %q", dialect, got, more, tc.want)
		}
		h, err := ws.History(t.Context(), api.HistoryRequest{})
		if err != nil || h.Data.Entries[0].Hunks != nil {
			t.Errorf("without diffs: %+v, %v", h.Data.Entries[0], err)
		}
	}
}

func TestHunksOfEdits(t *testing.T) {
	ws := emendtest.Workspace(t, "f", plain+"two\n")
	edit := func(edits ...api.TextEdit) {
		t.Helper()
		is, err := ws.Read(t.Context(), api.ReadRequest{Path: "f"})
		if err == nil {
			_, err = ws.Edit(t.Context(), api.EditRequest{Path: "f", ExpectedSha256: is.Data.Sha256, Edits: edits, Tolerance: "whitespace"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	edit(api.TextEdit{OldText: "two", NewText: "2", ExpectedOccurrences: 2}, api.TextEdit{OldText: "three  \n", NewText: "3\n"})
	if got, _ := placesOf(t, ws); strings.Join(got, ",") != "2 exact,6 exact,3 trailing" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(filepath.Join(ws.Root(), "f"), []byte(strings.Repeat("x\n", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	edit(api.TextEdit{OldText: "x\n", NewText: "y\n", ExpectedOccurrences: 1000})
	if got, more := placesOf(t, ws); len(got) != 200 || more != 800 || got[199] != "200 exact" {
		t.Errorf("%d and %d more", len(got), more)
	}
	a, err := ws.Undo(t.Context(), api.UndoRequest{})
	if err != nil {
		t.Fatal(err, a)
	}
	if got, _ := placesOf(t, ws); got != nil {
		t.Errorf("an undo has no hunks: %q", got)
	}
}

// The log omits hunks that were applied already, and hides those of a protected file.
func TestHunksNotOnRecord(t *testing.T) {
	ws := emendtest.Workspace(t, "f", plain)
	patch := emendtest.Envelope("*** Update File: f", "@@", "-uno", "+one", " two", "@@", "-five", "+5")
	if _, err := ws.Apply(t.Context(), patch, api.PatchOptions{Idempotent: true}); err != nil {
		t.Fatal(err)
	}
	if got, _ := placesOf(t, ws); !slices.Equal(got, []string{"5 exact"}) {
		t.Errorf("%q", got)
	}
	open, err := emend.Open(ws.Root(), emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	emendtest.MustApply(t, open, api.Actor{}, "emend", emendtest.Envelope("*** Add File: .env", "+A"))
	emendtest.MustApply(t, open, api.Actor{}, "emend", emendtest.Envelope("*** Update File: .env", "@@", "-A", "+B"))
	if got, _ := placesOf(t, open); !slices.Equal(got, []string{"1 exact"}) {
		t.Errorf("%q where it is open", got)
	}
	if got, _ := placesOf(t, ws); got != nil {
		t.Errorf("%q where it is protected", got)
	}
}
