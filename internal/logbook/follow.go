package logbook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

// followInterval is the time between two looks of Follow.
const followInterval = 200 * time.Millisecond

// follower is the state of one Follow.
type follower struct {
	w      *workspace.Workspace
	filter *Filter
	tell   func([]api.LogEntry, []string) error

	rd    *Reader
	begun bool
	head  audit.Head // the newest record that was told
	stamp string     // of the log when it was
	noted map[string]bool
}

// Follow calls tell with the entries that the log has, the oldest first, and then with those that come, until ctx ends. It
// tells an entry again when its change was aborted, or a recovery took it back, after it was told. It tells each note
// once. It returns an error of tell as it is.
func Follow(ctx context.Context, w *workspace.Workspace, r api.HistoryRequest, tell func(entries []api.LogEntry, notes []string) error) error {
	filter, err := newHistoryFilter(w, r)
	if err != nil {
		return err
	}
	f := &follower{w: w, filter: filter, tell: tell, noted: map[string]bool{}}
	defer f.close()
	return poll(ctx, followInterval, func() error { return f.look(ctx) })
}

func (f *follower) close() {
	if f.rd != nil {
		f.rd.Close()
	}
	f.rd = nil
}

// look tells what is new.
func (f *follower) look(ctx context.Context) error {
	if f.rd == nil {
		var err error
		f.stamp = ""
		if f.rd, err = Open(f.w); err != nil {
			return err
		}
	}
	if f.rd.Log == nil {
		f.close()
		return nil
	}
	stamp, err := stampOf(f.rd.dir)
	if err != nil || stamp == "" {
		f.close() // the store was moved or replaced: the next look opens it again
		return nil
	}
	if stamp == f.stamp {
		return nil
	}
	if f.rd.Log, err = audit.Open(f.rd.dir, audit.Options{}); err != nil {
		return workspace.StoreError(err)
	}
	entries, err := f.news(ctx)
	if err != nil {
		return err
	}
	f.head, f.stamp, f.begun = f.rd.Log.Head(), stamp, true
	notes := slices.DeleteFunc(f.rd.Notes, func(n string) bool { return f.noted[n] })
	f.rd.Notes = nil
	for _, n := range notes {
		f.noted[n] = true
	}
	if len(entries) == 0 && len(notes) == 0 {
		return nil
	}
	return f.tell(entries, notes)
}

// news returns the entries since the last look, the oldest first.
func (f *follower) news(ctx context.Context) (out []api.LogEntry, err error) {
	if f.begun {
		out, err = f.since(ctx)
	} else {
		var data api.HistoryData
		data, err = f.rd.history(ctx, f.filter)
		out = data.Entries
	}
	slices.SortStableFunc(out, func(a, b api.LogEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	return out, err
}

// since returns the entries of the records after the last look, and of older ones that failed since.
func (f *follower) since(ctx context.Context) ([]api.LogEntry, error) {
	var out []api.LogEntry
	if f.rd.Log.Head().Seq < f.head.Seq {
		f.noteReplaced()
		return nil, nil
	}
	o, failed := NewOutcomes(), map[string]bool{}
	for r, err := range f.rd.Records(ctx, o, audit.Query{}) {
		if err != nil {
			return nil, err
		}
		if r.Seq == f.head.Seq && r.H != f.head.H {
			f.noteReplaced()
			return nil, nil
		}
		if r.Seq <= f.head.Seq && len(failed) == 0 {
			break
		}
		switch {
		case r.Kind == audit.Abort || r.Kind == audit.Recovered && !r.OK:
			failed[r.Tx] = true
		case r.Seq > f.head.Seq || failed[r.Tx]:
			out = append(out, f.rd.entries(o, r, f.filter)...)
		}
		if IsTransaction(r) {
			delete(failed, r.Tx)
		}
	}
	return out, nil
}

func (f *follower) noteReplaced() {
	f.rd.note("The log is another one now, after record %d; what it has from here on is shown.", f.rd.Log.Head().Seq)
}
