package logbook

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

// Records returns the records of the log behind r.After, the oldest first, with their lines. It makes them durable before: a record
// that somebody keeps elsewhere must not be missing here after a power cut.
func Records(ctx context.Context, w *workspace.Workspace, r api.RecordsRequest) (*api.Records, error) {
	rd, err := Open(w)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	out := &api.Records{Known: true}
	if rd.Log == nil {
		out.Known = r.After.Seq == 0
		return out, nil
	}
	if err := rd.Log.Sync(); err != nil {
		return nil, workspace.StoreError(err)
	}
	out.Head = rd.Log.Head()
	first, err := rd.Log.First()
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	if first != nil {
		out.First = first.Seq
	}
	most := uint64(max(1, r.Limit))
	var line []byte
	query := audit.Query{Before: max(r.After.Seq+1, out.First) + most, Need: func(_ audit.Kind, text []byte) audit.Detail {
		line = slices.Clone(text)
		return audit.Full
	}}
	known := r.After.Seq == 0
	for rec, err := range rd.Log.Query(query) {
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, workspace.StoreError(err)
		}
		if rec.Seq <= r.After.Seq {
			known = rec.Seq == r.After.Seq && rec.H == r.After.H
			break
		}
		if rec.Seq == r.After.Seq+1 && rec.Prev == r.After.H {
			known = true
		}
		out.Records = append(out.Records, rd.record(rec, line))
	}
	out.Known = known
	slices.Reverse(out.Records)
	return out, nil
}

// record returns a record for others to keep. One that has the hash of a file which may not be read is withheld.
func (rd *Reader) record(r *audit.Record, line []byte) api.Record {
	hidden := func(op audit.Op) bool {
		return (op.Before != "" || op.After != "" || r.Kind == audit.Failed) && rd.Readable(op) != nil
	}
	if slices.ContainsFunc(r.Ops, hidden) {
		return api.Record{Seq: r.Seq, At: r.TS, Prev: r.Prev, Kind: string(r.Kind), H: r.H, Withheld: true}
	}
	out := recordOf(r)
	out.Line = line
	return out
}

// ParseRecord reads a line of the log, without its newline, and checks it against its hash.
func ParseRecord(line []byte) (*api.Record, error) {
	r, err := audit.ParseLine(line)
	if err != nil {
		return nil, &fail.Error{Kind: fail.CommandFailed, Msg: "this is no record of a log: " + err.Error(), Cause: err}
	}
	out := recordOf(r)
	out.Line = slices.Clone(line)
	return &out, nil
}

func recordOf(r *audit.Record) api.Record {
	out := api.Record{Seq: r.Seq, At: r.TS, Prev: r.Prev, Kind: string(r.Kind), Tx: r.Tx, Actor: r.Actor, PolicyHash: r.PolicyHash,
		OK: r.OK, ErrorKind: r.ErrorKind, Message: r.Message, Undoes: r.Undoes, Void: r.Void, Since: r.Since, H: r.H}
	if r.Dropped != nil {
		out.Dropped = r.Dropped.Last
	}
	if s := r.Seen; s != nil {
		out.Command = s.Command
	}
	for _, op := range r.Ops {
		out.Files = append(out.Files, api.RecordedFile{Operation: op.Operation, Path: op.Path, ToPath: op.ToPath, Before: op.Before,
			After: op.After, Unasked: op.Unasked != "", Keys: len(op.Keys)})
	}
	return out
}
