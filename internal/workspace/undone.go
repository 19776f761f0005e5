package workspace

import (
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/audit"
)

// MaxUndone is how many undone transactions an index remembers.
const MaxUndone = 200_000

// UndoneIndex says which transactions were undone. A reader that begins in the middle of the log needs it, since the undo of a
// transaction is newer than the transaction. Each Read reads only what the log got since the one before.
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

// Read reads l up to its head and returns, for each undone transaction, the one that undid it. all is false when there were
// more than [MaxUndone] and the oldest are missing. The caller must not change the map.
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

// add adds the next record: an undo, or the failure of one.
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

// dropLast removes the newest undo if it failed. An older one cannot fail any more: transactions follow one after the other.
func (x *UndoneIndex) dropLast(failed func(undoRecord) bool) {
	if n := len(x.undos); n > 0 && failed(x.undos[n-1]) {
		x.undos = x.undos[:n-1]
	}
}

// resolve fills undone. It goes from the newest undo to the oldest, since an undo that was undone itself does not count.
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
