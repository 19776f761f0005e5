package logbook

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// randomRecords returns transactions of every outcome, one after the other or in groups, and refusals between them.
func randomRecords(rnd *rand.Rand) (out []*audit.Record) {
	ops := []string{patch.Add.String(), patch.Update.String(), patch.Delete.String(), patch.Move.String()}
	for i := range 40 {
		if i%4 == 0 {
			group := 1 + rnd.IntN(3) // changes of different files
			for k := range group {
				out = append(out, &audit.Record{Kind: audit.Commit, Tx: fmt.Sprint("g", i, k), Group: group - 1 - k,
					Ops: []audit.Op{{Operation: patch.Update.String(), Path: fmt.Sprint(k), After: fmt.Sprint("after g", i, k)}}})
			}
			for _, k := range rnd.Perm(group)[:rnd.IntN(group+1)] {
				out = append(out, &audit.Record{Kind: []audit.Kind{audit.Applied, audit.Abort}[rnd.IntN(2)], Tx: fmt.Sprint("g", i, k)})
			}
		}
		tx := fmt.Sprint("t", i)
		r := &audit.Record{Kind: audit.Commit, Tx: tx}
		for range 1 + rnd.IntN(3) {
			r.Ops = append(r.Ops, audit.Op{Operation: ops[rnd.IntN(4)], Path: fmt.Sprint(rnd.IntN(6)), ToPath: fmt.Sprint(rnd.IntN(6)),
				Before: "before" + tx, After: []string{"", "after" + tx}[rnd.IntN(2)]})
		}
		out = append(out, r)
		if rnd.IntN(3) == 0 {
			out = append(out, &audit.Record{Kind: audit.Denied})
		}
		if kind := []audit.Kind{audit.Applied, audit.Abort, audit.Recovered, ""}[rnd.IntN(4)]; kind != "" {
			out = append(out, &audit.Record{Kind: kind, Tx: tx, OK: rnd.IntN(2) == 0})
		}
	}
	return out
}

// What the log has last of each file is the same from its beginning, as verify reads it, and from its end, where every
// outcome is known before its transaction.
func TestLastStates(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		records := randomRecords(rnd)
		got := lastStates{rd: &Reader{Paths: workspace.Paths{Prefix: "."}}, files: map[string]lastState{}}
		for _, r := range records {
			got.add(r)
		}
		got.settleAll()
		o, want := NewOutcomes(), map[string]lastState{}
		for _, r := range slices.Backward(records) {
			if o.Add(nil, r); !IsTransaction(r) || o.Failed(r) != nil {
				continue
			}
			left := func(p, sum string) {
				if _, newer := want[p]; !newer {
					want[p] = lastState{r.Tx, sum}
				}
			}
			unknown := lastState{}
			for _, op := range slices.Backward(r.Ops) {
				switch op.Operation {
				case patch.Delete.String():
					left(op.Path, "")
				case patch.Move.String():
					left(op.ToPath, cmp.Or(op.After, op.Before))
					left(op.Path, "")
				default:
					if _, newer := want[op.Path]; !newer && op.After == "" { // no look could read it
						want[op.Path] = unknown
					}
					left(op.Path, op.After)
				}
			}
		}
		maps.DeleteFunc(want, func(_ string, s lastState) bool { return s == lastState{} })
		if !maps.Equal(got.files, want) {
			t.Fatalf("from the beginning %v\nfrom the end %v", got.files, want)
		}
	}
}
