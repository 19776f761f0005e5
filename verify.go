package emend

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/patch"
)

// ParseHead reads a head as [Head.String] writes it: the number of a record, a colon and its hash.
func ParseHead(s string) (Head, error) { return audit.ParseHead(s) }

// VerifyReport is what [Workspace.Verify] found.
type VerifyReport struct {
	OK       bool           `json:"ok"` // the chain is whole, and every head is in it
	Store    string         `json:"store,omitempty"`
	Head     Head           `json:"head"`     // of the newest record: keep it elsewhere
	Segments int            `json:"segments"` // files of the log
	Records  int            `json:"records"`
	Kinds    map[string]int `json:"kinds"`          // how many of each
	Void     int            `json:"void,omitempty"` // records that the log itself declared void
	Lost     uint64         `json:"lost,omitempty"` // unsynced records that a power cut took
	Torn     int64          `json:"torn,omitempty"` // bytes at the end that are no whole record
	Breaks   []Break        `json:"breaks"`         // damages of the chain, the first hundred
	Missing  []Head         `json:"missing"`        // heads that are not in the log
	Same     int            `json:"same"`           // files that are as the log has them
	Files    []FileState    `json:"files"`          // those that are not, by path
	Notes    []string       `json:"notes"`
}

// Break is one damage of the chain.
type Break struct {
	Segment string `json:"segment"`
	Line    int    `json:"line"`
	After   uint64 `json:"after"` // the number of the last good record before it
	Why     string `json:"why"`
}

// FileState is a file that is not as the log has it last.
type FileState struct {
	Path     string `json:"path"`
	State    State  `json:"state"`
	Entry    string `json:"entry"`              // the last that changed it
	Expected string `json:"expected,omitempty"` // sha256; empty when it was deleted
	Actual   string `json:"actual,omitempty"`
	Why      string `json:"why,omitempty"` // of one that is unknown
}

// State is what became of a file since the log speaks of it last.
type State string

// The states. Whoever changes files without emend makes them so; that is no damage.
const (
	FileSame    State = "same"
	FileChanged State = "changed" // by somebody else
	FileGone    State = "gone"
	FileBack    State = "back"    // it was deleted, and something is there again
	FileUnknown State = "unknown" // it cannot be read: protected, or no regular file
)

// Verify checks every record of the log, that heads which somebody kept are in it, and compares each file with its last
// entry. It reads only, and tells a [WithProgress] how far it is. What it finds wrong is in the report; the error is for what it cannot read.
func (w *Workspace) Verify(ctx context.Context, heads ...Head) (*VerifyReport, error) {
	if err := w.enter(); err != nil {
		return nil, err
	}
	defer w.calls.Done()
	j, err := w.anyJournal()
	if err != nil {
		return nil, err
	}
	defer j.close()
	v := &VerifyReport{Store: j.store, Kinds: map[string]int{}, Breaks: []Break{}, Missing: slices.Clone(heads), Files: []FileState{}}
	if err := v.chain(j, heads); err != nil {
		return nil, err
	}
	if err := v.files(ctx, j); err != nil {
		return nil, err
	}
	v.Notes = append([]string{}, j.notes...)
	return v, nil
}

// chain checks the log itself.
func (v *VerifyReport) chain(j *journal, heads []Head) error {
	if j.log == nil {
		j.note("There is no store yet, so there is nothing to verify.")
		v.OK = len(heads) == 0
		return nil
	}
	rep, err := audit.Verify(j.dir, heads...)
	if err != nil {
		return storeError(err)
	}
	v.OK, v.Head, v.Segments, v.Records = rep.Whole(), rep.Head, rep.Segments, rep.Records
	v.Void, v.Lost, v.Torn = rep.Void, rep.Lost, rep.Torn
	for k, n := range rep.Kinds {
		v.Kinds[string(k)] = n
	}
	for _, c := range rep.Breaks {
		v.Breaks = append(v.Breaks, Break{c.Segment, c.Line, c.Seq, c.Why})
	}
	v.Missing = append([]Head{}, rep.Missing...)
	return nil
}

// last is how the log has a file.
type last struct{ entry, sum string }

// files compares each file with its last entry.
func (v *VerifyReport) files(ctx context.Context, j *journal) error {
	known, err := j.last(ctx)
	if err != nil {
		return err
	}
	paths := make([]string, 0, len(known))
	for p := range known {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	tell := progress(ctx)
	for i, p := range paths {
		if ctx.Err() != nil {
			return cancelled(ctx)
		}
		if tell != nil {
			tell(i, len(paths), "files compared")
		}
		f, err := j.compare(ctx, p, known[p])
		if err != nil {
			return err
		}
		if f.State == FileSame {
			v.Same++
		} else {
			v.Files = append(v.Files, f)
		}
	}
	return nil
}

// last collects, of every path below the root, what the newest transaction that changed it left there. What is damaged
// in the log is in the report by now.
func (j *journal) last(ctx context.Context) (map[string]last, error) {
	s, out, notes := newScan(), map[string]last{}, j.notes
	defer func() { j.notes = notes }()
	for r, err := range j.records(ctx, s, audit.Query{}) {
		if err != nil {
			return nil, storeError(err)
		}
		if !decides(r) || s.failed(r) != nil {
			continue
		}
		for _, op := range slices.Backward(r.Ops) {
			j.leaves(r, op, func(p, sum string) {
				if _, ok := out[p]; !ok {
					out[p] = last{r.Tx, sum}
				}
			})
		}
	}
	return out, nil
}

// leaves says what op left at its paths: a hash, or "" for nothing.
func (j *journal) leaves(r *audit.Record, op audit.Op, put func(p, sum string)) {
	at := func(p, sum string) {
		if p, ok := j.below(p); ok {
			put(p, sum)
		}
	}
	switch op.Operation {
	case patch.Delete.String():
		at(op.Path, "")
	case patch.Move.String():
		at(op.ToPath, cmp.Or(op.After, op.Before))
		at(op.Path, "")
	default:
		at(op.Path, op.After)
	}
}

// compare looks at a file. The error is that of a context that ended.
func (j *journal) compare(ctx context.Context, p string, was last) (FileState, error) {
	f := FileState{Path: p, Entry: was.entry, Expected: was.sum}
	e, err := j.guard.Look(p, guard.Ask{})
	if err == nil && e.Kind == guard.Regular && was.sum != "" {
		f.Actual, _, err = j.guard.Hash(ctx, e)
	}
	if ctx.Err() != nil {
		return f, cancelled(ctx)
	}
	missing := errors.Is(err, fail.NotFound) || err == nil && e.Kind == guard.Missing
	if err == nil && e.Kind == guard.Symlink {
		f.Actual = sum(e.Target)
	}
	switch {
	case missing && was.sum == "":
		f.State = FileSame
	case missing:
		f.State = FileGone
	case err != nil:
		f.State, f.Why = FileUnknown, err.Error()
		if j.guard.Readable(p) != nil {
			f.Expected = "" // a short secret can be guessed from its hash
		}
	case was.sum == "":
		f.State = FileBack
	case f.Actual == was.sum:
		f.State = FileSame
	case e.Kind == guard.Special:
		f.State, f.Why = FileUnknown, "it is no regular file"
	default:
		f.State = FileChanged
	}
	return f, nil
}
