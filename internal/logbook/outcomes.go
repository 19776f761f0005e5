package logbook

import (
	"cmp"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
)

// Outcomes tells how transactions ended and which were undone. It learns from the records of a walk from the newest to
// the oldest: by the time that the walk meets a transaction, it has met everything that says what became of it.
type Outcomes struct {
	Undone       map[string]string        // by transaction: the one that undid it
	undoneBefore map[string]string        // the same from the index, where the walk does not begin at the newest record
	ends         map[string]*audit.Record // by transaction: the record that says how it ended
}

// NewOutcomes knows nothing yet.
func NewOutcomes() *Outcomes {
	return &Outcomes{ends: map[string]*audit.Record{}, Undone: map[string]string{}}
}

// Add takes in the next record of the walk.
func (o *Outcomes) Add(r *audit.Record) {
	switch r.Kind {
	case audit.Applied, audit.Abort, audit.Recovered:
		if r.Tx != "" && o.ends[r.Tx] == nil { // a record of which only the header was read has no Tx
			o.ends[r.Tx] = r
		}
	case audit.Commit, audit.Undo:
		if !o.InEffect(r) {
			return
		}
		for _, tx := range r.Undoes {
			if o.UndoneBy(tx) == "" {
				o.Undone[tx] = r.Tx
			}
		}
	}
}

// Forget drops how a transaction ended once the walk has passed it, so that memory does not grow with the log.
func (o *Outcomes) Forget(r *audit.Record) {
	if IsTransaction(r) {
		delete(o.ends, r.Tx)
	}
}

// UndoneBy returns the transaction that undid tx, "" when none did.
func (o *Outcomes) UndoneBy(tx string) string { return cmp.Or(o.Undone[tx], o.undoneBefore[tx]) }

// Failed returns the record which says that r, a transaction, changed nothing in the end; nil when it took place.
func (o *Outcomes) Failed(r *audit.Record) *audit.Record {
	end := o.ends[r.Tx]
	if end == nil || end.Kind == audit.Applied || end.Kind == audit.Recovered && end.OK {
		return nil
	}
	return end
}

// InEffect reports whether r, a transaction, took place and was not undone.
func (o *Outcomes) InEffect(r *audit.Record) bool {
	return o.Failed(r) == nil && o.UndoneBy(r.Tx) == ""
}

// of returns how r ended.
func (o *Outcomes) of(r *audit.Record) api.Outcome {
	end := o.ends[r.Tx]
	switch {
	case r.Kind == audit.Failed || r.Kind == audit.Denied:
		return api.Refused
	case !IsTransaction(r):
		return api.Done
	case end != nil && end.Kind == audit.Abort && !commit.Interrupted(end):
		return api.Aborted
	case o.Failed(r) != nil:
		return api.Reverted
	case o.UndoneBy(r.Tx) != "":
		return api.Undone
	case end != nil && end.Kind == audit.Recovered:
		return api.Recovered
	}
	return api.Done
}

// IsTransaction reports whether r decided a transaction: a change or an undo.
func IsTransaction(r *audit.Record) bool { return r.Kind == audit.Commit || r.Kind == audit.Undo }

// hasEntries reports whether r is listed to people: a transaction, a refusal or a purge.
func hasEntries(r *audit.Record) bool {
	switch r.Kind {
	case audit.Denied, audit.Failed, audit.Purge:
		return true
	}
	return IsTransaction(r)
}
