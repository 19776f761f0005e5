package emend

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/fail"
)

// SessionChanges is all that a session did to the files, as one difference.
type SessionChanges struct {
	SessionID string
	Calls     []LoggedCall // the newest first; at most 200
	CallCount int
	Files     []SessionFile // by path
	Notes     []string
}

// SessionFile is one file that a session touched: from what it was before the session to what the session left.
type SessionFile struct {
	Operation     string // add, update, delete, move; "" when the session left it as it was
	Path, ToPath  string
	Before, After string // sha256; "" for nothing
	Diff          string
	NotShown      string // why there is no diff
	Entries       []string
	Others        []string // entries of other sessions that changed it in between, which the difference shows too
	Outside       bool     // so did somebody outside of emend
}

const (
	maxSessionCalls = 200
	maxSessionFiles = 256     // of which the difference is worked out
	maxSessionText  = 4 << 20 // of each side of a difference
)

// SessionChanges works out what a session did: for each file what it was before the session first touched it, and what
// the session left. What others did to it in between is part of the difference, and said. It waits for no lock.
func (w *Workspace) SessionChanges(ctx context.Context, session string) (out *SessionChanges, err error) {
	if session == "" {
		return nil, cannot(badField("session", `""`, "Name a session, as emend log lists it."))
	}
	err = w.consult(func(j *journal) (err error) {
		out, err = j.sessionChanges(ctx, session)
		return err
	})
	return out, err
}

func (j *journal) sessionChanges(ctx context.Context, session string) (*SessionChanges, error) {
	out := &SessionChanges{SessionID: session, Files: []SessionFile{}}
	first, paths, err := j.called(ctx, out)
	if err != nil {
		return nil, err
	}
	if out.CallCount == 0 {
		return nil, &fail.Error{Kind: fail.NotFound, Msg: "no session is called " + fail.Quote(session), Hint: "emend log (the history tool) lists the sessions."}
	}
	h, err := j.changes(ctx, first, paths)
	if err != nil {
		return nil, err
	}
	d := &doings{j: j, session: session, at: map[string]*doing{}, kept: map[string][]string{}}
	for _, r := range h.records {
		d.record(r)
	}
	slices.SortStableFunc(d.all, func(a, b *doing) int { return strings.Compare(a.left, b.left) })
	for i, f := range d.all {
		if f.finish(); i >= maxSessionFiles {
			f.NotShown = "only the first 256 files are compared: look at the entries"
		} else if err := d.compare(ctx, f); err != nil {
			return nil, err
		}
		out.Notes = append(out.Notes, f.notes()...)
		out.Files = append(out.Files, f.SessionFile)
	}
	out.Notes = append(out.Notes, j.notes...)
	return out, nil
}

// called lists the calls of a session, and finds the number of the first and the paths that it touched.
func (j *journal) called(ctx context.Context, out *SessionChanges) (first uint64, paths places, err error) {
	want, by := &sought{wanted: wanted{session: out.SessionID}}, audit.Field("session", out.SessionID)
	s, keys := newScan(), audit.Keys{}
	keys.Add(string(spelledIn(out.SessionID)))
	paths = places{}
	for r, err := range j.records(ctx, s, j.sifted(s, keys, func(line []byte) bool { return bytes.Contains(line, by) })) {
		if err != nil {
			return 0, nil, err
		}
		c, ok := j.call(s, r, want)
		if !ok {
			continue
		}
		first = r.Seq
		if out.CallCount++; len(out.Calls) < maxSessionCalls {
			out.Calls = append(out.Calls, c)
		}
		for _, op := range r.Ops {
			paths.add(op.Path)
			paths.add(op.ToPath)
		}
	}
	delete(paths, `""`)
	return first, paths, nil
}

// finish says what the session did to the file in all.
func (f *doing) finish() {
	f.Path, f.Before, f.After = f.first, f.before, f.after
	switch moved := f.first != f.left; {
	case f.before == "" && f.after == "":
		f.Path = f.left
	case f.before == "":
		f.Operation, f.Path = "add", f.left
	case f.after == "":
		f.Operation = "delete"
	case moved:
		f.Operation, f.ToPath = "move", f.left
	case f.before != f.after:
		f.Operation = "update"
	}
}

// notes says who else had a hand in it.
func (f *doing) notes() (out []string) {
	name := cmp.Or(f.ToPath, f.Path)
	if len(f.Others) > 0 {
		out = append(out, fail.Quote(name)+" was also changed by other sessions in between ("+someOf(f.Others)+"), and the difference shows that too.")
	}
	if f.Outside {
		out = append(out, fail.Quote(name)+" was also changed outside of emend in between, and the difference shows that too.")
	}
	return out
}
