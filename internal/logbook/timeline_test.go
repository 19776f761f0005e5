package logbook_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
)

// pages asks for pages until the last, and joins them.
func pages(t *testing.T, ws *emend.Workspace, r api.TimelineRequest) (all []api.LoggedCall, asked int) {
	t.Helper()
	for {
		got, err := ws.Timeline(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Calls) > r.Limit && r.Limit > 0 {
			t.Fatalf("%d calls, want at most %d", len(got.Calls), r.Limit)
		}
		all, asked = append(all, got.Calls...), asked+1
		if got.Next == 0 {
			return all, asked
		}
		if r.Before > 0 && got.Next >= r.Before {
			t.Fatalf("before %d comes %d", r.Before, got.Next)
		}
		r.Before = got.Next
	}
}

// callText words a call in short.
func callText(c api.LoggedCall) string {
	return fmt.Sprintf("%s %s %s %s by=%s %d %s", c.Entry, c.Kind, c.SessionID, c.Outcome, c.UndoneBy, c.FileCount, c.Message)
}

// Pages of any size joined are the whole list: no call twice, none missing, each with its outcome.
func TestTimelinePagesAreTheWhole(t *testing.T) {
	t.Cleanup(audit.IndexEvery(100_000)) // so that pages begin on both sides of its end
	ws := emendtest.LongLog(t, 400)
	for _, r := range []api.TimelineRequest{
		{}, {SessionID: "s-0003"}, {Agent: "tester"}, {Client: "ci"}, {Tool: "undo"}, {Path: "internal/room07"}, {Text: "ROOM07/PART"}, {Text: "saved"},
		{Outcome: api.Done}, {Outcome: api.Refused}, {Outcome: api.Aborted}, {Outcome: api.Recovered}, {Outcome: api.Reverted}, {Outcome: api.Undone},
		{Since: time.Now().Add(-20 * 24 * time.Hour)}, {Until: time.Now().Add(-20 * 24 * time.Hour)}, {Agent: "docs", Outcome: api.Undone, Path: "internal"},
	} {
		r.Limit = 100_000
		whole, _ := pages(t, ws, r)
		if len(whole) == 0 {
			t.Errorf("%+v: nothing", r)
		}
		for _, limit := range []int{1, 7} {
			r.Limit, r.Look = limit, 1+limit*3
			joined, asked := pages(t, ws, r)
			same := slices.EqualFunc(whole, joined, func(a, b api.LoggedCall) bool { return callText(a) == callText(b) && len(a.Files) == len(b.Files) })
			if !same {
				t.Errorf("%+v: %d calls on %d pages, and %d on one", r, len(joined), asked, len(whole))
			}
		}
	}
}

// Show returns the same entry whether it finds it by an index or by reading the log.
func TestShowNearAndFar(t *testing.T) {
	t.Cleanup(audit.IndexEvery(50_000))
	ws := emendtest.LongLog(t, 300)
	index := filepath.Join(ws.Root(), ".emend/log/00000001.idx-part")
	whole, _ := pages(t, ws, api.TimelineRequest{Limit: 1000})
	for _, c := range whole {
		for _, name := range []string{c.Entry, fmt.Sprint("#", c.Seq)} {
			near, err := ws.Show(t.Context(), name)
			if err := os.Rename(index, index+".away"); err != nil {
				t.Fatal(err)
			}
			far, err2 := ws.Show(t.Context(), name)
			if err := os.Rename(index+".away", index); err != nil {
				t.Fatal(err)
			}
			if err != nil || err2 != nil || !reflect.DeepEqual(near.Data, far.Data) {
				t.Fatalf("%s: %+v, %v\nand without an index\n%+v, %v", name, near, err, far, err2)
			}
			if near.Data.Seq != c.Seq || near.Data.UndoneBy != c.UndoneBy || near.Data.Outcome != c.Outcome {
				t.Errorf("%s: %+v, and in the timeline %+v", name, near.Data, c)
			}
		}
	}
}

