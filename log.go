package emend

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/trace"
)

// Tally counts what the log has, by the hour and by who asked. Refresh reads on from where the last one ended.
type Tally struct {
	w        *Workspace
	Hours    map[int64]api.Count // by the hour, in hours since 1970, in UTC; the newest 2,000
	Sessions []api.SessionCount  // the newest first; at most 1,000
	Agents   []string
	Clients  []string
	Tools    []string
	Calls    int
	Head     api.Head
	Notes    []string
}

// Show tells all of one entry: a transaction by its name or by the first six or more characters of it, a record by its
// number (#12, or 12).
func (w *Workspace) Show(ctx context.Context, entry string) (a *outcome.Answer[api.EntryData], err error) {
	err = w.consult(func(j *logbook.Journal) error {
		s, r, err := j.Find(ctx, entry)
		if err != nil {
			return err
		}
		data := j.Tell(s, r)
		a = outcome.Found(data, logbook.Text(&data, j.Notes))
		a.Notes = j.Notes
		return nil
	})
	return a, err
}

// Fates says what became of the files of an entry, in the order of its files: by what the log has of them since, and by
// what is there now. An entry that changed nothing has none. It waits for no lock.
func (w *Workspace) Fates(ctx context.Context, entry string) (out []api.Fate, err error) {
	err = w.consult(func(j *logbook.Journal) (err error) {
		out, err = trace.Fates(ctx, j, entry)
		return err
	})
	return out, err
}

// FileHistory follows a file back from where it is now, or was last, through its moves. At each path it goes on with what
// was there before, also when that was deleted or moved away. It waits for no lock.
func (w *Workspace) FileHistory(ctx context.Context, path string, limit int) (*api.FileHistory, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	if limit <= 0 {
		limit = trace.MaxVersions
	}
	h, err := trace.FileHistory(ctx, w.s, path, limit)
	return h, outcome.Cannot(err)
}

