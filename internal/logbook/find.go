package logbook

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

const (
	// endWindow bounds the distance between a transaction and the record that says how it ended, where only lines near a
	// record are decoded.
	endWindow = 250
	maxNamed  = 5 // entries that a refusal names
)

// Find returns the record that entry names, with the outcomes that are known when the walk meets it: a transaction by its
// name, by the first six or more characters of it, or by the beginning of its random part; a record by its number (#12, or 12).
func (rd *Reader) Find(ctx context.Context, entry string) (*Outcomes, *audit.Record, error) {
	number, only := strings.CutPrefix(entry, "#")
	o := NewOutcomes()
	var found []*audit.Record
	if seq, _ := strconv.ParseUint(number, 10, 64); seq > 0 && seq <= rd.Head().Seq {
		r, err := rd.findNumber(ctx, o, seq)
		if err != nil {
			return nil, nil, err
		}
		if r != nil {
			found = append(found, r)
		}
	}
	if !only && (len(entry) >= 6 || abbrev.IsRandom(entry)) { // names of transactions begin with digits too
		all, err := rd.findNames(ctx, o, entry)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, all...)
	}
	if len(found) != 1 {
		return nil, nil, MayBeDropped(rd.Log, notOne(entry, found))
	}
	return o, found[0], nil
}

// findNumber returns the record with a number, or the transaction that this record ended; nil if it is neither a call nor an
// end.
func (rd *Reader) findNumber(ctx context.Context, o *Outcomes, seq uint64) (*audit.Record, error) {
	q := WithOutcomes(o, func(line []byte) bool {
		at := seqOf(line)
		return at+endWindow >= seq && at <= seq+endWindow
	})
	q.Before = seq + 1
	ended := ""
	var newer *audit.Record // the transaction that was passed last
	for r, err := range rd.Records(ctx, o, q) {
		switch {
		case err != nil:
			return nil, err
		case r.Seq < seq && (ended == "" || newer != nil && r.Group != newer.Group+1): // it is not of the group
			return nil, nil
		case hasEntries(r) && (r.Seq == seq || r.Tx == ended && IsTransaction(r)):
			if !rd.inside(r) {
				return nil, nil
			}
			return r, nil
		case r.Seq == seq:
			ended = r.Tx
		case IsTransaction(r):
			newer = r
		}
	}
	return nil, nil
}

// findNames returns the transaction with a name, or those that the name abbreviates, up to one more than a refusal names. No index
// has random parts: for these it reads the whole log.
func (rd *Reader) findNames(ctx context.Context, o *Outcomes, name string) (found []*audit.Record, err error) {
	keys := audit.Keys{}
	keys.Add(audit.ByTx, name)
	if _, whole := history.TimeOf(name); !whole { // nothing longer begins with a whole name
		keys.Add(audit.ByTxPrefix, audit.TxPrefix(name))
	}
	if abbrev.IsRandom(name) {
		keys = nil
	}
	ends := map[string]*audit.Record{}
	for r, err := range rd.Records(ctx, o, WithKeys(o, keys, func(line []byte) bool { return abbrev.Fits(audit.TxOf(line), name) })) {
		if err != nil {
			return nil, err
		}
		if !IsTransaction(r) || !abbrev.Fits(r.Tx, name) || !rd.inside(r) {
			continue
		}
		if found = append(found, r); r.Tx == name {
			return found[len(found)-1:], nil
		}
		if ends[r.Tx] = o.ends[r.Tx]; len(found) > maxNamed {
			break
		}
	}
	for tx, end := range ends {
		if end != nil {
			o.ends[tx] = end
		}
	}
	return found, nil
}

// seqOf returns the number of the record in a line.
func seqOf(line []byte) uint64 {
	_, number, _ := bytes.Cut(line[:min(len(line), 64)], []byte(`"seq":`))
	number, _, _ = bytes.Cut(number, []byte{','})
	seq, _ := strconv.ParseUint(string(number), 10, 64)
	return seq
}

// notOne refuses a name that no record has, or that several begin with.
func notOne(entry string, found []*audit.Record) error {
	e := &fail.Error{Kind: fail.NotFound, Msg: "no entry is called " + fail.Quote(entry),
		Hint: "Name a transaction, the beginning of it or of its last part, or the number of a record; ‹history› lists them."}
	if len(found) > 1 {
		var names []string
		for _, r := range found[:min(len(found), maxNamed)] {
			names = append(names, EntryName(r))
		}
		e.Kind, e.Reason = fail.CommandFailed, fail.BadArguments
		count, end := strconv.Itoa(len(found)), "."
		if len(found) > maxNamed {
			count, end = "more than "+strconv.Itoa(maxNamed), ", …"
		}
		e.Msg = fmt.Sprintf("%s abbreviates %s entries", fail.Quote(entry), count)
		e.Hint = "Write more of the name: " + strings.Join(names, ", ") + end
	}
	return e
}
