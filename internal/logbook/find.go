package logbook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// endWindow bounds the distance between a transaction and the record that says how it ended.
const endWindow = 100

// entryKey is the name of an entry as a person wrote it.
type entryKey struct {
	tx  string // a transaction, or how its name begins
	seq uint64 // the number of a record; 0 for none
}

// Find returns the record that entry names, with the outcomes that are known when the walk meets it: a transaction by its
// name or by the first six or more characters of it, a record by its number (#12, or 12).
//
// It looks among the newest records, then where the name says that the record should be, and then, since a clock may have
// been set back, in all of the log.
func (rd *Reader) Find(ctx context.Context, entry string) (*Outcomes, *audit.Record, error) {
	key := parseEntry(entry)
	o, r, err := rd.findInTail(ctx, key)
	if r != nil || err != nil {
		return o, r, err
	}
	at := key.expectedAt()
	o, r, err = rd.findFrom(ctx, entry, at)
	if errors.Is(err, fail.NotFound) && !at.Until.IsZero() {
		return rd.findFrom(ctx, entry, audit.Query{})
	}
	return o, r, err
}

// findInTail looks among the newest records for one with the whole name; nil when there is none.
func (rd *Reader) findInTail(ctx context.Context, key entryKey) (*Outcomes, *audit.Record, error) {
	o := NewOutcomes()
	for r, err := range rd.Records(ctx, o, WithOutcomes(o, func(line []byte) bool { return key.inLine(line) })) {
		if err != nil {
			return nil, nil, err
		}
		if r.Seq+tailRecords < rd.Head().Seq {
			break
		}
		if r.Seq == key.seq && r.Tx != "" {
			key.tx = r.Tx
		}
		if key.names(r) && key.mayMean(r) && rd.inside(r) {
			return o, r, nil
		}
	}
	return nil, nil, nil
}

// findFrom looks for a record with the whole name, or for the only one whose name begins like this.
func (rd *Reader) findFrom(ctx context.Context, entry string, q audit.Query) (*Outcomes, *audit.Record, error) {
	o, key := NewOutcomes(), parseEntry(entry)
	var found []*audit.Record
	var end *audit.Record // of the last that was found
	q.Need = WithOutcomes(o, func(line []byte) bool { return key.inLine(line) }).Need
	if q.Before > 0 || !q.Until.IsZero() {
		rd.loadUndone(o)
	}
	for r, err := range rd.Records(ctx, o, q) {
		if err != nil {
			return nil, nil, err
		}
		if r.Seq == key.seq && r.Tx != "" {
			key.tx, found = r.Tx, nil // the record of an end names its transaction
		}
		if !key.mayMean(r) || !rd.inside(r) {
			continue
		}
		end = o.ends[r.Tx]
		if found = append(found, r); key.names(r) {
			return o, r, nil
		}
	}
	if len(found) == 1 {
		o.ends[found[0].Tx] = end
		return o, found[0], nil
	}
	return nil, nil, notOne(entry, found)
}

// parseEntry reads what a person wrote. "#12" is always a number; names of transactions begin with digits too.
func parseEntry(entry string) entryKey {
	number, only := strings.CutPrefix(entry, "#")
	seq, _ := strconv.ParseUint(number, 10, 64)
	if only || len(entry) < 6 {
		return entryKey{seq: seq}
	}
	return entryKey{tx: entry, seq: seq}
}

// expectedAt returns where the log should have the entry: at a number, or near the time that a whole name contains.
func (k entryKey) expectedAt() audit.Query {
	made, ok := history.TimeOf(k.tx)
	switch {
	case k.tx == "" && k.seq > 0:
		return audit.Query{Before: k.seq + 1}
	case ok && k.seq == 0:
		return audit.Query{Until: made}
	}
	return audit.Query{}
}

// names reports whether r has the whole name, or the number.
func (k entryKey) names(r *audit.Record) bool { return r.Tx == k.tx || r.Seq == k.seq && k.tx == "" }

// mayMean reports whether the key may mean r: its name begins so, or it has the number.
func (k entryKey) mayMean(r *audit.Record) bool {
	if !hasEntries(r) {
		return false
	}
	return k.tx != "" && strings.HasPrefix(r.Tx, k.tx) && IsTransaction(r) || k.seq > 0 && r.Seq == k.seq
}

// inLine reports whether a line may be of a record that the key means, or of the end of that record.
func (k entryKey) inLine(line []byte) bool {
	_, number, _ := bytes.Cut(line[:min(len(line), 64)], []byte(`"seq":`))
	number, _, _ = bytes.Cut(number, []byte{','})
	seq, _ := strconv.ParseUint(string(number), 10, 64)
	return k.tx != "" && strings.HasPrefix(TxOf(line), k.tx) || k.seq > 0 && seq >= k.seq && seq-k.seq <= endWindow
}

// notOne refuses a name that no record has, or that several begin with.
func notOne(entry string, found []*audit.Record) error {
	e := &fail.Error{Kind: fail.NotFound, Msg: "no entry is called " + fail.Quote(entry),
		Hint: "Name a transaction, six or more characters of its beginning, or the number of a record; ‹history› lists them."}
	if len(found) > 1 {
		var names []string
		for _, r := range found[:min(len(found), 5)] {
			names = append(names, r.Tx)
		}
		e.Kind, e.Reason = fail.CommandFailed, fail.BadArguments
		e.Msg = fmt.Sprintf("%d entries begin with %s", len(found), fail.Quote(entry))
		e.Hint = "Write more of the name: " + strings.Join(names, ", ") + map[bool]string{true: ", …", false: "."}[len(found) > 5]
	}
	return e
}
