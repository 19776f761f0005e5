package logbook_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/report"
)

func refuse(t *testing.T, ws *emend.Workspace, text string) {
	t.Helper()
	if _, err := ws.Apply(context.Background(), text, api.PatchOptions{}); err == nil {
		t.Fatal("applied")
	}
}

// lines returns the letter, the path and the error kind of each entry.
func lines(t *testing.T, ws *emend.Workspace, r api.HistoryRequest) string {
	t.Helper()
	a, err := ws.History(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range a.Data.Entries {
		out = append(out, report.StatusLetter(&e)+" "+report.EntryPath(&e)+" "+e.ErrorKind)
	}
	return strings.Join(out, "\n")
}

const allLines = "! .env permission_denied\n! f patch_apply_error\nR d/m -> d/n \nM f \nA d/new \nD gone "

func TestHistory(t *testing.T) {
	ws := logged(t)
	for _, tc := range []struct {
		r    api.HistoryRequest
		want string
	}{
		{api.HistoryRequest{}, allLines},
		{api.HistoryRequest{Limit: -1, Path: "."}, allLines},
		{api.HistoryRequest{Limit: 3}, "! .env permission_denied\n! f patch_apply_error\nR d/m -> d/n "},
		{api.HistoryRequest{Limit: 4}, "! .env permission_denied\n! f patch_apply_error\nR d/m -> d/n \nM f "},
		{api.HistoryRequest{Path: "f"}, "! f patch_apply_error\nM f "},
		{api.HistoryRequest{Path: "./d/../f"}, "! f patch_apply_error\nM f "},
		{api.HistoryRequest{Path: filepath.Join(ws.Root(), "f")}, "! f patch_apply_error\nM f "},
		{api.HistoryRequest{Path: "gone"}, "D gone "},
		{api.HistoryRequest{Path: "d"}, "R d/m -> d/n \nA d/new "},
		{api.HistoryRequest{Path: "d/"}, "R d/m -> d/n \nA d/new "},
		{api.HistoryRequest{Path: "d/n"}, "R d/m -> d/n "},
		{api.HistoryRequest{Path: "never/was"}, ""},
		{api.HistoryRequest{Path: "f/below"}, ""},
		{api.HistoryRequest{Since: "1h"}, allLines},
		{api.HistoryRequest{Since: "7d"}, allLines},
		{api.HistoryRequest{Since: "2001-02-03"}, allLines},
		{api.HistoryRequest{Since: "2001-02-03T04:05:06+01:00"}, allLines},
		{api.HistoryRequest{Since: "2201-01-01"}, ""},
		{api.HistoryRequest{SessionID: "none"}, ""},
		{api.HistoryRequest{SessionID: "s2"}, "R d/m -> d/n "},
		{api.HistoryRequest{SessionID: "s1", Path: "d"}, "A d/new "},
		{api.HistoryRequest{Tool: "t"}, "M f \nA d/new \nD gone "},
		{api.HistoryRequest{Tool: "none"}, ""},
	} {
		if got := lines(t, ws, tc.r); got != tc.want {
			t.Errorf("%+v:\n%s\nwant\n%s", tc.r, got, tc.want)
		}
	}
	a, err := ws.History(context.Background(), api.HistoryRequest{Limit: 5})
	if err != nil || !a.Data.Truncated || !strings.Contains(a.Result().Text(), "There are more") {
		t.Errorf("limit 5 of 6: %v %+v", err, a)
	}
	a, err = ws.History(context.Background(), api.HistoryRequest{Limit: 6})
	if err != nil || a.Data.Truncated {
		t.Errorf("limit 6 of 6: %v %+v", err, a)
	}
	if ok := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  [-0-9a-z]+  \S*/\S*/\S*  D  gone  ok; in the trash as \S+$`); !ok.MatchString(a.Result().Text()) {
		t.Error(a.Result().Text())
	}
}

func TestHistoryRefuses(t *testing.T) {
	ws := logged(t)
	for _, tc := range []struct {
		r    api.HistoryRequest
		kind fail.Kind
		says string
	}{
		{api.HistoryRequest{Since: "yesterday"}, fail.CommandFailed, "since:"},
		{api.HistoryRequest{Since: "-5m"}, fail.CommandFailed, "since:"},
		{api.HistoryRequest{Path: "../x"}, fail.OutsideWorkspace, ""},
		{api.HistoryRequest{Path: "/etc/passwd"}, fail.OutsideWorkspace, ""},
		{api.HistoryRequest{Path: "a\x00b"}, fail.CommandFailed, ""},
	} {
		_, err := ws.History(context.Background(), tc.r)
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%+v: %v", tc.r, err)
		}
		if err != nil && !isKind(err, tc.kind) {
			t.Errorf("%+v: %v is not %s", tc.r, err, tc.kind)
		}
	}
}

func TestHistoryDiffs(t *testing.T) {
	ws := logged(t)
	a, err := ws.History(context.Background(), api.HistoryRequest{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ path, has, not string }{
		{"f", "-one\n+two\n", "bye"}, {"d/new", "+n\n", "two"}, {"gone", "-bye\n", "two"}, {"d/m", "rename to d/n\n", "bye"},
	} {
		e := entryOf(t, a, want.path)
		if !strings.Contains(e.Diff, want.has) || strings.Contains(e.Diff, want.not) {
			t.Errorf("%s: %q", want.path, e.Diff)
		}
	}
	for path, kept := range map[string]string{"gone": "bye\n", "d/m": "over\n"} {
		slot := filepath.Join(ws.Root(), ".emend/slots", entryOf(t, a, path).TrashedTo)
		if b, err := os.ReadFile(slot); err != nil || string(b) != kept {
			t.Errorf("%s: %s has %q, %v", path, slot, b, err)
		}
		os.Remove(slot)
		os.Remove(slot + ".old")
	}
	os.Remove(filepath.Join(ws.Root(), ".emend/slots", entryOf(t, a, "gone").Entry+".diff"))
	b, err := ws.History(context.Background(), api.HistoryRequest{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	if e := entryOf(t, b, "gone"); e.Diff != "" || e.TrashedTo != "" || !e.OK {
		t.Errorf("nothing is kept of it: %+v", e)
	}
}

// entryOf returns the entry of a path that succeeded.
func entryOf(t *testing.T, a *api.Answer[api.HistoryData], path string) api.LogEntry {
	t.Helper()
	for _, e := range a.Data.Entries {
		if e.Path == path && e.OK {
			return e
		}
	}
	t.Fatalf("no entry of %s", path)
	return api.LogEntry{}
}

// A file that may not be read now is not shown, even if a person allowed the change to it.
func TestHistoryKeepsSecrets(t *testing.T) {
	const secret = "hunter2"
	ws := emendtest.Workspace(t, "f", "one\n")
	open, err := emend.Open(ws.Root(), emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	emendtest.MustApply(t, open, api.Actor{}, "emend", "*** Begin Patch\n*** Add File: .env\n+"+secret+"\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n")
	a, err := ws.History(context.Background(), api.HistoryRequest{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	if e := entryOf(t, a, ".env"); e.Diff+e.AfterSha256 != "" || !strings.Contains(e.Message, "the diff is not shown") || strings.Contains(e.Message, secret) {
		t.Errorf("%+v", e)
	}
	if e := entryOf(t, a, "f"); !strings.Contains(e.Diff, "+two") {
		t.Errorf("%+v", e)
	}
	b, err := open.History(context.Background(), api.HistoryRequest{Diff: true})
	if err != nil || !strings.Contains(entryOf(t, b, ".env").Diff, secret) {
		t.Errorf("it is open there: %v", err)
	}
}

// The log has no word of the lines of a refused patch.
func TestLogHasNoContent(t *testing.T) {
	const canary = "canary-7f3a"
	ws := emendtest.Workspace(t, "f", "one\n"+canary+"-file\n")
	for _, text := range []string{
		canary,
		"*** Begin Patch\n*** Add File: .env\n" + canary + "\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n" + canary + "\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n@@\n " + canary + "\n-x\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n@@ " + canary + "\n-one\n+two\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n@@ " + canary + "\n+two\n*** End Patch\n",
		"*** Begin Patch\n*** Update File: f\n*** Environment ID: " + canary + "\n@@\n-one\n+two\n*** End Patch\n",
		"*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n" + canary,
		canary + "\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n",
	} {
		for _, d := range []string{"auto", "emend", "comma", "codex", "supyagent", "chimera"} {
			ws.Apply(context.Background(), text, api.PatchOptions{Dialect: d})
		}
	}
	ctx, now := context.Background(), fileSum("one\n"+canary+"-file\n")
	for _, edits := range [][]api.TextEdit{
		{{OldText: canary + "-not there", NewText: "x"}}, {{OldText: "a", NewText: canary}}, {{OldText: canary, NewText: canary, ExpectedOccurrences: -1}},
		{{OldText: canary, NewText: "x"}, {OldText: canary + "-file", NewText: "y"}}, {{NewText: canary}},
	} {
		ws.Edit(ctx, api.EditRequest{Path: "f", ExpectedSha256: now, Edits: edits})
		ws.Edit(ctx, api.EditRequest{Path: "f", ExpectedSha256: now, Edits: edits, Tolerance: canary})
	}
	ws.Write(ctx, api.WriteRequest{Path: "f", Content: canary, ExpectedSha256: canary})
	ws.Write(ctx, api.WriteRequest{Path: "f", Content: canary, ExpectedSha256: fileSum(canary)})
	ws.Create(ctx, api.CreateRequest{Path: "f", Content: canary})
	ws.Create(ctx, api.CreateRequest{Path: ".env", Content: canary})
	ws.Edit(ctx, api.EditRequest{Path: ".env", ExpectedSha256: now, Edits: []api.TextEdit{{OldText: canary, NewText: canary}}})
	log, err := os.ReadFile(filepath.Join(ws.Root(), ".emend/log/00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(log), `"kind":"failed"`); n < 30 {
		t.Errorf("%d refusals", n)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, canary) {
			t.Error(line)
		}
	}
}

// Entries say which entry undid them, also when undos are undone and undos fail.
func TestHistoryUndone(t *testing.T) {
	ws := logged(t)
	for _, records := range [][]audit.Record{
		decided(audit.Commit, "a"), decided(audit.Commit, "b"), decided(audit.Commit, "c"), decided(audit.Commit, "d"),
		aborted("failed", "a"),
		decided(audit.Undo, "ub", "b"),
		decided(audit.Undo, "uc", "c", "d"), decided(audit.Undo, "uuc", "uc"), decided(audit.Undo, "ud", "d"),
		{{Kind: audit.Commit, Tx: "taken", OK: true, Ops: []audit.Op{{Operation: "add", Path: "taken"}}}, {Kind: audit.Recovered, Tx: "taken", Message: "copied"}},
		{{Kind: audit.Commit, Tx: "finished", OK: true, Ops: []audit.Op{{Operation: "add", Path: "finished"}}}, {Kind: audit.Recovered, Tx: "finished", OK: true}},
		{{Kind: audit.Purge, OK: true, Ops: []audit.Op{{Operation: "purge", Path: "f"}}}},
		{{Kind: audit.Purge, OK: true}}, // of diffs and answers alone
	} {
		emendtest.AppendRecords(t, ws, records...)
	}
	a, err := ws.History(context.Background(), api.HistoryRequest{Since: "1h"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.Data.Entries[:13] {
		got = append(got, strings.Join([]string{report.StatusLetter(&e), e.Path, e.UndoneBy, e.ErrorKind, e.Message}, " "))
	}
	want := []string{"P    ", "P f   ", "A finished   ", "! taken  command_failed copied", "U ud   ", "U uuc   ", "U uc uuc  ", "U ub   ",
		"! failed  stale_file somebody saved it", "M d ud  ", "M c   ", "M b ub  ", "M a   "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if e := a.Data.Entries[0]; e.Entry != "#"+strconv.FormatUint(e.Seq, 10) {
		t.Errorf("a purge is asked for as %q", e.Entry)
	}
}

// A root below the top sees what is below it, by its own paths; a move across its border is an addition or a deletion.
func TestHistoryOfALowerRoot(t *testing.T) {
	ws := logged(t)
	emendtest.MustApply(t, ws, api.Actor{}, "emend", "*** Begin Patch\n*** Move File: e/x -> d/x\n*** End Patch\n")
	emendtest.MustApply(t, ws, api.Actor{}, "emend", "*** Begin Patch\n*** Move File: d/new -> e/new\n*** End Patch\n")
	below, err := emend.Open(filepath.Join(ws.Root(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	emendtest.MustApply(t, below, api.Actor{}, "emend", "*** Begin Patch\n*** Update File: n\n@@\n-M\n+N\n*** End Patch\n")
	refuse(t, below, "*** Begin Patch\n*** Update File: n\n@@\n-nosuch\n+x\n*** End Patch\n")
	want := "! n patch_apply_error\nM n \nD new \nA x \nR m -> n \nA new "
	if got := lines(t, below, api.HistoryRequest{}); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := lines(t, below, api.HistoryRequest{Path: "n"}); got != "! n patch_apply_error\nM n \nR m -> n " {
		t.Error(got)
	}
	if got := lines(t, ws, api.HistoryRequest{Path: "d/n"}); got != "! d/n patch_apply_error\nM d/n \nR d/m -> d/n " {
		t.Error(got)
	}
	a, err := below.History(context.Background(), api.HistoryRequest{Diff: true})
	if err != nil {
		t.Fatal(err)
	}
	if e := entryOf(t, a, "n"); !strings.Contains(e.Diff, "+N") {
		t.Errorf("%+v", e)
	}
	if e := entryOf(t, a, "m"); !strings.Contains(e.Diff, "+M") {
		t.Errorf("%+v", e)
	}
}

// A damaged record is noted, and the records around it are listed.
func TestHistoryOfADamagedLog(t *testing.T) {
	ws := logged(t)
	name := filepath.Join(ws.Root(), ".emend/log/00000001.jsonl")
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Replace(string(log), `"operation":"move"`, `"operation":"mOve"`, 1)
	if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // by who has it open, and by who opens it
		a, err := ws.History(context.Background(), api.HistoryRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(a.Data.Entries); got != 5 {
			t.Errorf("%d entries", got)
		}
		if len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "damaged") || !strings.Contains(a.Result().Text(), "\nNote: the log is damaged") {
			t.Errorf("%q\n%s", a.Notes, a.Result().Text())
		}
		if ws, err = emend.Open(ws.Root()); err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
	}
}

func TestHistoryWithoutAStore(t *testing.T) {
	ws := emendtest.Workspace(t, "f", "one\n")
	a, err := ws.History(context.Background(), api.HistoryRequest{})
	if err != nil || len(a.Data.Entries) != 0 || a.Data.Entries == nil || a.Result().Text() != "No entries." {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := os.Stat(filepath.Join(ws.Root(), ".emend")); err == nil {
		t.Error("asking made a store")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	<-ctx.Done()
	if _, err := logged(t).History(ctx, api.HistoryRequest{}); err == nil {
		t.Error("it does not stop")
	}
}

// A path of a request may lead through links: it matches where it leads and how it is spelled, relative to the base.
func TestHistoryPathsLead(t *testing.T) {
	ws := logged(t)
	if err := os.Symlink("d", filepath.Join(ws.Root(), "ln")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if got := lines(t, ws, api.HistoryRequest{Path: "ln/n"}); got != "R d/m -> d/n " {
		t.Errorf("through a link: %q", got)
	}
	for _, err := range []error{os.Rename(filepath.Join(ws.Root(), "d"), filepath.Join(ws.Root(), "was")), os.Symlink("was", filepath.Join(ws.Root(), "d"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := lines(t, ws, api.HistoryRequest{Path: "d/n"}); got != "R d/m -> d/n " {
		t.Errorf("by its old name, which is a link by now: %q", got)
	}
	based, err := emend.Open(ws.Root(), emend.Base("e"))
	if err != nil {
		t.Fatal(err)
	}
	defer based.Close()
	refuse(t, based, "*** Begin Patch\n*** Update File: x\n@@\n-nosuch\n+x\n*** End Patch\n")
	for _, ask := range []struct{ path, want string }{{"x", "! e/x patch_apply_error"}, {"../f", "! f patch_apply_error\nM f "}, {".", "! e/x patch_apply_error"}} {
		if got := lines(t, based, api.HistoryRequest{Path: ask.path}); got != ask.want {
			t.Errorf("%s from e: %q", ask.path, got)
		}
	}
}
