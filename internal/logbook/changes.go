package logbook

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
)

// Changes are the transactions of a part of the log that touched certain paths.
type Changes struct {
	Records []*audit.Record   // the oldest first; none that failed or is pending
	Txs     map[string]bool   // every transaction of that part
	Undone  map[string]string // by transaction: the one that undid it
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
	c := &Changes{Txs: map[string]bool{}, Undone: o.Undone}
	pending := rd.Pending()
	keys := audit.Keys{}
	for p := range paths {
		keys.Add(p)
	}
	query := rd.Indexed(o, keys, func(line []byte) bool {
		c.Txs[TxOf(line)] = true
		return paths.InLine(line)
	})
	if rd.Head().Seq < from+tailRecords {
		query.Index = nil
	}
	for r, err := range rd.Records(ctx, o, query) {
		if err != nil {
			return nil, err
		}
		if r.Seq < from {
			break
		}
		for _, tx := range r.Undoes {
			keys.Add(string(Quoted(tx))) // so that Txs tells whether it is in this part of the log
		}
		if len(r.Ops) > 0 && IsTransaction(r) && o.Failed(r) == nil && r.Tx != pending {
			c.Records = append(c.Records, r)
		}
	}
	slices.Reverse(c.Records)
	return c, nil
}