// Since and Until pick the same calls as a reader of the whole list would, and say what was undone later.
func TestTimelineBetween(t *testing.T) {
	ws := emendtest.LongLog(t, 2000)
	whole, _ := pages(t, ws, api.TimelineRequest{Limit: 10_000})
	since, until := time.Now().Add(-30*24*time.Hour), whole[len(whole)/2].Timestamp
	got, _ := pages(t, ws, api.TimelineRequest{Limit: 30, Since: since, Until: until})
	want := slices.DeleteFunc(whole, func(c api.LoggedCall) bool { return c.Timestamp.Before(since) || c.Timestamp.After(until) })
	if len(got) < 100 || !slices.EqualFunc(got, want, func(a, b api.LoggedCall) bool { return callText(a) == callText(b) }) {
		t.Errorf("%d calls, want %d", len(got), len(want))
	}
	by := emendtest.MustApply(t, ws, api.Actor{}, "emend", emendtest.Envelope("*** Add File: late", "+x"))
	emendtest.AppendRecords(t, ws, decided(audit.Undo, "late", got[0].Entry, by)...)
	now, err := ws.Timeline(t.Context(), api.TimelineRequest{Until: until, Limit: 1})
	if err != nil || now.Calls[0].Entry != got[0].Entry || got[0].Kind == "commit" && now.Calls[0].UndoneBy != "late" {
		t.Errorf("%+v, %v", now.Calls, err)
	}
}

// The timeline and the history agree on every entry.
func TestTimelineIsTheHistory(t *testing.T) {
	ws := emendtest.LongLog(t, 700)
	h, err := ws.History(t.Context(), api.HistoryRequest{Limit: -1})
	if err != nil {
		t.Fatal(err)
	}
	calls, _ := pages(t, ws, api.TimelineRequest{Limit: 33})
	var files []api.LogEntry
	for _, c := range calls {
		if len(c.Files) != c.FileCount {
			t.Errorf("%s: %d of %d files", c.Entry, len(c.Files), c.FileCount)
		}
		files = append(files, c.Files...)
	}
	same := slices.EqualFunc(files, h.Data.Entries, func(a, b api.LogEntry) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) })
	if !same {
		t.Errorf("%d files, and %d entries", len(files), len(h.Data.Entries))
	}
}

// outcomes returns the first path and the outcome of each call.
func outcomes(t *testing.T, ws *emend.Workspace, r api.TimelineRequest) string {
	t.Helper()
	calls, _ := pages(t, ws, r)
	var out []string
	for _, c := range calls {
		path := "-"
		if len(c.Files) > 0 {
			path = c.Files[0].Path
		}
		out = append(out, path+" "+string(c.Outcome))
	}
	return strings.Join(out, ", ")
}

func TestTimelineOutcomes(t *testing.T) {
	ws := logged(t)
	for _, records := range [][]audit.Record{
		decided(audit.Commit, "a"), decided(audit.Commit, "b"), decided(audit.Commit, "c"), decided(audit.Commit, "d"),
		aborted("failed", "a"),
		decided(audit.Undo, "ub", "b"),
		decided(audit.Undo, "uc", "c", "d"), decided(audit.Undo, "uuc", "uc"), decided(audit.Undo, "ud", "d"),
		{{Kind: audit.Commit, Tx: "taken", OK: true, Ops: []audit.Op{{Operation: "add", Path: "taken"}}}, {Kind: audit.Failed, ErrorKind: "x", Ops: []audit.Op{{Path: "between"}}},
			{Kind: audit.Recovered, Tx: "taken", Message: "copied"}},
		{{Kind: audit.Commit, Tx: "finished", OK: true, Ops: []audit.Op{{Operation: "add", Path: "finished"}}}, {Kind: audit.Recovered, Tx: "finished", OK: true}},
		{{Kind: audit.Purge, OK: true, Ops: []audit.Op{{Operation: "purge", Path: "f"}}}},
	} {
		emendtest.AppendRecords(t, ws, records...)
	}
	const want = "f done, finished recovered, between refused, taken reverted, ud done, uuc done, uc undone, ub done, failed aborted, d undone, c done, b undone, a done, " +
		".env refused, f refused, d/m done, f done"
	for _, r := range []api.TimelineRequest{{}, {Limit: 1}, {Limit: 2}, {Limit: 3, Look: 2}, {Limit: 50, Look: 1}} {
		if got := outcomes(t, ws, r); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", r, got, want)
		}
	}
	for outcome, want := range map[api.Outcome]string{
		api.Aborted: "failed aborted", api.Reverted: "taken reverted", api.Recovered: "finished recovered", api.Undone: "uc undone, d undone, b undone",
		api.Refused: "between refused, .env refused, f refused",
	} {
		if got := outcomes(t, ws, api.TimelineRequest{Outcome: outcome, Limit: 1}); got != want {
			t.Errorf("%s: %s, want %s", outcome, got, want)
		}
	}
}

