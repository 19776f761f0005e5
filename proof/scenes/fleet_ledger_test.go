//go:build linux

package scenes

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// entry is one patch: what its process reported, and where it is.
type entry struct {
	begin, end event
	client     int
	answered   bool
	found      int // number of its files that have it
}

// ledger is every patch of a run, by the time of their begin.
type ledger struct {
	entries []*entry
	byID    map[string]*entry
}

func (f *fleet) ledger(t *testing.T) *ledger {
	t.Helper()
	led := &ledger{byID: map[string]*entry{}}
	for i, e := range f.events {
		switch x := led.byID[e.ID]; {
		case !e.Done:
			x = &entry{begin: e, client: f.clients[i]}
			led.entries, led.byID[e.ID] = append(led.entries, x), x
		case x == nil:
			t.Fatalf("patch %s ended and never began", e.ID)
		default:
			x.end, x.answered = e, true
		}
	}
	return led
}

// check compares the files with the reports. It also records where each patch is.
func (l *ledger) check(chains map[string][]string) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	for name, chain := range chains {
		seen := map[string]bool{}
		for i, id := range chain[:len(chain)-1] {
			x := l.byID[id]
			switch {
			case x == nil:
				complain("%s has %q, which nobody wrote", name, id)
				continue
			case seen[id]:
				complain("%s has patch %s twice", name, id)
			case x.begin.Old[name] != chain[i+1]:
				complain("%s has patch %s on top of %s; it was made for %q", name, id, chain[i+1], x.begin.Old[name])
			}
			seen[id] = true
			x.found++
		}
	}
	for _, x := range l.entries {
		switch all := len(x.begin.Old); {
		case x.answered && x.end.OK && x.found != all:
			complain("patch %s landed and is in %d of its %d files", x.begin.ID, x.found, all)
		case x.answered && !x.end.OK && l.undisturbed(x, chains):
			complain("patch %s was refused, and all the while its files had what it expects: %s", x.begin.ID, x.end.Err)
		case x.answered && !x.end.OK && x.found > 0:
			complain("patch %s was refused and is in %d files", x.begin.ID, x.found)
		case !x.answered && x.found != 0 && x.found != all:
			complain("patch %s, whose process was killed, is in %d of its %d files", x.begin.ID, x.found, all)
		}
	}
	return complaints
}

// undisturbed reports whether every head that a patch expects was there before it began, and no patch that began before it
// ended replaced one.
func (l *ledger) undisturbed(x *entry, chains map[string][]string) bool {
	for name, head := range x.begin.Old {
		i := slices.Index(chains[name], head)
		if i < 0 {
			return false
		}
		if was := l.byID[head]; was != nil && (!was.answered || was.end.Time >= x.begin.Time) {
			return false
		}
		if i > 0 && l.byID[chains[name][i-1]].begin.Time <= x.end.Time {
			return false
		}
	}
	return true
}

// landed reports whether the patch is in the files.
func (x *entry) landed() bool { return x.answered && x.end.OK || !x.answered && x.found > 0 }

func (l *ledger) String() string {
	var landed, refused, cutLanded, cut int
	for _, x := range l.entries {
		switch {
		case x.answered && x.end.OK:
			landed++
		case x.answered:
			refused++
		case x.landed():
			cutLanded++
		default:
			cut++
		}
	}
	return fmt.Sprintf("%d patches landed, %d refused, %d cut off (%d of them in the files)",
		landed, refused, cut+cutLanded, cutLanded)
}

// ops returns the history for the checker. A patch of a killed process may have happened at any later time; if it is not in the
// files, it is left out.
func (l *ledger) ops() []*patchOp {
	number := map[string]int32{"root": 0}
	for i, x := range l.entries {
		number[x.begin.ID] = int32(i + 1)
	}
	var out []*patchOp
	for i, x := range l.entries {
		if !x.answered && !x.landed() {
			continue
		}
		op := &patchOp{id: int32(i + 1), client: x.client, call: x.begin.Time, end: math.MaxInt64 - 10, landed: x.landed()}
		if x.answered {
			op.end = x.end.Time
		}
		for f, name := range files {
			if head, ok := x.begin.Old[name]; ok {
				op.at, op.old = append(op.at, f), append(op.old, number[head])
			}
		}
		out = append(out, op)
	}
	return out
}

// prove checks the history, and then spoiled copies, which the checker must reject.
func (l *ledger) prove(t *testing.T) {
	t.Helper()
	ops := l.ops()
	start := time.Now()
	if got := linearizable(ops, 5*time.Minute); got != porcupine.Ok {
		t.Errorf("%d answers: the checker says %s", len(ops), got)
		return
	}
	t.Logf("fleet: %d answers are linearizable (%s)", len(ops), time.Since(start).Round(time.Millisecond))
	for _, s := range spoilers {
		bad, ok := spoil(ops, s.spoil)
		if !ok {
			t.Errorf("%s: the history has none", s.name)
		} else if got := linearizable(bad, time.Minute); got != porcupine.Illegal {
			t.Errorf("%s: the checker says %s of it", s.name, got)
		}
	}
}
