package kept

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/workspace"
)

// DroppableLog returns what [DropLog] would drop.
func DroppableLog(_ context.Context, w *workspace.Workspace, r api.DropLogRequest) (*api.DroppedLog, error) {
	d, err := droppableLog(w, r)
	return droppedLog(&d), err
}

// DropLog drops the oldest segments of the log, on record.
func DropLog(ctx context.Context, w *workspace.Workspace, r api.DropLogRequest) (*api.DroppedLog, error) {
	d, err := droppableLog(w, r)
	if err != nil || d.Segments == 0 {
		return droppedLog(&d), err
	}
	store, err := w.OpenOrMakeStore()
	if err == nil {
		err = store.DropLog(ctx, d, dropRecord(ctx, w, "log drop"))
	}
	if err != nil {
		return nil, err
	}
	out, head := droppedLog(&d), store.Head()
	out.Log = &head
	return out, nil
}

// dropLogByPolicy drops what the policy does not keep, unless somebody is at work.
func dropLogByPolicy(ctx context.Context, w *workspace.Workspace, store *commit.Store) error {
	keep := w.LogRetention()
	if keep.Age == 0 && keep.Bytes == 0 {
		return nil
	}
	d, err := store.DroppableLog(keep)
	if err != nil || d.Segments == 0 {
		return err
	}
	return store.TryDropLog(d, dropRecord(ctx, w, "prune"))
}

// dropRecord begins the record of a drop.
func dropRecord(ctx context.Context, w *workspace.Workspace, tool string) audit.Record {
	actor := w.Actor(ctx)
	actor.Tool = tool
	return audit.Record{Actor: actor, PolicyHash: w.Guard.PolicyHash()}
}

func droppableLog(w *workspace.Workspace, r api.DropLogRequest) (audit.Droppable, error) {
	keep := audit.Retention{Age: r.Age, Bytes: r.Bytes}
	if r == (api.DropLogRequest{}) {
		keep = w.LogRetention()
	}
	if keep.Age <= 0 && keep.Bytes <= 0 {
		return audit.Droppable{}, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: "nothing says how much of the log to keep", Hint: "Name an age or a size, or write them under [log] in the policy file."}
	}
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return audit.Droppable{}, err
	}
	return store.DroppableLog(keep)
}

func droppedLog(d *audit.Droppable) *api.DroppedLog {
	return &api.DroppedLog{Segments: d.Segments, SizeBytes: d.Bytes, First: d.First, Last: d.Dropped.Head(), Until: d.Until, Rule: d.Rule, HeldBy: d.HeldBy}
}
