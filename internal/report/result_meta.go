package report

import (
	"slices"

	"github.com/emend-dev/emend/internal/plan"
)

// Meta holds the facts for which the result of a dialect has no field.
type Meta struct {
	DryRun  bool       `json:"dryRun,omitempty"`
	Hunks   []FileHunk `json:"hunks,omitempty"`
	Error   *Failure   `json:"error,omitempty"` // if the result itself is text
	Tx      string     `json:"tx,omitempty"`    // the transaction, for log, undo and restore
	Log     *Head      `json:"log,omitempty"`   // the newest record of the log
	Notes   []string   `json:"notes,omitempty"`
	Trashed []string   `json:"trashed,omitempty"` // ids of what was deleted or overwritten
	Skipped []Skipped  `json:"skipped,omitempty"` // what was already applied
	Stays   []Failure  `json:"stays,omitempty"`   // what an undo left because it conflicts with later changes
}

// commitMeta returns what every result says about a commit; nil if there is nothing to say.
func (v View) commitMeta() *Meta {
	var stays []Failure
	for _, e := range v.Stays {
		stays = append(stays, *newFailure(v, e))
	}
	switch {
	case v.Done != nil:
		return &Meta{Tx: v.Done.Tx, Log: &v.Done.Log, Notes: v.notes(), Stays: stays}
	case len(v.Notes)+len(stays) > 0:
		return &Meta{Notes: v.Notes, Stays: stays}
	}
	return nil
}

func (v View) notes() []string { return append(slices.Clip(v.Notes), v.Done.notes()...) }

// FileHunk is a hunk and the file in which it was placed.
type FileHunk struct {
	Path string `json:"path"`
	Hunk
}

func newMeta(v View, p *plan.Plan) *Meta {
	m := v.commitMeta()
	if m == nil {
		m = &Meta{}
	}
	m.DryRun, m.Skipped = v.DryRun, skipped(p)
	for i := range p.Steps {
		if id := v.Done.trashed(i); id != "" {
			m.Trashed = append(m.Trashed, id)
		}
	}
	for i := range p.Steps {
		for _, h := range placedHunks(&p.Steps[i]) {
			m.Hunks = append(m.Hunks, FileHunk{p.Steps[i].Path, h})
		}
	}
	return m
}
