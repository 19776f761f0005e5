package logbook

import (
	"bytes"
	"context"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
)

// Places are paths as a line of the log has them, quotes and all.
type Places map[string]bool

// Sums256 are hashes.
type Sums256 map[string]bool

// Happened are changes of the log.
type Happened struct {
	Records []*audit.Record   // the oldest first
	Txs     map[string]bool   // of these, and of what they took back
	Undone  map[string]string // by which they were taken back
}

// near is how many records are read line by line before all of the log is taken in.
const near = 4000

var txLead = []byte(`","tx":"`)

// ChangesWith reads of the log whatever says how a change ended or was taken back, and the records whose line is wanted. To
// take in the whole of a line takes ten times as long as to look at it.
func ChangesWith(s *Scan, wanted func(line []byte) bool) audit.Query {
	return audit.Query{Need: func(k audit.Kind, line []byte) audit.Detail {
		if wanted(line) || k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(s.ends) > 0 && k == audit.Commit {
			return audit.Full
		}
		return audit.Header
	}}
}

// Sifted goes by what is known of the log already to the records that may be wanted, by one of the keys.
func (j *Journal) Sifted(s *Scan, keys audit.Keys, wanted func(line []byte) bool) audit.Query {
	q := ChangesWith(s, wanted)
	q.Index, q.Keys, q.Always = j.sieve, keys, func(k audit.Kind) bool {
		return k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(s.ends) > 0 && k == audit.Commit
	}
	return q
}

func (p Places) Add(top string) { p[string(SpelledIn(top))] = true }

func (p Places) has(top string) bool { return p[string(SpelledIn(top))] }

func SpelledIn(top string) []byte { return audit.EncodeField("", top)[len(`"":`):] }

// In reports whether a line names one of the paths.
func (p Places) In(line []byte) bool {
	return hasField(line, `ath":"`, func(path []byte) bool { return p[string(path)] }) // path and toPath
}

// Act adds where a step was done.
func (p Places) Act(a *audit.Act) {
	if p.Add(a.Path); a.To != "" {
		p.Add(a.To)
	}
}

// To reports whether a line has a step that moved a file to one of the paths.
func (p Places) To(line []byte) bool {
	return hasField(line, `"to":"`, func(path []byte) bool { return p[string(path)] })
}

// Act adds what a step found and left.
func (s Sums256) Act(a *audit.Act) {
	for _, i := range []*audit.Ident{a.Old, a.New} {
		if i != nil && i.Sum != "" {
			s[i.Sum] = true
		}
	}
}

// In reports whether a line has one of the hashes.
func (s Sums256) In(line []byte) bool {
	return hasField(line, `256":"`, func(sum []byte) bool { return s[string(bytes.Trim(sum, `"`))] }) // sha256, beforeSha256, afterSha256
}

// hasField reports whether a field of the line, whose name ends so, has a string that is wanted; it comes with its quotes.
func hasField(line []byte, field string, wanted func(quoted []byte) bool) bool {
	for quoted := range audit.FieldStrings(line, field) {
		if wanted(quoted) {
			return true
		}
	}
	return false
}

// Changes are those from record number from on that touched one of the paths, from the top of the tree, or a path that a
// file was moved to from there. They are in the log to its end, and did not come to nothing.
func (j *Journal) Changes(ctx context.Context, from uint64, paths Places) (*Happened, error) {
	for {
		h, err := j.changesAt(ctx, from, paths)
		if err != nil || !paths.follow(h.Records) {
			return h, err
		}
	}
}

// follow adds where files were moved to, and reports whether that is anywhere else.
func (p Places) follow(records []*audit.Record) (more bool) {
	for _, r := range records {
		for _, op := range r.Ops {
			if op.ToPath != "" && p.has(op.Path) && !p.has(op.ToPath) {
				p.Add(op.ToPath)
				more = true
			}
		}
	}
	return more
}

func (j *Journal) changesAt(ctx context.Context, from uint64, paths Places) (*Happened, error) {
	s := NewScan()
	h := &Happened{Txs: map[string]bool{}, Undone: s.Undone}
	pending := j.Pending()
	keys := audit.Keys{}
	for p := range paths {
		keys.Add(p)
	}
	query := j.Sifted(s, keys, func(line []byte) bool {
		h.Txs[TxIn(line)] = true
		return paths.In(line)
	})
	if j.Log != nil && j.Log.Head().Seq < from+near {
		query.Index = nil
	}
	for r, err := range j.Records(ctx, s, query) {
		if err != nil {
			return nil, err
		}
		if r.Seq < from {
			break
		}
		for _, tx := range r.Undoes {
			keys.Add(string(SpelledIn(tx))) // whether it is as new as this
		}
		if len(r.Ops) > 0 && Decides(r) && s.Failed(r) == nil && r.Tx != pending {
			h.Records = append(h.Records, r)
		}
	}
	slices.Reverse(h.Records)
	return h, nil
}

// TxIn is the transaction that a line is of.
func TxIn(line []byte) string {
	_, rest, _ := bytes.Cut(line, txLead)
	tx, _, _ := bytes.Cut(rest, []byte{'"'})
	return string(tx)
}
