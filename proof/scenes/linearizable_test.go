//go:build linux

package scenes

import (
	"hash/maphash"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// patchOp is a patch for the checker: it expects some heads and replaces them all with itself.
type patchOp struct {
	id        int32
	at        []int   // indexes of files
	old       []int32 // their heads that the patch expects
	call, end int64
	client    int
	landed    bool
}

// headsState is the state: which patch is at the head of each file. 0 is none.
type headsState [8]int32

var hashSeed = maphash.MakeSeed()

// model is the sequential specification: a patch succeeds if and only if every head that it expects is there, and then it is at
// the head of all its files at once.
var model = porcupine.Model{
	Init: func() any { return headsState{} },
	Step: func(state, input, output any) (bool, any) {
		now, op := state.(headsState), input.(*patchOp)
		fits := true
		for i, f := range op.at {
			fits = fits && now[f] == op.old[i]
		}
		if !output.(bool) || !fits {
			return output.(bool) == fits, now
		}
		for _, f := range op.at {
			now[f] = op.id
		}
		return true, now
	},
	Hash: func(state any) uint64 { return maphash.Comparable(hashSeed, state.(headsState)) },
}

// linearizable reports whether an order of the patches, which keeps those that did not overlap in order, explains every answer.
func linearizable(ops []*patchOp, limit time.Duration) porcupine.CheckResult {
	history := make([]porcupine.Operation, len(ops))
	for i, op := range ops {
		history[i] = porcupine.Operation{ClientId: op.client, Input: op, Output: op.landed, Call: op.call, Return: op.end}
	}
	return porcupine.CheckOperationsTimeout(model, history, limit)
}

// TestLinearizable checks that the checker accepts possible histories and rejects impossible ones.
func TestLinearizable(t *testing.T) {
	op := func(id int32, call, end int64, landed bool, old ...int32) *patchOp {
		o := &patchOp{id: id, call: call, end: end, landed: landed, client: int(id)}
		for f, v := range old {
			if v >= 0 {
				o.at, o.old = append(o.at, f), append(o.old, v)
			}
		}
		return o
	}
	for _, tc := range []struct {
		name string
		ops  []*patchOp
		want porcupine.CheckResult
	}{
		{"one after the other", []*patchOp{op(1, 0, 1, true, 0, 0), op(2, 2, 3, true, 1, 1)}, porcupine.Ok},
		{"two at once, one refused", []*patchOp{op(1, 0, 9, true, 0, 0), op(2, 1, 8, false, 0, -1)}, porcupine.Ok},
		{"both landed", []*patchOp{op(1, 0, 9, true, 0, 0), op(2, 1, 8, true, 0, -1)}, porcupine.Illegal},
		{"refused for nothing", []*patchOp{op(1, 0, 1, false, 0, 0)}, porcupine.Illegal},
		{"half of a patch", []*patchOp{op(1, 0, 1, true, 0, 0), op(2, 2, 3, true, 1, 0)}, porcupine.Illegal},
		{"a patch undone", []*patchOp{op(1, 0, 1, true, 0), op(2, 2, 3, true, 0)}, porcupine.Illegal},
		{"seen before it began", []*patchOp{op(2, 0, 1, true, 1), op(1, 2, 3, true, 0)}, porcupine.Illegal},
		{"the answer came late", []*patchOp{op(2, 2, 3, true, 1), op(1, 0, 9, true, 0)}, porcupine.Ok},
	} {
		if got := linearizable(tc.ops, 0); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// spoilers turn a true history into an impossible one.
var spoilers = []struct {
	name  string
	spoil func([]*patchOp) bool // false if the history has nothing to spoil this way
}{
	{"an answer turned round", func(ops []*patchOp) bool {
		i := slices.IndexFunc(ops, func(o *patchOp) bool { return o.landed && followed(ops, o) })
		if i >= 0 {
			ops[i].landed = false
		}
		return i >= 0
	}},
	{"a refusal turned round", func(ops []*patchOp) bool {
		i := slices.IndexFunc(ops, func(o *patchOp) bool { return !o.landed })
		if i >= 0 {
			ops[i].landed = true
		}
		return i >= 0
	}},
	{"a patch that ended before the one it follows began", func(ops []*patchOp) bool {
		i := slices.IndexFunc(ops, func(o *patchOp) bool { return o.landed && followed(ops, o) })
		if i >= 0 {
			last := slices.MaxFunc(ops, func(a, b *patchOp) int { return int(min(1, max(-1, a.end-b.end))) }).end
			ops[i].call, ops[i].end = last+1, last+2
		}
		return i >= 0
	}},
}

// followed reports whether another successful patch expects o at a head.
func followed(ops []*patchOp, o *patchOp) bool {
	return slices.ContainsFunc(ops, func(p *patchOp) bool { return p.landed && slices.Contains(p.old, o.id) })
}

// spoil spoils a copy of ops.
func spoil(ops []*patchOp, how func([]*patchOp) bool) ([]*patchOp, bool) {
	out := make([]*patchOp, len(ops))
	for i, o := range ops {
		c := *o
		out[i] = &c
	}
	return out, how(out)
}
