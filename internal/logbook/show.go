package logbook

import (
	"context"
	"encoding/json"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// Show returns all that the log and the history have of one entry.
func Show(ctx context.Context, w *workspace.Workspace, entry string) (*api.Answer[api.EntryData], error) {
	rd, err := Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	o, r, err := rd.Find(ctx, entry)
	if err != nil {
		return nil, err
	}
	data := rd.entryData(o, r)
	notes := rd.Notes
	return report.Found(data, notes, func() string { return entryText(&data, notes) }), nil
}

func (rd *Reader) entryData(o *Outcomes, r *audit.Record) api.EntryData {
	d := api.EntryData{Entry: EntryName(r), Seq: r.Seq, Kind: string(r.Kind), Timestamp: r.TS, Client: r.Actor.Client, Call: r.Actor.Call, SessionID: r.Actor.Session, Turn: r.Actor.Turn, Seen: r.Seen,
		AgentName: r.Actor.Agent, ToolName: r.Actor.Tool, PolicyHash: r.PolicyHash, IdempotencyKey: r.Idem, RequestSha256: r.Request, Dialect: r.Dialect,
		OK: r.OK, Outcome: o.of(r), ErrorKind: r.ErrorKind, Message: r.Message, Undoes: r.Undoes, UndoneBy: o.UndoneBy(r.Tx),
		UndoesParts: rd.undoesParts(r), UndoneParts: rd.undoneParts(o, r),
		Files: rd.entries(o, r, &Filter{diff: true}), Kept: []api.Kept{}, Prev: r.Prev, H: r.H}
	if r.Asked != nil {
		d.AskedBy = r.Asked.By
	}
	if len(d.Files) > 0 && !d.Files[0].OK {
		first := d.Files[0]
		d.OK, d.ErrorKind, d.Message = false, first.ErrorKind, first.Message
	}
	if len(r.Ops) == 0 {
		d.Files = []api.LogEntry{}
	}
	if !IsTransaction(r) {
		d.Attempt = rd.attempt(r)
		return d
	}
	if end := o.ends[r.Tx]; end != nil {
		d.End, d.EndedAt = string(end.Kind), &end.TS
		if d.Message == "" {
			d.Message = end.Message
		}
	}
	if d.OK {
		d.Kept = rd.keptOf(r)
	}
	return d
}

// attempt returns what a refused call attempted, if that is kept and all files that the call named may be read.
func (rd *Reader) attempt(r *audit.Record) *api.Attempt {
	if r.Kind != audit.Failed {
		return nil
	}
	for i := range r.Ops {
		if op, ok := rd.Local(r.Ops[i]); !ok || rd.Readable(op) != nil {
			return nil
		}
	}
	store, err := vfs.Open(rd.Store)
	if err != nil {
		return nil
	}
	defer store.Close()
	a := &api.Attempt{}
	if json.Unmarshal([]byte(commit.Attempt(store, r.Seq, r.H)), a) != nil || a.Patch == "" {
		return nil
	}
	return a
}

// keptOf lists the files that r displaced and that the history still has.
func (rd *Reader) keptOf(r *audit.Record) []api.Kept {
	out := []api.Kept{}
	for i := range r.Acts {
		a := &r.Acts[i]
		path, ok := rd.FromTop(a.Path)
		if !a.Displaces() || !ok {
			continue
		}
		id := history.Slot(r.Tx, a.Slot)
		_, is, err := rd.History.Find(id)
		if err != nil {
			rd.noteUnread(err)
			continue
		}
		out = append(out, api.Kept{ID: id, Path: path, SizeBytes: is.Size, MTime: is.ModTime})
	}
	return out
}
