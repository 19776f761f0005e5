package emend

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// pace is how often Follow looks for news.
const pace = 200 * time.Millisecond

// Follow tells what the log has, as [Workspace.History] would list it but the oldest first, and then what comes, until
// ctx ends. There need not be a store yet. A change that is taken back after it was told is told again, as the entry that
// it has become. What a person should know is told as notes, each once. An error of tell ends it.
func (w *Workspace) Follow(ctx context.Context, r HistoryRequest, tell func(entries []LogEntry, notes []string) error) error {
	if err := w.enter(); err != nil {
		return cannot(err)
	}
	defer w.calls.Done()
	want, err := w.wants(r)
	if err != nil {
		return cannot(err)
	}
	f := &follower{w: w, want: want, tell: tell, told: map[string]bool{}}
	defer f.close()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		if err := f.look(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// follower is where a Follow stands.
type follower struct {
	w    *Workspace
	want *wanted
	tell func([]LogEntry, []string) error

	j     *journal
	begun bool
	at    audit.Head      // the newest record that was told of
	seen  string          // the names and sizes of the log when it was
	told  map[string]bool // notes
}

func (f *follower) close() {
	if f.j != nil {
		f.j.close()
	}
	f.j = nil
}

// look tells what is new.
func (f *follower) look(ctx context.Context) error {
	if err := f.open(); err != nil {
		return cannot(err)
	}
	if f.j.log == nil {
		f.close()
		return nil
	}
	sizes, err := sizes(f.j.dir)
	if err != nil || sizes == "" {
		f.close() // it was moved, or replaced: it is looked for again
		return nil
	}
	if sizes == f.seen {
		return nil
	}
	if f.j.log, err = audit.Open(f.j.dir, audit.Options{}); err != nil {
		return cannot(storeError(err))
	}
	entries, err := f.news(ctx)
	if err != nil {
		return cannot(err)
	}
	f.at, f.seen, f.begun = f.j.log.Head(), sizes, true
	notes := slices.DeleteFunc(f.j.notes, func(n string) bool { return f.told[n] })
	f.j.notes = nil
	for _, n := range notes {
		f.told[n] = true
	}
	if len(entries) == 0 && len(notes) == 0 {
		return nil
	}
	return f.tell(entries, notes)
}

func (f *follower) open() error {
	if f.j != nil {
		return nil
	}
	var err error
	f.seen = ""
	f.j, err = f.w.journal()
	return err
}

// news are the entries since the last look, the oldest first.
func (f *follower) news(ctx context.Context) ([]LogEntry, error) {
	var out []LogEntry
	var err error
	if !f.begun {
		var data HistoryData
		data, err = f.j.list(ctx, f.want)
		out = data.Entries
	} else {
		out, err = f.since(ctx)
	}
	slices.SortStableFunc(out, func(a, b LogEntry) int { return cmp.Compare(a.Seq, b.Seq) })
	return out, err
}

// since are the entries of records after the last that was told of, and of what they take back.
func (f *follower) since(ctx context.Context) ([]LogEntry, error) {
	var out []LogEntry
	if f.j.log.Head().Seq < f.at.Seq {
		f.replaced()
		return nil, nil
	}
	s, back := newScan(), map[string]bool{}
	for r, err := range f.j.records(ctx, s, audit.Query{}) {
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
			out = append(out, f.j.entries(s, r, f.want)...)
		}
		if decides(r) {
			delete(back, r.Tx)
		}
	}
	return out, nil
}

func (f *follower) replaced() {
	f.j.note("The log is another one now, after record %d; what it has from here on is shown.", f.j.log.Head().Seq)
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
