package logbook

import (
	"cmp"
	"iter"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
)

// Outcomes tells how transactions ended and which were undone. It learns from the records of a walk from the newest to the
// oldest, and from the indexes of what the walk skips: by the time that the walk meets a transaction, it knows everything
// that says what became of it.
type Outcomes struct {
	undone map[string]undoing       // by transaction: the newest undo of it that is in effect
	parts  map[string][]UndonePart  // by transaction: the pieces of it that undos in effect took back
	undos  map[string]bool          // the undos that were taken in
	ends   map[string]*audit.Record // by transaction: the record that says how it ended
}

// undoing is an undo: its transaction and the number of its record.
type undoing struct {
	tx  string
	seq uint64
}

// UndonePart is a piece that an undo took back.
type UndonePart struct {
	audit.Part
	By    string // the undo
	seq   uint64 // of the undo's record
	Blurs bool   // some of the undo was taken back, so that nobody knows which lines of the piece are in effect again
}

// NewOutcomes knows nothing yet.
func NewOutcomes() *Outcomes {
	return &Outcomes{ends: map[string]*audit.Record{}, undone: map[string]undoing{}, parts: map[string][]UndonePart{}, undos: map[string]bool{}}
}

// Add takes in the next record of the walk; w is nil for one that skips nothing.
func (o *Outcomes) Add(w *audit.Walk, r *audit.Record) {
	switch r.Kind {
	case audit.Applied, audit.Abort, audit.Recovered:
		if r.Tx != "" && o.ends[r.Tx] == nil { // a record of which only the header was read has no Tx
			o.ends[r.Tx] = r
		}
	case audit.Commit, audit.Undo:
		if r.Tx == "" {
			return
		}
		o.lookUp(w, r)
		if len(r.Undoes)+len(r.Parts) == 0 || o.undos[r.Tx] {
			return
		}
		o.undos[r.Tx] = true
		if !o.InEffect(r) {
			return
		}
		for _, tx := range r.Undoes {
			if o.undone[tx].seq < r.Seq {
				o.undone[tx] = undoing{r.Tx, r.Seq}
			}
		}
		for _, p := range r.Parts {
			o.parts[p.Entry] = append(o.parts[p.Entry], UndonePart{p, r.Tx, r.Seq, len(o.parts[r.Tx]) > 0})
		}
	}
}

// lookUp takes in what the walk skipped and what concerns r, a transaction.
func (o *Outcomes) lookUp(w *audit.Walk, r *audit.Record) {
	if w == nil {
		return
	}
	if end := w.End(r); end != nil && o.ends[r.Tx] == nil {
		o.ends[r.Tx] = end
	}
	for _, undo := range w.Undos(r.Tx) {
		if !o.undos[undo.Tx] {
			o.Add(w, undo)
			o.Forget(undo)
		}
	}
}

// Forget drops how a transaction ended once the walk has passed it, so that memory does not grow with the log.
func (o *Outcomes) Forget(r *audit.Record) {
	if IsTransaction(r) {
		delete(o.ends, r.Tx)
	}
}

// UndoneBy returns the transaction that undid tx, "" when none did. Of several that undid it by pieces it is the newest.
func (o *Outcomes) UndoneBy(tx string) string {
	if by := o.undone[tx].tx; by != "" {
		return by
	}
	return o.undoneByPieces(tx)
}

// undoneByPieces returns the newest of the undos that took tx back by pieces, "" unless they took back all of it.
func (o *Outcomes) undoneByPieces(tx string) string {
	var newest UndonePart
	hunks, whole := map[string]map[int]bool{}, map[string]bool{} // by path
	for _, p := range o.parts[tx] {
		if p.Blurs {
			continue
		}
		if newest.seq < p.seq {
			newest = p
		}
		if hunks[p.Path] == nil {
			hunks[p.Path] = map[int]bool{}
		}
		for _, n := range p.Hunks {
			hunks[p.Path][n] = true
		}
		if len(p.Hunks) == 0 || len(hunks[p.Path]) == p.Of {
			whole[p.Path] = true
		}
	}
	if len(whole) < newest.Files {
		return ""
	}
	return newest.By
}

// UndoneParts returns the pieces of tx that undos in effect took back, the newest first. It returns none of a transaction that was
// undone as a whole.
func (o *Outcomes) UndoneParts(tx string) []UndonePart {
	if o.undone[tx].tx != "" {
		return nil
	}
	out := slices.Clone(o.parts[tx])
	slices.SortStableFunc(out, func(a, b UndonePart) int { return cmp.Compare(b.seq, a.seq) })
	return out
}

// Cancels reports whether r is an undo of changes of which nothing is in effect now, and which are all later ones.
func (o *Outcomes) Cancels(r *audit.Record, later func(tx string) bool) bool {
	all := r.TakesBack()
	return len(all) > 0 && !slices.ContainsFunc(all, func(tx string) bool { return !later(tx) }) &&
		!slices.ContainsFunc(r.Parts, func(p audit.Part) bool { return o.UndoneBy(p.Entry) == "" })
}

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

// Walk reads the records that q asks for, the newest first, and adds each to o before it yields it. Before it goes on it drops
// what o need not know any more.
func (o *Outcomes) Walk(log *audit.Log, q audit.Query) iter.Seq2[*audit.Record, error] {
	return func(yield func(*audit.Record, error) bool) {
		var w *audit.Walk
		q.Learn = func(r *audit.Record) {
			o.Add(w, r)
			o.Forget(r)
		}
		w = log.Walk(q)
		for r, err := range w.Records() {
			if err == nil {
				o.Add(w, r)
			}
			if !yield(r, err) {
				return
			}
			if err == nil {
				o.Forget(r)
			}
		}
	}
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
