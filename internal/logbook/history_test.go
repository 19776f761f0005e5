package logbook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// made is a workspace with some of everything in its log.
func made(t *testing.T) *emend.Workspace {
	t.Helper()
	ws := emendtest.Workspace(t, "f", "one\n", "gone", "bye\n", "d/m", "m\n", "d/n", "over\n", "e/x", "x\n")
	emendtest.MustApply(t, ws, api.Actor{Session: "s1", Agent: "alice", Tool: "t"}, "emend",
		"*** Begin Patch\n*** Update File: f\n@@\n-one\n+two\n*** Add File: d/new\n+n\n*** Delete File: gone\n*** End Patch\n")
	emendtest.MustApply(t, ws, api.Actor{Session: "s2", Agent: "bob"}, "codex",
		"*** Begin Patch\n*** Update File: d/m\n*** Move to: d/n\n@@\n-m\n+M\n*** End Patch\n")
	refuse(t, ws, "*** Begin Patch\n*** Update File: f\n@@\n-nosuch\n+x\n*** End Patch\n")
	refuse(t, ws, "*** Begin Patch\n*** Add File: .env\n+SECRET\n*** End Patch\n")
	return ws
}

func refuse(t *testing.T, ws *emend.Workspace, text string) {
	t.Helper()
	if _, err := ws.Apply(context.Background(), text, api.PatchOptions{}); err == nil {
		t.Fatal("applied")
	}
}