// crashed changes f and g, and leaves the store as a crash after the commit point does: before the change was in the tree, or,
// with done, when only the record of its end is missing.
func crashed(t *testing.T, ws *emend.Workspace, done bool) (tx string) {
	t.Helper()
	tx = emendtest.MustApply(t, ws, api.Actor{}, "emend", emendtest.Envelope("*** Update File: f", "@@", "-one", "+two", "*** Update File: g", "@@", "-one", "+two"))
	log := filepath.Join(ws.Root(), ".emend/log/00000001.jsonl")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	mark := strings.LastIndex(strings.TrimSuffix(string(text), "\n"), "\n") + 1
	if !strings.Contains(string(text[mark:]), `"kind":"applied"`) {
		t.Fatalf("the log ends with %s", text[mark:])
	}
	steps := []error{os.Truncate(log, int64(mark))}
	for _, name := range []string{"f", "g"} {
		if done {
			break
		}
		_, after, _ := strings.Cut(string(text[:mark]), `"path":"`+name+`","slot":`)
		n, _, _ := strings.Cut(after, ",")
		file, slot := filepath.Join(ws.Root(), name), filepath.Join(ws.Root(), ".emend/slots", tx+"."+cmp.Or(n, "0"))
		steps = append(steps, os.Rename(file, file+".new"), os.Rename(slot, file), os.Rename(file+".new", slot))
	}
	for _, err := range steps {
		if err != nil {
			t.Fatal(err)
		}
	}
	return tx
}

