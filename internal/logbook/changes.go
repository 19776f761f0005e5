package logbook

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
)

// Changes are the transactions of a part of the log that touched certain paths.
type Changes struct {
	*Outcomes
	Records []*audit.Record // the oldest first; none that failed or is pending
	Txs     map[string]bool // of that part of the log: the transactions that touched the paths or were undone
}

// Changes returns the transactions from record number from to the end of the log that touched one of the paths, or a path
// to which a file was moved from there. It adds these paths to the set.
func (rd *Reader) Changes(ctx context.Context, from uint64, paths PathSet) (*Changes, error) {
	for {
		c, err := rd.changesOnce(ctx, from, paths)
		if err != nil || !paths.addMoves(c.Records) {
			return c, err
		}
	}
}

// addMoves adds where files of the set were moved to, and reports whether it added anything.
func (p PathSet) addMoves(records []*audit.Record) (added bool) {
	for _, r := range records {
		for _, op := range r.Ops {
			if op.ToPath != "" && p.Has(op.Path) && !p.Has(op.ToPath) {
				p.Add(op.ToPath)
				added = true
			}
		}
	}
	return added
}

func (rd *Reader) changesOnce(ctx context.Context, from uint64, paths PathSet) (*Changes, error) {
	o := NewOutcomes()
	c := &Changes{Outcomes: o, Txs: map[string]bool{}}
	pending := rd.Pending()
	keys := audit.Keys{}
	for p := range paths {
		keys.AddQuoted(audit.ByPath, p)
	}
	query := WithKeys(o, keys, func(line []byte) bool {
		c.Txs[audit.TxOf(line)] = true
		return paths.InLine(line)
	})
	for r, err := range rd.Records(ctx, o, query) {
		if err != nil {
			return nil, err
		}
		if r.Seq < from {
			break
		}
		for _, tx := range r.TakesBack() {
			keys.Add(audit.ByTx, tx) // so that Txs tells whether it is in this part of the log
		}
		if len(r.Ops) > 0 && IsTransaction(r) && o.Failed(r) == nil && !pending[r.Tx] {
			c.Records = append(c.Records, r)
		}
	}
	slices.Reverse(c.Records)
	return c, nil
}
