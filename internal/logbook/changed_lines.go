package logbook

import (
	"iter"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
)

// maxListedDiff limits the diffs that are read for a list of calls.
const maxListedDiff = 1 << 20

// changedLines returns the added and removed lines of each file of a transaction, each line with its sign, with the index of the file in
// r.Ops. ok is false if its diff is not kept, or too long for a list.
func (rd *Reader) changedLines(r *audit.Record) (lines iter.Seq2[int, string], ok bool) {
	name := history.DiffName(r.Tx)
	if is, _, err := rd.History.Stat(name); err != nil || is.Size > maxListedDiff {
		return nil, false
	}
	diffs := rd.Diffs(r.Tx)
	return func(yield func(int, string) bool) {
		for i := range r.Ops {
			_, hunks, _ := strings.Cut(report.DiffOf(diffs, i, r.Ops[i].Path, r.Ops[i].ToPath), "\n@@ ")
			for line := range strings.Lines("@@ " + hunks) {
				if (line[0] == '+' || line[0] == '-') && !yield(i, line) {
					return
				}
			}
		}
	}, len(diffs) > 0
}

// mayRead reports whether a file of a record is below the root and may be read.
func (rd *Reader) mayRead(op audit.Op) bool {
	op, inside := rd.Local(op)
	return inside && rd.Readable(op) == nil
}

// countLines counts the lines of a change, nil if it changed nothing or its diff is not kept. It reads the diff once in the life of the
// workspace, as far as memory goes.
func (rd *Reader) countLines(o *Outcomes, r *audit.Record) *api.LineCount {
	if !IsTransaction(r) || o.Failed(r) != nil {
		return nil
	}
	counts, ok := rd.counts.Get(r.H)
	if !ok {
		lines, kept := rd.changedLines(r)
		if !kept {
			return nil
		}
		counts = make([]api.LineCount, len(r.Ops))
		for i, line := range lines {
			if line[0] == '+' {
				counts[i].Added++
			} else {
				counts[i].Removed++
			}
		}
		rd.counts.Put(r.H, counts)
	}
	sum := &api.LineCount{}
	for i, n := range counts {
		if n != (api.LineCount{}) && rd.mayRead(r.Ops[i]) {
			sum.Added, sum.Removed = sum.Added+n.Added, sum.Removed+n.Removed
		}
	}
	return sum
}

// changedLineContains reports whether a changed line contains the content that the filter asks for.
func (rd *Reader) changedLineContains(r *audit.Record, f *Filter) bool {
	if !IsTransaction(r) {
		return false
	}
	lines, ok := rd.changedLines(r)
	if !ok {
		return false
	}
	for i, line := range lines {
		if strings.Contains(strings.ToLower(line[1:]), f.content) && rd.mayRead(r.Ops[i]) {
			return true
		}
	}
	return false
}
