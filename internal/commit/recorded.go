package commit

import (
	"slices"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// recorded returns those of the transactions that the log has, in one walk from its end. It stops when it has found them
// all, or when what it reads is at least a day older than those that are missing.
func (s *Store) recorded(txs []string) (map[string]bool, error) {
	missing, out := map[string]bool{}, map[string]bool{}
	oldest := ""
	for _, tx := range txs {
		missing[tx] = true
		if day := dayOf(tx); oldest == "" || day < oldest {
			oldest = day
		}
	}
	var tx string
	q := audit.Query{Need: func(_ audit.Kind, line []byte) audit.Detail {
		tx = audit.TxOf(line)
		return audit.Header
	}}
	for _, err := range s.log.Query(q) {
		if err != nil {
			return nil, storeError(err)
		}
		if missing[tx] {
			out[tx] = true
			delete(missing, tx)
		}
		if len(missing) == 0 || tx != "" && dayOf(tx) < oldest {
			break
		}
		tx = ""
	}
	return out, nil
}

// dayOf returns the part of a transaction's name that says on which day it began.
func dayOf(tx string) string { return tx[:min(len(tx), 8)] }

// txStates returns the states of transactions.
func (s *Store) txStates(txs []string) (func(tx string) history.TxState, error) {
	known, err := s.recorded(txs)
	if err != nil {
		return nil, err
	}
	pending, err := s.log.Pending()
	if err != nil {
		return nil, storeError(err)
	}
	return func(tx string) history.TxState {
		switch {
		case !known[tx]:
			return history.NeverCommitted
		case slices.ContainsFunc(pending, func(r *audit.Record) bool { return r.Tx == tx }):
			return history.Pending
		}
		return history.Ended
	}, nil
}

// Orphans lists the transactions that left slots and have no record. A power cut during staging leaves them; they are
// garbage.
func (s *Store) Orphans() ([]string, error) {
	out, err := s.hist.Orphans(func(txs []string) (map[string]bool, error) {
		if err := s.log.Refresh(); err != nil { // some may have been committed since
			return nil, err
		}
		return s.recorded(txs)
	})
	return out, storeError(err)
}
