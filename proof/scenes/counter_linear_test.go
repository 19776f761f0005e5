//go:build linux

package scenes

import (
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// access is a read of the file, or a write, for the checker.
type access struct {
	write     bool
	saw       string // read: what it read; write: what it expects
	id        string // write: what it writes
	ok        bool   // write: it was done
	call, end int64
	client    int
}

// register is the sequential specification: a read returns what was written last, and a write is done if and only if it expects
// that.
var register = porcupine.Model{
	Init: func() any { return "nobody" },
	Step: func(state, input, output any) (bool, any) {
		now, a, ok := state.(string), input.(*access), output.(bool)
		fits := now == a.saw
		switch {
		case !a.write:
			return fits, now
		case ok && fits:
			return true, a.id
		}
		return ok == fits, now
	},
	Hash: func(state any) uint64 { return maphash.String(hashSeed, state.(string)) },
}

func consistent(all []*access, limit time.Duration) porcupine.CheckResult {
	history := make([]porcupine.Operation, len(all))
	for i, a := range all {
		history[i] = porcupine.Operation{ClientId: a.client, Input: a, Output: a.ok, Call: a.call, Return: a.end}
	}
	return porcupine.CheckOperationsTimeout(register, history, limit)
}

// accesses returns the history for the checker. A write of a killed process may have happened at any time after its begin; if
// nobody finds it, it is left out.
func (c *counterRun) accesses(found func(id string) bool) (all []*access, cut int) {
	begun := map[string]*access{}
	for i, s := range c.steps {
		a := &access{write: s.Write, saw: s.Saw, id: s.ID, ok: s.OK, call: s.Call, end: s.End, client: c.clients[i]}
		switch {
		case s.Begins:
			a.end, a.ok = math.MaxInt64-10, true
			begun[s.ID] = a
		default:
			delete(begun, s.ID)
			all = append(all, a)
		}
	}
	for id, a := range begun {
		if found(id) {
			all = append(all, a)
		}
	}
	return all, len(begun)
}

// prove checks the history, and then spoiled copies, which the checker must reject.
func prove(t *testing.T, all []*access) {
	t.Helper()
	start := time.Now()
	if got := consistent(all, 5*time.Minute); got != porcupine.Ok {
		t.Errorf("%d reads and writes: the checker says %s", len(all), got)
		return
	}
	t.Logf("%d reads and writes are linearizable (%s)", len(all), time.Since(start).Round(time.Millisecond))
	for what, pick := range map[string]func(a *access) bool{
		"a write that was done is said not to be": func(a *access) bool { return a.write && a.ok && seen(all, a.id) },
		"one that was refused is said to be done": func(a *access) bool { return a.write && !a.ok },
	} {
		i := slices.IndexFunc(all, pick)
		if i < 0 {
			t.Errorf("%s: the history has none", what)
			continue
		}
		bad := slices.Clone(all)
		turned := *all[i]
		turned.ok = !turned.ok
		bad[i] = &turned
		if got := consistent(bad, time.Minute); got != porcupine.Illegal {
			t.Errorf("%s: the checker says %s of it", what, got)
		}
	}
}

// seen reports whether a read returned what a write wrote.
func seen(all []*access, id string) bool {
	return slices.ContainsFunc(all, func(a *access) bool { return !a.write && a.saw == id })
}

// TestCounterLinear checks that the reads and writes of many processes on one file are linearizable.
func TestCounterLinear(t *testing.T) {
	n := number(t, "EMEND_SCENES_LINEAR", 150)
	for _, how := range slices.Sorted(maps.Keys(increments)) {
		if how == "blind" {
			continue
		}
		t.Run(how, func(t *testing.T) {
			c := newCrew(t, 16, countOrders{How: how, Until: n, Tell: true})
			c.work(t, nil)
			now := c.says(t)
			led := c.recorded(t)
			for _, complaint := range led.check(c, now) {
				t.Error(complaint)
			}
			all, cut := c.accesses(func(string) bool { return false })
			if cut > 0 || c.done != n {
				t.Errorf("%d writes were acknowledged and %d got no answer, want %d", c.done, cut, n)
			}
			prove(t, all)
		})
	}
}

// TestCounterLinearRig checks that the checker rejects the history of writers that ignore the hash. If one of them is done
// before the others have begun, the test tries again.
func TestCounterLinearRig(t *testing.T) {
	for range 50 {
		c := newCrew(t, 8, countOrders{How: "blind", Until: 60, Tell: true})
		c.work(t, nil)
		all, _ := c.accesses(func(string) bool { return false })
		if consistent(all, time.Minute) == porcupine.Illegal {
			return
		}
	}
	t.Error("the checker minds nothing that writers did who look at no hash; it proves nothing")
}
