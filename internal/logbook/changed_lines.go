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

// changedLines returns the added and removed lines of a transaction, each with its sign, in the files that may be read. ok is
// false if its diff is not kept, or too long for a list.
func (rd *Reader) changedLines(r *audit.Record) (lines iter.Seq[string], ok bool) {
	name := history.DiffName(r.Tx)
	if is, _, err := rd.History.Stat(name); err != nil || is.Size > maxListedDiff {
		return nil, false
	}
	diffs := rd.Diffs(r.Tx)
	return func(yield func(string) bool) {
		for i := range r.Ops {
			op, inside := rd.Local(r.Ops[i])
			if !inside || rd.Readable(op) != nil {
				continue
			}
			_, hunks, _ := strings.Cut(report.DiffOf(diffs, i, r.Ops[i].Path, r.Ops[i].ToPath), "\n@@ ")
			for line := range strings.Lines("@@ " + hunks) {
				if (line[0] == '+' || line[0] == '-') && !yield(line) {
					return
				}
			}
		}
	}, len(diffs) > 0
}

// countLines counts the lines of a change, nil if it changed nothing or its diff is not kept.
func (rd *Reader) countLines(o *Outcomes, r *audit.Record) *api.LineCount {
	if !IsTransaction(r) || o.Failed(r) != nil {
		return nil
	}
	lines, ok := rd.changedLines(r)
	if !ok {
		return nil
	}
	n := &api.LineCount{}
	for line := range lines {
		if line[0] == '+' {
			n.Added++
		} else {
			n.Removed++
		}
	}
	return n
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
	for line := range lines {
		if strings.Contains(strings.ToLower(line[1:]), f.content) {
			return true
		}
	}
	return false
}
