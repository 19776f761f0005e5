package emend

import (
	"bytes"
	"context"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
)

// changesWith reads of the log whatever says how a change ended or was taken back, and the records whose line is wanted. To
// take in the whole of a line takes ten times as long as to look at it.
func changesWith(s *scan, wanted func(line []byte) bool) audit.Query {
	return audit.Query{Much: func(k audit.Kind, line []byte) audit.Part {
		if wanted(line) || k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(s.ends) > 0 && k == audit.Commit {
			return audit.Whole
		}
		return audit.Mark
	}}
}

// sifted goes by what is known of the log already to the records that may be wanted, by one of the keys.
func (j *journal) sifted(s *scan, keys audit.Keys, wanted func(line []byte) bool) audit.Query {
	q := changesWith(s, wanted)
	q.Sieve, q.Keys, q.Always = j.sieve, keys, func(k audit.Kind) bool {
		return k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(s.ends) > 0 && k == audit.Commit
	}
	return q
}

// places are paths as a line of the log has them, quotes and all.
type places map[string]bool

func (p places) add(top string) { p[string(spelledIn(top))] = true }

func (p places) has(top string) bool { return p[string(spelledIn(top))] }

func spelledIn(top string) []byte { return audit.Field("", top)[len(`"":`):] }

// in reports whether a line names one of the paths.
func (p places) in(line []byte) bool {
	return hasField(line, `ath":"`, func(path []byte) bool { return p[string(path)] }) // path and toPath
}

// act adds where a step was done.
func (p places) act(a *audit.Act) {
	if p.add(a.Path); a.To != "" {
		p.add(a.To)
	}
}

// to reports whether a line has a step that moved a file to one of the paths.
func (p places) to(line []byte) bool {
	return hasField(line, `"to":"`, func(path []byte) bool { return p[string(path)] })
}

// sums256 are hashes.
type sums256 map[string]bool

// act adds what a step found and left.
func (s sums256) act(a *audit.Act) {
	for _, i := range []*audit.Ident{a.Old, a.New} {
		if i != nil && i.Sum != "" {
			s[i.Sum] = true
		}
	}
}

// in reports whether a line has one of the hashes.
func (s sums256) in(line []byte) bool {
	return hasField(line, `256":"`, func(sum []byte) bool { return s[string(bytes.Trim(sum, `"`))] }) // sha256, beforeSha256, afterSha256
}

// hasField reports whether a field of the line, whose name ends so, has a string that is wanted; it comes with its quotes.
func hasField(line []byte, field string, wanted func(quoted []byte) bool) bool {
	for quoted := range audit.Strings(line, field) {
		if wanted(quoted) {
			return true
		}
	}
	return false
}

// happened are changes of the log.
type happened struct {
	records []*audit.Record   // the oldest first
	txs     map[string]bool   // of these, and of what they took back
	undone  map[string]string // by which they were taken back
}

// changes are those from record number from on that touched one of the paths, from the top of the tree, or a path that a
// file was moved to from there. They are in the log to its end, and did not come to nothing.
func (j *journal) changes(ctx context.Context, from uint64, paths places) (*happened, error) {
	for {
		h, err := j.changesAt(ctx, from, paths)
		if err != nil || !paths.follow(h.records) {
			return h, err
		}
	}
}

// follow adds where files were moved to, and reports whether that is anywhere else.
func (p places) follow(records []*audit.Record) (more bool) {
	for _, r := range records {
		for _, op := range r.Ops {
			if op.ToPath != "" && p.has(op.Path) && !p.has(op.ToPath) {
				p.add(op.ToPath)
				more = true
			}
		}
	}
	return more
}

func (j *journal) changesAt(ctx context.Context, from uint64, paths places) (*happened, error) {
	s := newScan()
	h := &happened{txs: map[string]bool{}, undone: s.undone}
	pending := j.pending()
	keys := audit.Keys{}
	for p := range paths {
		keys.Add(p)
	}
	query := j.sifted(s, keys, func(line []byte) bool {
		h.txs[txIn(line)] = true
		return paths.in(line)
	})
	if j.log != nil && j.log.Head().Seq < from+near {
		query.Sieve = nil
	}
	for r, err := range j.records(ctx, s, query) {
		if err != nil {
			return nil, err
		}
		if r.Seq < from {
			break
		}
		for _, tx := range r.Undoes {
			keys.Add(string(spelledIn(tx))) // whether it is as new as this
		}
		if len(r.Ops) > 0 && decides(r) && s.failed(r) == nil && r.Tx != pending {
			h.records = append(h.records, r)
		}
	}
	slices.Reverse(h.records)
	return h, nil
}

// near is how many records are read line by line before all of the log is taken in.
const near = 4000

var txLead = []byte(`","tx":"`)

// txIn is the transaction that a line is of.
func txIn(line []byte) string {
	_, rest, _ := bytes.Cut(line, txLead)
	tx, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(tx)
}
