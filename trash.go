package emend

import (
	"context"
	"io"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/change"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/workspace"
)

// Trash lists the files in the trash, the newest first. It leaves out what lies outside of the root.
func (w *Workspace) Trash(ctx context.Context) ([]api.Trashed, error) {
	return call(ctx, w.s, func(ctx context.Context, ws *workspace.Workspace, _ struct{}) ([]api.Trashed, error) {
		return kept.Trash(ctx, ws)
	}, struct{}{})
}

// TrashShow returns a file of the trash and the beginning of its content. It refuses a path that is protected from reading
// now.
func (h *Host) TrashShow(ctx context.Context, id string) (*api.TrashedFile, error) {
	return call(ctx, h.s, kept.TrashShow, id)
}

// TrashExport writes a file of the trash to w as an archive that [Host.RestoreArchive] reads: a tar.gz with
// metadata.json and the file at its path. The archive has neither the file's owner, attributes and access list nor its
// setuid, setgid and sticky bits. It refuses a path that is protected from reading now.
func (h *Host) TrashExport(ctx context.Context, id string, to io.Writer) error {
	_, err := call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, id string) (struct{}, error) {
		return struct{}{}, kept.TrashExport(ctx, ws, id, to)
	}, id)
	return err
}

// RestoreArchive creates the file that an archive contains, which [Host.TrashExport] or another program wrote: at
// target, or where it was when target is empty. Nothing in the archive is trusted. The file gets the executable bits of its
// mode; its other permissions and its time are those of a new file. A call with a key is done once.
func (h *Host) RestoreArchive(ctx context.Context, from io.Reader, target, key string) (*api.Answer[api.RestoreData], error) {
	return call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, from io.Reader) (*api.Answer[api.RestoreData], error) {
		return change.RestoreArchive(ctx, ws, from, target, key)
	}, from)
}

// TrashClear removes files from the trash, for good and on record. An id that the trash does not have refuses the whole
// call. An interrupted call has removed some of the files, and the log names all of them.
func (w *Workspace) TrashClear(ctx context.Context, r api.ClearRequest) (*api.Cleared, error) {
	return call(ctx, w.s, kept.TrashClear, r)
}

// TrashClearable lists what [Workspace.TrashClear] would remove.
func (h *Host) TrashClearable(ctx context.Context, r api.ClearRequest) ([]api.Trashed, error) {
	return call(ctx, h.s, kept.TrashClearable, r)
}

// Content returns what a version, or a file in the trash, contains. It refuses a path that may not be read, and a file that
// was written to since it was kept.
func (w *Workspace) Content(ctx context.Context, id string) (*api.Content, error) {
	return call(ctx, w.s, kept.Content, id)
}

// KeepHistory bounds for how long the history keeps what changes displaced, and how much of it. The trash does not count
// and is never pruned. Zero is the default, 30 days and 2 GiB; a negative value sets no bound.
func KeepHistory(age time.Duration, bytes int64) Option {
	return func(s *settings) { s.HistoryAge, s.HistoryBytes = age, bytes }
}

// Prune removes from the history what is older, or more, than [KeepHistory] says, if the last pruning was a day ago or
// longer. It never removes the trash, anything of the newest hundred transactions, or anything pending. [Workspace.Close]
// calls it after a change; a server that stays open calls it between calls. It waits for nobody: while somebody else has
// the lock it does nothing. It prunes a large history in parts. Then it drops what the policy does not keep of the log.
func (h *Host) Prune(ctx context.Context) (*api.Pruned, error) {
	return call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, _ struct{}) (*api.Pruned, error) {
		return kept.Prune(ctx, ws)
	}, struct{}{})
}

// Pack packs what changes displaced, many files into one, if many changes were made since that was last done: old versions
// of a file then take little more than their differences. Whatever reads or restores them finds them as before.
// [Workspace.Close] calls it after a change; a server that stays open calls it between calls. It waits for nobody, and stops
// after a second.
func (h *Host) Pack(ctx context.Context) (*api.Packed, error) {
	return call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, _ struct{}) (*api.Packed, error) {
		return kept.Pack(ctx, ws)
	}, struct{}{})
}

// PackAll packs everything that can be packed now. It waits for the lock, and gives it back between parts.
func (h *Host) PackAll(ctx context.Context) (*api.Packed, error) {
	return call(ctx, h.s, func(ctx context.Context, ws *workspace.Workspace, _ struct{}) (*api.Packed, error) {
		return kept.PackAll(ctx, ws)
	}, struct{}{})
}

// Purgeable lists what [Workspace.Purge] would remove.
func (h *Host) Purgeable(ctx context.Context, r api.PurgeRequest) (*api.Purged, error) {
	return call(ctx, h.s, kept.Purgeable, r)
}

// Purge removes from the history everything that it has of transactions: what they displaced, the trash among it, their
// diffs and their answers. The log stays whole, with the names and the hashes, and gets a record of the purge. It is how a
// secret leaves the store; it does not touch the tree. An interrupted call has removed a part, and can be made again.
func (w *Workspace) Purge(ctx context.Context, r api.PurgeRequest) (*api.Purged, error) {
	return call(ctx, w.s, kept.Purge, r)
}
