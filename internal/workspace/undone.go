package workspace

import (
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/audit"
)

// MaxUndone is how many undone transactions an index remembers.
const MaxUndone = 200_000

// UndoneIndex tells which transactions were undone, for a walk that begins in the middle of the log: what undid a
// transaction is newer. It reads on from where it ended last.
type UndoneIndex struct {
	mu     sync.Mutex
	head   audit.Head
	undos  []undoRecord      // the oldest first
	undone map[string]string // by transaction: the one that undid it; replaced, never changed
	cut    bool              // there were more than MaxUndone
}

type undoRecord struct {
	tx, h  string
	undoes []string
}

// Read returns by which transaction each was undone, up to the head of the log, and whether that is all. The caller must
// not change the map.
func (x *UndoneIndex) Read(l *audit.Log) (undone map[string]string, all bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	head := l.Head()
	if head == x.head {
		return x.undone, !x.cut
	}
	records, ok := l.Reversals(x.head)
	if !ok {
		x.head, x.undos, x.undone, x.cut = audit.Head{}, nil, nil, false
		records, _ = l.Reversals(audit.Head{})
	}
	changed := x.undone == nil
	for r := range records {
		changed = true
		x.add(r)
	}
	if x.head = head; changed {
		x.resolve()
	}
	return x.undone, !x.cut
}

// add takes in the next record.
func (x *UndoneIndex) add(r *audit.Record) {
	switch {
	case r.Kind == audit.Undo && len(r.Undoes) > 0:
		x.undos = append(x.undos, undoRecord{r.Tx, r.H, r.Undoes})
	case r.Kind == audit.Rotate:
		x.dropLast(func(u undoRecord) bool { return u.h == r.Void })
	case r.Kind == audit.Abort, r.Kind == audit.Recovered && !r.OK:
		x.dropLast(func(u undoRecord) bool { return u.tx == r.Tx })
	}
}

// dropLast removes the newest undo if it failed. No other can have: transactions happen one after the other.
func (x *UndoneIndex) dropLast(failed func(undoRecord) bool) {
	if n := len(x.undos); n > 0 && failed(x.undos[n-1]) {
		x.undos = x.undos[:n-1]
	}
}

// resolve works out what is undone, from the newest undo to the oldest, since an undo that was undone does not count.
func (x *UndoneIndex) resolve() {
	x.undone = map[string]string{}
	for i, u := range slices.Backward(x.undos) {
		if x.undone[u.tx] != "" {
			continue
		}
		for _, tx := range u.undoes {
			if x.undone[tx] == "" {
				x.undone[tx] = u.tx
			}
		}
		if len(x.undone) > MaxUndone {
			x.undos, x.cut = slices.Clone(x.undos[i:]), true
			return
		}
	}
}
