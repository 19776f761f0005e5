package tool

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// person calls a tool as the page does.
func person(t *testing.T, ws *emend.Workspace, name, args string) reply {
	t.Helper()
	return replied(t, Options{Profile: People}.Call(t.Context(), ws, name, json.RawMessage(args)))
}

// kept returns a workspace in which a was "one" and is "two", and b is in the trash.
func kept(t *testing.T) (ws *emend.Workspace, tx, trashed string) {
	t.Helper()
	ws = open(t, map[string]string{"a": "one\n", "b": "b\n"})
	rep, err := ws.Apply(t.Context(), "*** Begin Patch\n*** Update File: a\n@@\n-one\n+two\n*** End Patch", api.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	gone, err := ws.Delete(t.Context(), api.DeleteRequest{Path: "b"})
	if err != nil {
		t.Fatal(err)
	}
	return ws, rep.Tx, gone.Data.TrashedTo
}

// TestPutBackCall checks that put_back shows a version with dryRun, restores it without, and is logged under its
// name.
func TestPutBackCall(t *testing.T) {
	ws, tx, trashed := kept(t)
	two := "27dd8ed44a83ff94d557f9fd0412ed5a8cbca69ea04922d88c01184a07300a5a" // of "two\n"
	args := `{"path":"a","version":"` + tx + `.0","expectedSha256":"` + two + `"`
	for _, row := range []struct{ args, ok, says string }{
		{args + `,"dryRun":true}`, "yes", "Would restore the version " + tx + ".0: 1 file.\n  M a"},
		{`{"path":"a","version":"` + tx + `.0"}`, "stale_file", "none was expected"},
		{`{"path":"a","version":"` + tx + `.0","expectedSha256":""}`, "stale_file", "none was expected"},
		{args + `}`, "yes", "Restored the version " + tx + ".0: 1 file.\n  M a"},
		{args + `}`, "not_found", "history of the file"},
		{`{"path":"b","version":"` + trashed + `","expectedSha256":""}`, "yes", "A b"},
	} {
		r := person(t, ws, "put_back", row.args)
		if r.OK != (row.ok == "yes") || !r.OK && r.Error.Kind != row.ok || !strings.Contains(r.Output, row.says) {
			t.Errorf("%s: %+v", row.args, r)
		}
	}
	for name, want := range map[string]string{"a": "one\n", "b": "b\n"} {
		if b, err := os.ReadFile(filepath.Join(ws.Root(), name)); err != nil || string(b) != want {
			t.Errorf("%s is %q, %v", name, b, err)
		}
	}
	a, err := ws.History(t.Context(), api.HistoryRequest{Limit: 1})
	if err != nil || a.Data.Entries[0].ToolName != "put_back" {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestClearTrashCall checks that dryRun lists and keeps, and that only what was named is removed.
func TestClearTrashCall(t *testing.T) {
	ws, _, trashed := kept(t)
	for _, row := range []struct{ args, ok, says string }{
		{`{"dryRun":true}`, "yes", "Would remove 1 file (2 bytes) from the trash permanently.\n  " + trashed + " b"},
		{`{"before":"1h","dryRun":true}`, "yes", "Would remove nothing"},
		{`{"before":"2020-01-31"}`, "yes", "Removed nothing"},
		{`{"before":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `","dryRun":true}`, "yes", "Would remove 1 file"},
		{`{"before":"yesterday"}`, "command_failed", `before: "yesterday" is no time and no age`},
		{`{"ids":[]}`, "command_failed", "at least 1"},
		{`{"ids":["none","` + trashed + `"]}`, "not_found", "none"},
		{`{"ids":["` + trashed + `"]}`, "yes", "Removed 1 file (2 bytes)"},
		{`{}`, "yes", "Removed nothing"},
	} {
		r := person(t, ws, "clear_trash", row.args)
		if r.OK != (row.ok == "yes") || !r.OK && r.Error.Kind != row.ok || !strings.Contains(r.Output, row.says) {
			t.Errorf("%s: %+v", row.args, r)
		}
	}
}

// TestPurgeCall checks that only what was named is purged.
func TestPurgeCall(t *testing.T) {
	ws, tx, _ := kept(t)
	for _, row := range []struct{ args, ok, says string }{
		{`{}`, "command_failed", "name what to purge"},
		{`{"dryRun":true,"path":"","entries":[]}`, "command_failed", "name what to purge"},
		{`{"before":"x"}`, "command_failed", "no time and no age"},
		{`{"entries":["` + tx + `"],"dryRun":true}`, "yes", "Would remove what the history keeps of 1 change ("},
		{`{"before":"0s","dryRun":true}`, "yes", "Would remove what the history keeps of 2 changes ("},
		{`{"before":"1w"}`, "yes", "Removed nothing"},
		{`{"entries":["` + tx + `"]}`, "yes", "\n  " + tx},
		{`{"entries":["` + tx + `"]}`, "not_found", "the history has nothing of"},
	} {
		r := person(t, ws, "purge", row.args)
		if r.OK != (row.ok == "yes") || !r.OK && r.Error.Kind != row.ok || !strings.Contains(r.Output, row.says) {
			t.Errorf("%s: %+v", row.args, r)
		}
	}
	if h, err := ws.FileHistory(t.Context(), "a", 0); err != nil || h.Versions[1].ID != "" {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestRecoverCall(t *testing.T) {
	ws, _, _ := kept(t)
	if r := person(t, ws, "recover", `{}`); !r.OK || r.Output != "Nothing to recover." {
		t.Errorf("%+v", r)
	}
	words := RecoveryText(&api.Recovery{RecoveredTx: api.RecoveredTx{Tx: "T", End: "finished", Files: []string{"a\x1b", "b"}}, Notes: []string{"n"}, Swept: []string{"x"}})
	for _, want := range []string{"Transaction T was interrupted; it is finished now (2 file(s)).", "\n  a\\x1b\n", "\nNote: n", "what 1 transaction(s) left"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q lacks %q", words, want)
		}
	}
	words = RecoveryText(&api.Recovery{RecoveredTx: api.RecoveredTx{Tx: "T", End: api.TakenBack}})
	if want := "Transaction T was interrupted; it is rolled back now (0 file(s))."; words != want {
		t.Errorf("%q, want %q", words, want)
	}
}

func TestAge(t *testing.T) {
	for text, want := range map[string]time.Duration{"0s": 0, "90m": 90 * time.Minute, "12h": 12 * time.Hour, "30d": 720 * time.Hour, "2w": 336 * time.Hour} {
		if d, err := ParseAge(text); err != nil || d != want {
			t.Errorf("%s: %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "d", "1", "-1d", "1.5d", "1y", "4294967296w", "99999999w"} {
		if d, err := ParseAge(text); err == nil {
			t.Errorf("%s: %v", text, d)
		}
	}
}
