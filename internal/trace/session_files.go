package trace

import (
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/logbook"
)

// sessionFiles collects the files that one session changed, or some entries of it, by reading the log forward from the first of them.
type sessionFiles struct {
	rd       *logbook.Reader
	contents kept.Contents
	own      func(*audit.Record) bool // reports whether an entry is one of them
	files    []*sessionFile
	byPath   map[string]*sessionFile // by the path that a file has reached; one that was overwritten is not followed on
	slots    kept.BySum
	diffs    []string // of the transaction diffsOf
	diffsOf  string
}

// sessionFile is one of these files.
type sessionFile struct {
	api.SessionFile
	first, left   string // the paths at which the session found and left it
	before, after string // the sums that it found and left
	path, sum     string // now
	changes       []fileChange
	since         sinceTouched
}

// fileChange is one change to a file, by whomever.
type fileChange struct {
	tx    string
	index int // in the transaction
	op    audit.Op
}

// sinceTouched collects what others did to a file after the session changed it last. It becomes part of the difference when
// the session changes the file again.
type sinceTouched struct {
	changes []fileChange
	others  []string
	outside bool
}

// record follows the files through one entry.
func (s *sessionFiles) record(r *audit.Record) {
	touched := false
	for i, raw := range r.Ops {
		if op, ok := s.rd.Local(raw); ok && s.change(r, i, op) {
			touched = true
		}
	}
	if !touched {
		return
	}
	for i := range r.Acts {
		a := &r.Acts[i]
		if path, ok := s.rd.FromTop(a.Path); ok && !a.Gone && s.rd.Guard.CheckRead(path) == nil {
			s.slots.Add(r.Tx, a)
		}
	}
}

// change follows the files through one change, and reports whether that touched one of the session's.
func (s *sessionFiles) change(r *audit.Record, i int, op audit.Op) bool {
	own := s.own(r)
	from, to := s.byPath[op.Path], s.byPath[op.ToPath]
	if from == nil && own {
		from = s.begin(op.Path, op.Before)
	}
	if to == nil && own && op.ToPath != "" {
		if old := s.overwritten(r, op.ToPath); old != "" {
			to = s.begin(op.ToPath, old)
		}
	}
	if from == nil && to == nil {
		return false
	}
	c := fileChange{r.Tx, i, op}
	if to != nil {
		after := ""
		if from == nil {
			after = op.After // the file that moved is none of the session's: for the session, this one changed
		}
		to.change(c, own, to.sum, after, op.ToPath)
	}
	if from == nil {
		return true
	}
	after, path := op.After, op.Path
	if op.ToPath != "" {
		path = op.ToPath
		delete(s.byPath, op.Path)
		s.byPath[path] = from
	} else if isDeletion(op) {
		after = ""
	}
	from.change(c, own, op.Before, after, path)
	return true
}

// begin begins to follow a file that the session changes for the first time.
func (s *sessionFiles) begin(path, before string) *sessionFile {
	f := &sessionFile{first: path, left: path, path: path, before: before, after: before, sum: before}
	s.files = append(s.files, f)
	s.byPath[path] = f
	return f
}

// overwritten returns the sum of the file that a move replaced, "" when it replaced none.
func (s *sessionFiles) overwritten(r *audit.Record, path string) string {
	for _, a := range r.Acts {
		if p, ok := s.rd.FromTop(a.Path); ok && p == path && a.Do == audit.DoSwap && a.Old != nil {
			return a.Old.Sum
		}
	}
	return ""
}

// change adds a change that found before and left after, at path.
func (f *sessionFile) change(c fileChange, own bool, before, after, path string) {
	f.since.outside = f.since.outside || before != f.sum
	f.since.changes = append(f.since.changes, c)
	if f.sum, f.path = after, path; !own {
		f.since.others = append(f.since.others, c.tx)
		return
	}
	f.after, f.left = after, path
	f.changes = append(f.changes, f.since.changes...)
	f.Outside = f.Outside || f.since.outside
	f.Others = append(f.Others, f.since.others...)
	f.since = sinceTouched{}
	if n := len(f.Entries); n == 0 || f.Entries[n-1] != c.tx {
		f.Entries = append(f.Entries, c.tx)
	}
}
