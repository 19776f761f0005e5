package logbook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// Pace is how often Follow looks for news.
const Pace = 200 * time.Millisecond

// Follower is where a Follow stands.
type Follower struct {
	W    *workspace.Workspace
	Want *Wanted
	Tell func([]api.LogEntry, []string) error

	j     *Journal
	begun bool
	at    audit.Head      // the newest record that was told of
	seen  string          // the names and sizes of the log when it was
	Told  map[string]bool // notes
}

func (f *Follower) Close() {
	if f.j != nil {
		f.j.Close()
	}
	f.j = nil
}

// Look tells what is new.
func (f *Follower) Look(ctx context.Context) error {
	if err := f.open(); err != nil {
		return outcome.Cannot(err)
	}
	if f.j.Log == nil {
		f.Close()
		return nil
	}
	sizes, err := sizes(f.j.dir)
	if err != nil || sizes == "" {
		f.Close() // it was moved, or replaced: it is looked for again
		return nil
	}
	if sizes == f.seen {
		return nil
	}
	if f.j.Log, err = audit.Open(f.j.dir, audit.Options{}); err != nil {
		return outcome.Cannot(workspace.StoreError(err))
	}
	entries, err := f.news(ctx)
	if err != nil {
		return outcome.Cannot(err)
	}
	f.at, f.seen, f.begun = f.j.Log.Head(), sizes, true
	notes := slices.DeleteFunc(f.j.Notes, func(n string) bool { return f.Told[n] })
	f.j.Notes = nil
	for _, n := range notes {
		f.Told[n] = true
	}
	if len(entries) == 0 && len(notes) == 0 {
		return nil
	}
	return f.Tell(entries, notes)
}

func (f *Follower) open() error {
	if f.j != nil {
		return nil
	}
	var err error
	f.seen = ""
	f.j, err = JournalWorkspace(f.W)
	return err
}

// news are the entries since the last look, the oldest first.
func (f *Follower) news(ctx context.Context) ([]api.LogEntry, error) {
	var out []api.LogEntry
	var err error
	if !f.begun {
		var data api.HistoryData
		data, err = f.j.List(ctx, f.Want)
		out = data.Entries
	} else {
		out, err = f.since(ctx)
	}
	slices.SortStableFunc(out, func(a, b api.LogEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	return out, err
}

// since are the entries of records after the last that was told of, and of what they take back.
func (f *Follower) since(ctx context.Context) ([]api.LogEntry, error) {
	var out []api.LogEntry
	if f.j.Log.Head().Seq < f.at.Seq {
		f.replaced()
		return nil, nil
	}
	s, back := NewScan(), map[string]bool{}
	for r, err := range f.j.Records(ctx, s, audit.Query{}) {
		if err != nil {
			return nil, err
		}
		if r.Seq == f.at.Seq && r.H != f.at.H {
			f.replaced()
			return nil, nil
		}
		if r.Seq <= f.at.Seq && len(back) == 0 {
			break
		}
		switch {
		case r.Kind == audit.Abort || r.Kind == audit.Recovered && !r.OK:
			back[r.Tx] = true
		case r.Seq > f.at.Seq || back[r.Tx]:
			out = append(out, f.j.entries(s, r, f.Want)...)
		}
		if Decides(r) {
			delete(back, r.Tx)
		}
	}
	return out, nil
}

func (f *Follower) replaced() {
	f.j.note("The log is another one now, after record %d; what it has from here on is shown.", f.j.Log.Head().Seq)
}

// sizes is how the log looks from outside: it changes with every record.
func sizes(dir vfs.Dir) (string, error) {
	names, err := dir.Names()
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		is, err := dir.Stat(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %d %v %d\n", name, is.Size, is.ID, is.ModTime.UnixNano())
	}
	return b.String(), nil
}
