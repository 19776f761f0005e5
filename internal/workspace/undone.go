package workspace

import (
	"slices"
	"sync"

	"github.com/emend-dev/emend/internal/audit"
)

// MaxUndone is how many changes that were taken back a workspace keeps in mind.
const MaxUndone = 200_000

// Undos is what was taken back, for who reads the log from somewhere in the middle: what took a change back is newer. It
// is read on from where it ended last.
type Undos struct {
	mu   sync.Mutex
	at   audit.Head
	list []taking          // the oldest first
	by   map[string]string // of a transaction: the one that took it back; never changed, only replaced
	cut  bool              // there were more than are kept in mind
}

// taking is one undo.
type taking struct {
	tx, h  string
	undoes []string
}

// Read returns what was taken back up to the head of the log, to be read only, and whether that is all.
func (u *Undos) Read(l *audit.Log) (by map[string]string, all bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	head := l.Head()
	if head == u.at {
		return u.by, !u.cut
	}
	records, ok := l.Reversals(u.at)
	if !ok {
		u.at, u.list, u.by, u.cut = audit.Head{}, nil, nil, false
		records, _ = l.Reversals(audit.Head{})
	}
	news := u.by == nil
	for r := range records {
		news = true
		u.take(r)
	}
	if u.at = head; news {
		u.settle()
	}
	return u.by, !u.cut
}

// take takes in the next record.
func (u *Undos) take(r *audit.Record) {
	switch {
	case r.Kind == audit.Undo && len(r.Undoes) > 0:
		u.list = append(u.list, taking{r.Tx, r.H, r.Undoes})
	case r.Kind == audit.Rotate:
		u.drop(func(d taking) bool { return d.h == r.Void })
	case r.Kind == audit.Abort, r.Kind == audit.Recovered && !r.OK:
		u.drop(func(d taking) bool { return d.tx == r.Tx })
	}
}

// drop takes the newest out, if it is what came to nothing: transactions happen one after the other.
func (u *Undos) drop(failed func(taking) bool) {
	if n := len(u.list); n > 0 && failed(u.list[n-1]) {
		u.list = u.list[:n-1]
	}
}

// settle works out what is taken back, the newest first, since an undo that was undone does not count.
func (u *Undos) settle() {
	u.by = map[string]string{}
	for i, d := range slices.Backward(u.list) {
		if u.by[d.tx] != "" {
			continue
		}
		for _, tx := range d.undoes {
			if u.by[tx] == "" {
				u.by[tx] = d.tx
			}
		}
		if len(u.by) > MaxUndone {
			u.list, u.cut = slices.Clone(u.list[i:]), true
			return
		}
	}
}
