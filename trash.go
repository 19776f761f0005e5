package emend

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/patch"
)

// TrashExport writes a file of the trash to w as an archive that [Workspace.RestoreArchive] reads: a tar.gz with
// metadata.json and the file at its path. Its owner, attributes and access list are not in it, nor are the setuid,
// setgid and sticky bits. A path that is protected from reading now is not exported.
func (w *Workspace) TrashExport(ctx context.Context, id string, to io.Writer) error {
	if err := w.s.Enter(); err != nil {
		return outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	t, p, err := kept.InTrash(ctx, w.s, id)
	if err == nil {
		err = w.s.Guard.CheckRead(t.Path)
	}
	if err == nil {
		err = kept.Export(ctx, t, p.Store.History().Slots(), to)
	}
	return outcome.Cannot(err)
}

// RestoreArchive makes the file that an archive has, which [Workspace.TrashExport] or another program wrote, as Create
// would: at target, or where it was when that is empty. Nothing in the archive is trusted. Of its mode the executable
// bits come back; the rest of it, and its time, are those of a new file. The same key does it once.
func (w *Workspace) RestoreArchive(ctx context.Context, from io.Reader, target, key string) (*outcome.Answer[api.RestoreData], error) {
	a, err := history.ReadArchive(kept.UntilDone{Ctx: ctx, R: from}, w.s.Limits.FileBytes)
	if err != nil {
		a, err = &history.Archived{}, change.BadArchive(err)
	}
	to := target
	if to == "" {
		to = a.Path
	}
	return change.Perform(ctx, w.s, change.Call[api.RestoreData]{Tool: "restore_file", Key: key, Request: []string{target, a.Path, a.Sha256},
		Named: []patch.Section{{Op: patch.Add, Path: to}},
		Settle: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			if err != nil {
				return nil, err
			}
			return change.Unpacked(ctx, src, a, target)
		},
		Data: func(rep *outcome.Report) api.RestoreData {
			s := rep.Step()
			return api.RestoreData{Restored: true, Path: s.Path, From: a.ID, SizeBytes: int64(len(s.After)), Sha256: s.AfterSum}
		},
		Recall: func(l change.Recalled) api.RestoreData { return l.Restored(a.ID) },
		Say: func(d api.RestoreData) string {
			return fmt.Sprintf("Restored %s from an archive (%d bytes, sha256 %s). Its time is now, and its permissions are those of a new file.",
				report.Escape(d.Path), d.SizeBytes, d.Sha256)
		}})
}

// TrashClear removes files from the trash, for good and on record. An id that the trash does not have refuses the whole
// call. An interrupted call has removed some of them, and the log names all.
func (w *Workspace) TrashClear(ctx context.Context, r api.ClearRequest) (*api.Cleared, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	c, err := kept.Clear(ctx, w.s, r)
	return c, outcome.Cannot(err)
}

// TrashClearable lists what [Workspace.TrashClear] would remove.
func (w *Workspace) TrashClearable(ctx context.Context, r api.ClearRequest) ([]api.Trashed, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	out, err := kept.Clearable(ctx, w.s, r)
	return out, outcome.Cannot(err)
}

// Content reads what a version had, or what is in the trash. What may not be read at its path is refused, and so is what
// is not any more what it was.
func (w *Workspace) Content(ctx context.Context, id string) (*api.Content, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	c, err := kept.Content(ctx, w.s, id)
	return c, outcome.Cannot(err)
}

// KeepHistory bounds what the history keeps of changes, for how long and how much of it: the trash is not counted and
// never pruned. Zero is the default, 30 days and 2 GiB; what is negative sets no bound.
func KeepHistory(age time.Duration, bytes int64) Option {
	return func(s *settings) { s.keeper.Age, s.keeper.Bytes = age, bytes }
}

// Prune removes from the history what is older, or more, than [KeepHistory] says, if that has not been looked at for a
// day. Never the trash, nothing of the newest hundred transactions, nothing that is pending. [Workspace.Close] does it
// after a change; a server that stays open calls it between calls. It waits for nobody: where somebody is at work it
// does nothing. A large history is pruned in parts.
func (w *Workspace) Prune(ctx context.Context) (*api.Pruned, error) {
	if err := w.s.Enter(); err != nil {
		return nil, err
	}
	defer w.s.Calls.Done()
	return kept.Prune(ctx, w.s)
}

// Purgeable says what [Workspace.Purge] would remove.
func (w *Workspace) Purgeable(ctx context.Context, r api.PurgeRequest) (*api.Purged, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	out, err := kept.Purgeable(ctx, w.s, r)
	return out, outcome.Cannot(err)
}

// Purge removes from the history everything that it has of transactions: what they displaced, the trash among it, their
// diffs and their answers. The log stays whole, with the names and the hashes, and gets a record of it. It is how a
// secret leaves the store; the tree is not touched. An interrupted call has removed a part, and can be made again.
func (w *Workspace) Purge(ctx context.Context, r api.PurgeRequest) (*api.Purged, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	out, ops, err := kept.PurgeableOps(ctx, w.s, r)
	if err != nil || len(out.Transactions) == 0 {
		return out, outcome.Cannot(err)
	}
	what := commit.Removal{}
	for i := range out.Transactions {
		what.Txs = append(what.Txs, out.Transactions[i].Tx)
	}
	what.Records = kept.Purges(ctx, w.s, "purge", "purged: "+kept.SomeOf(what.Txs), ops)
	return out, outcome.Cannot(kept.Purge(ctx, w.s, what, &out.Log))
}

// Trash lists what is in the trash, the newest first. What lies outside of the root is left out.
func (w *Workspace) Trash(ctx context.Context) ([]api.Trashed, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	out, err := kept.Trash(ctx, w.s)
	return out, outcome.Cannot(err)
}

// TrashShow shows one file of the trash. A path that is protected from reading now is not shown.
func (w *Workspace) TrashShow(ctx context.Context, id string) (*api.TrashedFile, error) {
	if err := w.s.Enter(); err != nil {
		return nil, outcome.Cannot(err)
	}
	defer w.s.Calls.Done()
	t, p, err := kept.InTrash(ctx, w.s, id)
	if err == nil {
		err = w.s.Guard.CheckRead(t.Path)
	}
	if err != nil {
		return nil, outcome.Cannot(err)
	}
	f := &api.TrashedFile{Trashed: t.Trashed}
	if t.Link == "" {
		err = kept.Peek(f, t.Name, p.Store.History().Slots())
	}
	return f, outcome.Cannot(err)
}
