package logbook_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/emend-dev/emend/internal/emendtest"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
)

// countCalls counts the calls that the timeline lists.
func countCalls(t *testing.T, ws *emend.Workspace) (hours map[int64]api.Count, sessions map[string]api.Count, calls int) {
	t.Helper()
	hours, sessions = map[int64]api.Count{}, map[string]api.Count{}
	all, _ := pages(t, ws, api.TimelineRequest{Limit: 1 << 20, Look: 1 << 30})
	for _, c := range all {
		h, s := hours[c.Timestamp.Unix()/3600], sessions[c.SessionID]
		for _, n := range []*api.Count{&h, &s} {
			switch c.Outcome {
			case api.Refused, api.Aborted, api.Reverted:
				n.Refused++
			case api.Undone:
				n.Undone++
			default:
				n.Done++
			}
		}
		hours[c.Timestamp.Unix()/3600], sessions[c.SessionID] = h, s
	}
	delete(sessions, "")
	return hours, sessions, len(all)
}

// checkTally compares a tally with the timeline.
func checkTally(t *testing.T, ws *emend.Workspace, tally *api.Tally, when string) {
	t.Helper()
	hours, sessions, calls := countCalls(t, ws)
	got := map[string]api.Count{}
	for _, s := range tally.Sessions {
		got[s.ID] = s.Count
	}
	if !maps.Equal(hours, tally.Hours) || !maps.Equal(sessions, got) || calls != tally.Calls {
		t.Fatalf("%s: %d calls, want %d\n%v\n%v\n%v\n%v", when, tally.Calls, calls, tally.Hours, hours, got, sessions)
	}
}

func refresh(t *testing.T, ws *emend.Workspace, tally *api.Tally) {
	t.Helper()
	if err := ws.Host().Tally(t.Context(), tally); err != nil {
		t.Fatal(err)
	}
}

// A tally, counted at once or in pieces, agrees with the timeline, whatever is undone, aborted and recovered in between.
func TestTallyIsTheTimeline(t *testing.T) {
	ws := emendtest.LongLog(t, 200)
	tally := new(api.Tally)
	refresh(t, ws, tally)
	checkTally(t, ws, tally, "at first")
	r := rand.New(rand.NewPCG(3, 4))
	var known []string // transactions
	pending := ""
	for n := range 150 {
		for range r.IntN(4) {
			by := audit.Actor{Session: fmt.Sprint("s", r.IntN(5)), Agent: "a", Client: "c", Tool: "t"}
			if pending != "" {
				emendtest.AppendRecords(t, ws, audit.Record{Kind: []audit.Kind{audit.Applied, audit.Abort, audit.Recovered}[r.IntN(3)], Tx: pending, OK: r.IntN(2) == 0})
				pending = ""
				continue
			}
			rec := audit.Record{Kind: audit.Commit, Tx: fmt.Sprint("tx", n, "-", len(known)), Actor: by, OK: true, Ops: []audit.Op{{Operation: "update", Path: "f"}}}
			switch r.IntN(5) {
			case 0:
				rec.Kind, rec.Tx = audit.Failed, ""
			case 1, 2:
				if len(known) > 0 {
					rec.Kind, rec.Undoes = audit.Undo, []string{known[r.IntN(len(known))]}
					if r.IntN(2) == 0 {
						rec.Undoes, rec.Parts = nil, []audit.Part{{Entry: rec.Undoes[0], Path: "f", Hunks: []int{1 + r.IntN(2)}, Of: 2, Files: 1}}
					}
				}
			}
			emendtest.AppendRecords(t, ws, rec)
			if rec.Tx != "" {
				pending = rec.Tx
				known = append(known, rec.Tx)
			}
		}
		if r.IntN(3) == 0 {
			refresh(t, ws, tally)
			checkTally(t, ws, tally, fmt.Sprint("after ", n))
		}
	}
	if !slices.Contains(tally.Agents, "a") || !slices.IsSorted(tally.Agents) || !slices.Contains(tally.Clients, "ci") || !slices.Contains(tally.Tools, "undo") {
		t.Errorf("%q %q %q", tally.Agents, tally.Clients, tally.Tools)
	}
	if !slices.IsSortedFunc(tally.Sessions, func(a, b api.SessionCount) int { return b.Last.Compare(a.Last) }) || tally.Sessions[0].First.After(tally.Sessions[0].Last) {
		t.Errorf("%+v", tally.Sessions[:3])
	}
}

// A log that was replaced, by an older or by another one, is counted anew. Without a store there is nothing to count.
func TestTallyOfAnotherLog(t *testing.T) {
	ws := emendtest.Workspace(t, "f", "one\n")
	tally := new(api.Tally)
	refresh(t, ws, tally)
	if tally.Calls != 0 {
		t.Errorf("%+v", tally)
	}
	refuse(t, ws, emendtest.Envelope("*** Update File: f", "@@", "-nosuch", "+x"))
	refresh(t, ws, tally)
	checkTally(t, ws, tally, "one call")
	name := filepath.Join(ws.Root(), ".emend/log/00000001.jsonl")
	was, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	emendtest.MustApply(t, ws, api.Actor{}, "emend", emendtest.Envelope("*** Update File: f", "@@", "-one", "+two"))
	refresh(t, ws, tally)
	checkTally(t, ws, tally, "two calls")
	other, err := os.ReadFile(filepath.Join(logged(t).Root(), ".emend/log/00000001.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for when, log := range map[string][]byte{"an older one": was, "another one": other} {
		if err := os.WriteFile(name, log, 0o600); err != nil {
			t.Fatal(err)
		}
		refresh(t, ws, tally)
		checkTally(t, ws, tally, when)
	}
	if len(tally.Notes) == 0 {
		t.Error("nobody is told")
	}
}

// An update that is cancelled changes nothing.
func TestTallyCutShort(t *testing.T) {
	ws := logged(t)
	tally := new(api.Tally)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ws.Host().Tally(ctx, tally); err == nil || tally.Calls != 0 || len(tally.Hours) > 0 {
		t.Errorf("%v, %+v", err, tally)
	}
	refresh(t, ws, tally)
	checkTally(t, ws, tally, "after it")
}
