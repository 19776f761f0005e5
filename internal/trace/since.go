package trace

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/workspace"
)

// ChangesSince returns what was changed since a point of the log and is in effect: what was undone, and the undo, are left out, and so
// is what nobody is known to have made.
func ChangesSince(ctx context.Context, w *workspace.Workspace, r api.ChangesRequest) (*api.Changes, error) {
	rd, err := logbook.Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	var below []string
	if r.Path != "" {
		if below, err = w.Spellings(r.Path); err != nil {
			return nil, err
		}
	}
	out := &api.Changes{Sessions: []api.ChangesOf{}}
	groups, first, err := groupsSince(ctx, rd, r)
	if err != nil || len(groups) == 0 {
		out.Notes = rd.Notes
		return out, err
	}
	paths := logbook.PathSet{}
	for _, g := range groups {
		for _, rec := range g.records {
			for _, op := range rec.Ops {
				if paths.Add(op.Path); op.ToPath != "" {
					paths.Add(op.ToPath)
				}
			}
		}
	}
	changes, err := rd.Changes(ctx, first, paths)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		files, notes, err := filesOf(ctx, rd, changes.Records, func(rec *audit.Record) bool { return g.txs[rec.Tx] })
		if err != nil {
			return nil, err
		}
		if g.of.Files = changedFiles(files, below); len(g.of.Files) > 0 {
			out.Sessions, out.Notes = append(out.Sessions, g.of), append(out.Notes, notes...)
		}
	}
	out.Notes = append(out.Notes, rd.Notes...)
	return out, nil
}

// group is the entries of one session.
type group struct {
	of      api.ChangesOf
	records []*audit.Record // the newest first
	txs     map[string]bool
}

// groupsSince returns the entries in effect since a point, by session; the session with the newest entry first. first is the number
// of the oldest of them.
func groupsSince(ctx context.Context, rd *logbook.Reader, r api.ChangesRequest) (groups []*group, first uint64, err error) {
	o, all := logbook.NewOutcomes(), map[string]bool{}
	var inEffect []*audit.Record
	for rec, err := range rd.Records(ctx, o, audit.Query{}) {
		if err != nil {
			return nil, 0, err
		}
		// Clocks are set back now and then: a day of tolerance covers that.
		if rec.Seq <= r.After || rec.TS.Before(r.Since.Add(-24*time.Hour)) {
			break
		}
		if !logbook.IsTransaction(rec) || rec.TS.Before(r.Since) {
			continue
		}
		if all[rec.Tx] = true; o.InEffect(rec) && !rec.Nobodys() {
			inEffect = append(inEffect, rec)
		}
	}
	pending, byName := rd.Pending(), map[string]*group{}
	for _, rec := range inEffect {
		cancels := len(rec.Undoes) > 0 && !slices.ContainsFunc(rec.Undoes, func(tx string) bool { return !all[tx] })
		if cancels || pending[rec.Tx] {
			continue
		}
		name := "session " + rec.Actor.Session
		if rec.Actor.Session == "" {
			name = "client " + rec.Actor.Client
		}
		if r.Whole {
			name = ""
		}
		g := byName[name]
		if g == nil {
			g = &group{txs: map[string]bool{}, of: api.ChangesOf{Last: rec.TS}}
			if !r.Whole {
				g.of.SessionID, g.of.AgentName, g.of.Client = rec.Actor.Session, rec.Actor.Agent, rec.Actor.Client
			}
			groups, byName[name] = append(groups, g), g
		}
		g.records, g.of.First, g.txs[rec.Tx], first = append(g.records, rec), rec.TS, true, rec.Seq
		g.of.Calls++
	}
	return groups, first, nil
}

// changedFiles returns the files that are not as they were before, with the numbers of their lines that changed.
func changedFiles(files []api.SessionFile, below []string) []api.ChangedFile {
	var out []api.ChangedFile
	for i := range files {
		f := &files[i]
		in := func(dir string) bool { return isBelow(f.Path, dir) || isBelow(f.ToPath, dir) }
		if f.Operation == "" || below != nil && !slices.ContainsFunc(below, in) {
			continue
		}
		c := api.ChangedFile{Operation: f.Operation, Path: f.Path, ToPath: f.ToPath, Diff: f.Diff, NotShown: f.NotShown, Entries: f.Entries}
		c.Added, c.Removed = countLines(f.Diff)
		out = append(out, c)
	}
	return out
}

func isBelow(p, dir string) bool {
	return p != "" && (dir == "." || p == dir || strings.HasPrefix(p, dir+"/"))
}

// countLines counts the lines that the hunks of a diff of one file add and remove.
func countLines(diff string) (added, removed int) {
	hunks := false
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "@@"):
			hunks = true
		case !hunks:
		case line[0] == '+':
			added++
		case line[0] == '-':
			removed++
		}
	}
	return added, removed
}