// A change that a crash interrupted is listed by how a later process ended it.
func TestTimelineAfterCrashes(t *testing.T) {
	for _, tc := range []struct {
		name string
		done bool
		then func(ws *emend.Workspace, tx string) error
		want api.Outcome
	}{
		{"before the mark", true, nil, api.Recovered},
		{"before the files", false, nil, api.Recovered},
		{"somebody saved a file", false, func(ws *emend.Workspace, _ string) error {
			return os.WriteFile(filepath.Join(ws.Root(), "f"), []byte("mine\n"), 0o644)
		}, api.Reverted},
		{"while it was taken back", false, func(ws *emend.Workspace, tx string) error {
			return os.WriteFile(filepath.Join(ws.Root(), ".emend/slots", tx+".back"), nil, 0o600)
		}, api.Reverted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ws := emendtest.Workspace(t, "f", "one\n", "g", "one\n")
			tx := crashed(t, ws, tc.done)
			if tc.then != nil {
				if err := tc.then(ws, tx); err != nil {
					t.Fatal(err)
				}
			}
			after := emendtest.Open(t, ws.Root())
			if _, err := after.Host().Recovered(); err != nil {
				t.Fatal(err)
			}
			got, err := after.Timeline(t.Context(), api.TimelineRequest{})
			if err != nil || len(got.Calls) != 1 || got.Calls[0].Entry != tx || got.Calls[0].Outcome != tc.want {
				t.Fatalf("%+v, %v, want %s", got, err, tc.want)
			}
			e := got.Calls[0].Files[0]
			if ended := map[api.Outcome]string{api.Reverted: "abort"}[tc.want]; e.Ended != cmp.Or(ended, "recovered") || e.OK != (tc.want == api.Recovered) {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A search does not find what is not shown: it would give away a protected file, letter by letter.
func TestTimelineKeepsSecrets(t *testing.T) {
	ws := logged(t)
	const secret = "hunter2"
	emendtest.AppendRecords(t, ws,
		audit.Record{Kind: audit.Failed, ErrorKind: "patch_apply_error", Message: `.env:1: found "` + secret + `" instead`, Ops: []audit.Op{{Operation: "update", Path: "f"}, {Operation: "update", Path: ".env"}}},
		audit.Record{Kind: audit.Commit, Tx: "t", OK: true, Ops: []audit.Op{{Operation: "update", Path: ".env", Before: fileSum(secret), After: fileSum("x"), Hunks: []audit.Hunk{{Line: 1, Rung: "exact"}}}}},
		audit.Record{Kind: audit.Applied, Tx: "t", OK: true})
	open, err := emend.Open(ws.Root(), emend.AllowProtected(".env"))
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, text := range []string{secret, "hunt", fileSum(secret), fileSum("x")[:8], "sha256", "exact", ".env:1: found \"h"} {
		got, err := ws.Timeline(t.Context(), api.TimelineRequest{Text: text})
		if err != nil || len(got.Calls) > 0 {
			t.Errorf("%q is found: %+v, %v", text, got, err)
		}
	}
	if got, err := open.Timeline(t.Context(), api.TimelineRequest{Text: "HUNTER2"}); err != nil || len(got.Calls) != 1 {
		t.Errorf("where it may be read: %+v, %v", got, err)
	}
	got, err := ws.Timeline(t.Context(), api.TimelineRequest{Path: ".env"})
	if err != nil || len(got.Calls) != 3 {
		t.Fatalf("by its name: %+v, %v", got, err)
	}
	if all := fmt.Sprintf("%+v", got); strings.Contains(all, secret) || strings.Contains(all, fileSum(secret)) || strings.Contains(all, fileSum("x")) {
		t.Error(all)
	}
}

// The files at the path of the request come first, then the others; a long list is cut.
func TestTimelineFiles(t *testing.T) {
	ws := logged(t)
	var ops []audit.Op
	for n := range 50 {
		ops = append(ops, audit.Op{Operation: "update", Path: fmt.Sprintf("many/f%02d", n)})
	}
	emendtest.AppendRecords(t, ws, audit.Record{Kind: audit.Commit, Tx: "many", OK: true, Ops: ops}, audit.Record{Kind: audit.Applied, Tx: "many", OK: true})
	got, err := ws.Timeline(t.Context(), api.TimelineRequest{Path: "many/f33"})
	if err != nil || len(got.Calls) != 1 || got.Calls[0].FileCount != 50 || len(got.Calls[0].Files) != 20 || got.Calls[0].Files[0].Path != "many/f33" || got.Calls[0].Files[1].Path != "many/f00" {
		t.Errorf("%+v, %v", got, err)
	}
	below, err := emend.Open(filepath.Join(ws.Root(), "d"))
	if err != nil {
		t.Fatal(err)
	}
	defer below.Close()
	if got := outcomes(t, below, api.TimelineRequest{Limit: 1}); got != "m done, new done" {
		t.Errorf("of a root further down: %s", got)
	}
	if got := outcomes(t, below, api.TimelineRequest{Path: "n"}); got != "m done" {
		t.Errorf("of a file there: %s", got)
	}
}

func TestTimelineWithoutAStore(t *testing.T) {
	ws := emendtest.Workspace(t, "f", "one\n")
	got, err := ws.Timeline(t.Context(), api.TimelineRequest{Before: 7})
	if err != nil || len(got.Calls) > 0 || got.Next != 0 || got.Head != (api.Head{}) {
		t.Errorf("%+v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := logged(t).Timeline(ctx, api.TimelineRequest{}); err == nil {
		t.Error("it does not stop")
	}
}

// A damaged record is noted, and the calls around it are listed, wherever a page begins.
func TestTimelineOfADamagedLog(t *testing.T) {
	ws := logged(t)
	name := filepath.Join(ws.Root(), ".emend/log/00000001.jsonl")
	log, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(log), `"operation":"move"`, `"operation":"mOve"`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []api.TimelineRequest{{}, {Limit: 1}, {Look: 1}} {
		if got := outcomes(t, ws, r); got != ".env refused, f refused, f done" {
			t.Errorf("%+v: %s", r, got)
		}
	}
	got, err := ws.Timeline(t.Context(), api.TimelineRequest{})
	if err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "damaged") {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzTimeline: whatever the log has, pages of any size joined are the whole list, and it agrees with the history.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte("cacaufcrcfRuaca"), uint8(1), uint8(3))
	f.Add([]byte("cauauaua"), uint8(2), uint8(1))
	f.Cleanup(audit.IndexEvery(2000)) // so that pages begin on both sides of its end
	f.Fuzz(func(t *testing.T, happened []byte, limit, look uint8) {
		ws := emendtest.Workspace(t, "f", "one\n")
		refuse(t, ws, "x")
		emendtest.AppendRecords(t, ws, recordsOf(happened[:min(len(happened), 20)])...)
		whole, _ := pages(t, ws, api.TimelineRequest{Limit: 1000})
		joined, _ := pages(t, ws, api.TimelineRequest{Limit: int(limit%9) + 1, Look: int(look)})
		if !slices.EqualFunc(whole, joined, func(a, b api.LoggedCall) bool { return callText(a) == callText(b) }) {
			t.Errorf("%v\nwant\n%v", joined, whole)
		}
		h, err := ws.History(t.Context(), api.HistoryRequest{Limit: -1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(whole, h.Data.Entries, func(c api.LoggedCall, e api.LogEntry) bool { return c.Entry == e.Entry && c.UndoneBy == e.UndoneBy }) {
			t.Errorf("%v\nwant\n%v", whole, h.Data.Entries)
		}
	})
}

// recordsOf makes records of letters: c is a commit, u undoes the transaction of the next letter, f and d are refusals; a, b, r
// and R end the last transaction as applied, aborted, finished by a recovery, or taken back by one.
func recordsOf(letters []byte) (out []audit.Record) {
	ended, txs := true, []string{}
	for i := 0; i < len(letters); i++ {
		r := audit.Record{Tx: fmt.Sprint("tx", i), OK: true, Ops: []audit.Op{{Operation: "update", Path: "f"}}}
		end := map[byte]audit.Record{'a': {Kind: audit.Applied, OK: true}, 'b': {Kind: audit.Abort}, 'r': {Kind: audit.Recovered, OK: true}, 'R': {Kind: audit.Recovered}}[letters[i]]
		switch {
		case end.Kind != "" && !ended:
			end.Tx, ended, r = txs[len(txs)-1], true, end
		case letters[i] == 'c' && ended:
			r.Kind = audit.Commit
		case letters[i] == 'u' && ended && len(txs) > 0 && i+1 < len(letters):
			i++
			r.Kind, r.Undoes = audit.Undo, []string{txs[int(letters[i])%len(txs)]}
		case letters[i] == 'f':
			r = audit.Record{Kind: audit.Failed}
		case letters[i] == 'd':
			r = audit.Record{Kind: audit.Denied}
		default:
			continue
		}
		if r.Kind == audit.Commit || r.Kind == audit.Undo {
			ended, txs = false, append(txs, r.Tx)
		}
		out = append(out, r)
	}
	return out
}