// lines asks and returns, of each entry, letter, path and outcome.
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
	ws := made(t)
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
	if ok := regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ  [-0-9a-z]+  \S*/\S*/\S*  D  gone  ok$`); !ok.MatchString(a.Result().Text()) {
		t.Error(a.Result().Text())
	}
}

func TestHistoryRefuses(t *testing.T) {
	ws := made(t)
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

func isKind(err error, k fail.Kind) bool {
	r, ok := err.(*emend.Refusal)
	return ok && len(r.Failures()) > 0 && r.Failures()[0].Kind == k
}

func TestHistoryDiffs(t *testing.T) {
	ws := made(t)
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

// entryOf is the good entry of a path.
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

// What is protected from reading now is not shown, though it was opened for the change.
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

// No word of a refused patch's lines is in the log.
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

// decided is a transaction that was finished well.
func decided(kind audit.Kind, tx string, undoes ...string) []audit.Record {
	return []audit.Record{{Kind: kind, Tx: tx, OK: true, Undoes: undoes, Ops: []audit.Op{{Operation: "update", Path: tx}}},
		{Kind: audit.Applied, Tx: tx, OK: true}}
}

func aborted(tx string, undoes ...string) []audit.Record {
	return []audit.Record{decided(audit.Undo, tx, undoes...)[0], {Kind: audit.Abort, Tx: tx, ErrorKind: "stale_file", Message: "somebody saved it"}}
}

// What is undone, by what, when undoes are undone and undoes fail.
func TestHistoryUndone(t *testing.T) {
	ws := made(t)
	for _, records := range [][]audit.Record{
		decided(audit.Commit, "a"), decided(audit.Commit, "b"), decided(audit.Commit, "c"), decided(audit.Commit, "d"),
		aborted("failed", "a"),
		decided(audit.Undo, "ub", "b"),
		decided(audit.Undo, "uc", "c", "d"), decided(audit.Undo, "uuc", "uc"), decided(audit.Undo, "ud", "d"),
		{{Kind: audit.Commit, Tx: "taken", OK: true, Ops: []audit.Op{{Operation: "add", Path: "taken"}}}, {Kind: audit.Recovered, Tx: "taken", Message: "copied"}},
		{{Kind: audit.Commit, Tx: "finished", OK: true, Ops: []audit.Op{{Operation: "add", Path: "finished"}}}, {Kind: audit.Recovered, Tx: "finished", OK: true}},
		{{Kind: audit.Purge, OK: true, Ops: []audit.Op{{Operation: "purge", Path: "f"}}}},
	} {
		emendtest.AppendRecords(t, ws, records...)
	}
	a, err := ws.History(context.Background(), api.HistoryRequest{Since: "1h"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range a.Data.Entries[:12] {
		got = append(got, strings.Join([]string{report.StatusLetter(&e), e.Path, e.UndoneBy, e.ErrorKind, e.Message}, " "))
	}
	want := []string{"P f   ", "A finished   ", "! taken  command_failed copied", "U ud   ", "U uuc   ", "U uc uuc  ", "U ub   ",
		"! failed  stale_file somebody saved it", "M d ud  ", "M c   ", "M b ub  ", "M a   "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if e := a.Data.Entries[0]; e.Entry != "#"+strconv.FormatUint(e.Seq, 10) {
		t.Errorf("a purge is asked for as %q", e.Entry)
	}
}

// A root further down sees what is below it, by its own paths; a move over its border is an add or a delete.
func TestHistoryOfALowerRoot(t *testing.T) {
	ws := made(t)
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

// A damage in the middle is said, and what is around it is shown.
func TestHistoryOfADamagedLog(t *testing.T) {
	ws := made(t)
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
	if _, err := made(t).History(ctx, api.HistoryRequest{}); err == nil {
		t.Error("it does not stop")
	}
}

// follow starts to follow and returns what it tells, letter and path of each entry, and notes.
func follow(t *testing.T, ws *emend.Workspace, r api.HistoryRequest) (next func() string, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	told, end := make(chan string, 100), make(chan error, 1)
	go func() {
		end <- ws.Follow(ctx, r, func(entries []api.LogEntry, notes []string) error {
			for _, e := range entries {
				told <- report.StatusLetter(&e) + " " + report.EntryPath(&e)
			}
			for _, n := range notes {
				told <- n
			}
			return nil
		})
	}()
	next = func() string {
		select {
		case s := <-told:
			return s
		case err := <-end:
			return "ended: " + errorText(err)
		case <-time.After(20 * time.Second):
			return "nothing"
		}
	}
	return next, func() {
		cancel()
		if err := <-end; err != nil {
			t.Error(err)
		}
		if len(told) > 0 {
			t.Errorf("told as well: %q", <-told)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return "well"
	}
	return err.Error()
}

func expect(t *testing.T, next func() string, want ...string) {
	t.Helper()
	for _, w := range want {
		if got := next(); !strings.HasPrefix(got, w) {
			t.Fatalf("told %q, want %q", got, w)
		}
	}
}

func fileSum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// What is there comes first, the oldest first, then what comes; also where there is no store yet.
func TestFollow(t *testing.T) {
	next, stop := follow(t, made(t), api.HistoryRequest{Limit: 4})
	expect(t, next, "M f", "R d/m -> d/n", "! f", "! .env")
	stop()

	ws := emendtest.Workspace(t, "f", "one\n", "g", "one\n")
	next, stop = follow(t, ws, api.HistoryRequest{Path: "f"})
	emendtest.MustApply(t, ws, api.Actor{}, "emend", "*** Begin Patch\n*** Update File: g\n@@\n-one\n+two\n*** Update File: f\n@@\n-one\n+two\n*** End Patch\n")
	expect(t, next, "M f")
	refuse(t, ws, "*** Begin Patch\n*** Update File: f\n@@\n-nosuch\n+x\n*** End Patch\n")
	expect(t, next, "! f")
	stop()
}

// A change that is taken back after it was told is told again.
func TestFollowTakenBack(t *testing.T) {
	ws := made(t)
	next, stop := follow(t, ws, api.HistoryRequest{Limit: 1})
	expect(t, next, "! .env")
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Commit, Tx: "a", OK: true, Ops: []audit.Op{{Operation: "add", Path: "a"}}})
	expect(t, next, "A a")
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Abort, Tx: "a", ErrorKind: "stale_file"})
	expect(t, next, "! a")
	emendtest.AppendRecords(t, ws, decided(audit.Undo, "u", "b")...)
	expect(t, next, "U u")
	stop()
}

// A log that is put back is noticed.
func TestFollowReplacedLog(t *testing.T) {
	ws := made(t)
	name := filepath.Join(ws.Root(), ".emend/log/00000001.jsonl")
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	next, stop := follow(t, ws, api.HistoryRequest{Limit: 1})
	expect(t, next, "! .env")
	if err := os.WriteFile(name, log[:strings.Index(string(log), "\n")+1], 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, next, "The log is another one now, after record 1")
	refuse(t, ws, "*** Begin Patch\n*** Update File: d/n\n@@\n-nosuch\n+x\n*** End Patch\n")
	expect(t, next, "! d/n")
	other, err := os.ReadFile(filepath.Join(made(t).Root(), ".emend/log/00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, other, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, next, "The log is another one now, after record 7")
	stop()
}

// Who asks cannot forge a line, nor control a terminal.
func TestEntryLine(t *testing.T) {
	e := api.LogEntry{SessionID: "a\n2026", AgentName: "\x1b[31m", Path: "x\u202ey\n#1", Operation: "add", OK: true}
	if got, want := report.EntryLine(&e), `0001-01-01T00:00:00Z    a\n2026/\x1b[31m/-  A  x\u202ey\n#1  ok`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestShow(t *testing.T) {
	ws := made(t)
	ctx := context.Background()
	h, err := ws.History(ctx, api.HistoryRequest{Path: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	tx := h.Data.Entries[0].Entry
	for _, name := range []string{tx, tx[:len(tx)-3], "#2", "2", "3"} { // 3 is the mark that it was applied
		a, err := ws.Show(ctx, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := a.Data
		if d.Entry != tx || d.Seq != 2 || !d.OK || d.End != "applied" || len(d.Files) != 3 || len(d.Kept) != 2 || d.AgentName != "alice" {
			t.Errorf("%s: %+v", name, d)
		}
	}
	for _, name := range []string{"", "#", "#0", "0", "1", "#1", "99", "20260101", "#18446744073709551616", "x", tx[:5]} {
		if a, err := ws.Show(ctx, name); err == nil || !isKind(err, fail.NotFound) {
			t.Errorf("%q: %+v, %v", name, a, err)
		}
	}
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Purge, Tx: tx, OK: true, Ops: []audit.Op{{Operation: "purge", Path: "gone"}}})
	for name, kind := range map[string]string{tx: "commit", tx[:len(tx)-3]: "commit", "#8": "purge"} {
		if a, err := ws.Show(ctx, name); err != nil || a.Data.Kind != kind {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
	}
	below, err := emend.Open(filepath.Join(ws.Root(), "e"))
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	if _, err := below.Show(ctx, tx); err == nil {
		t.Error("an entry of which nothing is below the root is shown")
	}
}

// The last state of every path, whatever led to it, and through aborted and recovered changes.
func TestVerifyFiles(t *testing.T) {
	ws := made(t)
	ctx := context.Background()
	check := func(want string) {
		t.Helper()
		v, err := ws.Verify(ctx)
		if err != nil || !v.OK {
			t.Fatalf("%+v, %v", v, err)
		}
		var got []string
		for _, f := range v.Files {
			got = append(got, f.Path+" "+string(f.State))
		}
		if s := strings.Join(got, ", "); s != want || v.Same+len(got) != 5 {
			t.Errorf("%d and %q, want %q", v.Same, s, want)
		}
	}
	check("")
	emendtest.AppendRecords(t, ws, aborted("f")...)
	check("")
	at := func(name string) string { return filepath.Join(ws.Root(), filepath.FromSlash(name)) }
	for _, err := range []error{os.WriteFile(at("f"), []byte("other\n"), 0o644), os.Mkdir(at("gone"), 0o755), os.Remove(at("d/new")),
		os.WriteFile(at("d/m"), nil, 0o644), os.Remove(at("d/n")), os.Symlink("/etc/passwd", at("d/n"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	check("d/m back, d/n changed, d/new gone, f changed, gone back")
	if err := os.RemoveAll(at("d")); err != nil {
		t.Fatal(err)
	}
	check("d/n gone, d/new gone, f changed, gone back")
	if err := os.WriteFile(at("d"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	check("d/n gone, d/new gone, f changed, gone back")
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Commit, Tx: "t", OK: true, Ops: []audit.Op{{Operation: "update", Path: "gone", After: "x"}, {Operation: "delete", Path: "gone"},
		{Operation: "move", Path: "f", ToPath: "e/x"}, {Operation: "move", Path: "e/x", ToPath: "f", After: fileSum("other\n")}}})
	if err := os.Remove(at("gone")); err != nil {
		t.Fatal(err)
	}
	v, err := ws.Verify(ctx)
	if err != nil || len(v.Files) != 3 || v.Files[2].Path != "e/x" || v.Files[2].State != api.FileBack {
		t.Errorf("several changes of a path in one: %+v, %v", v, err)
	}
	denied, err := emend.Open(ws.Root(), emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer denied.Close()
	emendtest.MustApply(t, denied, api.Actor{}, "emend", "*** Begin Patch\n*** Add File: .env\n+SECRET\n*** End Patch\n")
	v, err = ws.Verify(ctx)
	if err != nil || len(v.Files) == 0 || v.Files[0].Path != ".env" || v.Files[0].State != api.FileUnknown || v.Files[0].Expected != "" {
		t.Errorf("%+v, %v", v, err)
	}
}

// A path may lead through links, and is asked for by where it leads and by what it says; it is relative to the base.
func TestHistoryPathsLead(t *testing.T) {
	ws := made(t)
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