// Follow tells what the log has, as [Workspace.History] would list it but the oldest first, and then what comes, until
// ctx ends. There need not be a store yet. A change that is taken back after it was told is told again, as the entry that
// it has become. What a person should know is told as notes, each once. An error of tell ends it.
func (w *Workspace) Follow(ctx context.Context, r api.HistoryRequest, tell func(entries []api.LogEntry, notes []string) error) error {
	if err := w.s.Enter(); err != nil {
		return outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	want, err := logbook.Wants(w.s, r)
	if err != nil {
		return outcome.Cannot(err)
	}
	f := &logbook.Follower{W: w.s, Want: want, Tell: tell, Told: map[string]bool{}}
	defer f.Close()
	tick := time.NewTicker(logbook.Pace)
	defer tick.Stop()
	for {
		if err := f.Look(ctx); err != nil {
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

// consult calls f with the log open. It waits for no lock.
func (w *Workspace) consult(f func(*logbook.Journal) error) error {
	if err := w.s.Enter(); err != nil {
		return outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	j, err := logbook.JournalWorkspace(w.s)
	if err != nil {
		return outcome.Cannot(err)
	}
	defer j.Close()
	return outcome.Cannot(f(j))
}

// History lists what the log has, the newest first: one entry for every file that a call changed, or tried to, below
// the workspace's root. It waits for no lock. With r.Limit below zero it lists all.
func (w *Workspace) History(ctx context.Context, r api.HistoryRequest) (a *outcome.Answer[api.HistoryData], err error) {
	err = w.consult(func(j *logbook.Journal) error {
		want, err := logbook.Wants(w.s, r)
		if err != nil {
			return err
		}
		data, err := j.List(ctx, want)
		if err != nil {
			return err
		}
		a = outcome.Found(data, logbook.Listing(data, j.Notes))
		a.Notes = j.Notes
		return nil
	})
	return a, err
}

// SessionChanges works out what a session did: for each file what it was before the session first touched it, and what
// the session left. What others did to it in between is part of the difference, and said. It waits for no lock.
func (w *Workspace) SessionChanges(ctx context.Context, session string) (out *api.SessionChanges, err error) {
	if session == "" {
		return nil, outcome.Cannot(caller.BadField("session", `""`, "Name a session, as emend log lists it."))
	}
	err = w.consult(func(j *logbook.Journal) (err error) {
		out, err = trace.SessionChanges(ctx, j, session)
		return err
	})
	return out, err
}

// NewTally makes a tally that has counted nothing yet.
func (w *Workspace) NewTally() *Tally { return &Tally{w: w, Hours: map[int64]api.Count{}} }

// Refresh counts what is new in the log, and keeps nothing open. It is for one goroutine at a time. After an error the tally
// is as it was.
func (t *Tally) Refresh(ctx context.Context) error {
	return t.w.consult(func(j *logbook.Journal) error { return t.refresh(ctx, j) })
}

func (t *Tally) refresh(ctx context.Context, j *logbook.Journal) error {
	var head api.Head
	if j.Log != nil {
		head = j.Log.Head()
	}
	if head == t.Head {
		return nil
	}
	news, same, err := j.Count(ctx, t.Head)
	if err != nil {
		return err
	}
	if !same {
		*t = *t.w.NewTally()
		if j.Log == nil {
			return nil
		}
		j.Notes = []string{"The log is another one now; it was counted anew."}
		if news, _, err = j.Count(ctx, api.Head{}); err != nil {
			return err
		}
	}
	t.add(news)
	t.Head = head
	for _, n := range j.Notes {
		if !slices.Contains(t.Notes, n) {
			t.Notes = append(t.Notes, n)
		}
	}
	return nil
}

// add takes in what is new.
func (t *Tally) add(news *logbook.News) {
	t.Calls += news.Calls
	for hour, c := range news.Hours {
		if c = c.And(t.Hours[hour]); min(c.Done, c.Refused, c.Undone) >= 0 { // else it is of an hour that was let go
			t.Hours[hour] = c
		}
	}
	if n := len(t.Hours) - logbook.MaxHours; n > 0 {
		for _, hour := range slices.Sorted(maps.Keys(t.Hours))[:n] {
			delete(t.Hours, hour)
		}
	}
	for i := range t.Sessions {
		s := &t.Sessions[i]
		if n := news.Sessions[s.ID]; n != nil {
			s.And(n)
			delete(news.Sessions, s.ID)
		}
	}
	for _, n := range news.Sessions {
		if !n.Last.IsZero() {
			t.Sessions = append(t.Sessions, *n)
		}
	}
	slices.SortFunc(t.Sessions, func(a, b api.SessionCount) int { return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.ID, b.ID)) })
	t.Sessions = slices.Clone(t.Sessions[:min(len(t.Sessions), logbook.MaxSessions)])
	t.Agents, t.Clients, t.Tools = logbook.Joined(t.Agents, news.Agents), logbook.Joined(t.Clients, news.Clients), logbook.Joined(t.Tools, news.Tools)
}

// Timeline lists calls, each with all its files, where [Workspace.History] lists files. It waits for no lock.
func (w *Workspace) Timeline(ctx context.Context, r api.TimelineRequest) (t *api.Timeline, err error) {
	err = w.consult(func(j *logbook.Journal) error {
		want, err := logbook.Seeks(w.s, r)
		if err == nil {
			t, err = j.Timeline(ctx, want)
		}
		return err
	})
	return t, err
}

// Verify checks every record of the log, that heads which somebody kept are in it, and compares each file with its last
// entry. It reads only, and tells a [WithProgress] how far it is. What it finds wrong is in the report; the error is for what it cannot read.
func (w *Workspace) Verify(ctx context.Context, heads ...api.Head) (*api.VerifyReport, error) {
	if err := w.s.Enter(); err != nil {
		return nil, err
	}
	defer w.s.Calls.Done()
	j, err := logbook.AnyJournal(w.s)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	v := &api.VerifyReport{Store: j.Store, Kinds: map[string]int{}, Breaks: []api.Break{}, Missing: slices.Clone(heads), Files: []api.FileState{}}
	if err := logbook.Chain(v, j, heads); err != nil {
		return nil, err
	}
	if err := logbook.Files(ctx, v, j); err != nil {
		return nil, err
	}
	v.Notes = append([]string{}, j.Notes...)
	return v, nil
}

// Watch tells the head of the log, at once and then whenever it is another one, until ctx ends. Between two looks nothing is
// open, and as long as nothing was written a look costs the names and sizes of the log. There need not be a store yet: its
// head is zero. A store that cannot be read for a time is looked for again; one that cannot at first is an error.
func (w *Workspace) Watch(ctx context.Context, tell func(api.Head)) error {
	if err := w.s.Enter(); err != nil {
		return outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	seen, head, err := logbook.Glance(w.s, "-", api.Head{})
	if err != nil {
		return outcome.Cannot(err)
	}
	tell(head)
	logbook.Sift(w.s)
	tick := time.NewTicker(logbook.WatchPace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		now, next, err := logbook.Glance(w.s, seen, head)
		if err != nil {
			continue
		}
		if seen = now; next != head {
			head = next
			tell(head)
			logbook.Sift(w.s)
		}
	}
}
