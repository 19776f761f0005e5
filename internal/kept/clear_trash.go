package kept

import (
	"context"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/abbrev"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/workspace"
)

// TrashClearable lists what [TrashClear] would remove.
func TrashClearable(ctx context.Context, w *workspace.Workspace, r api.ClearRequest) ([]api.Trashed, error) {
	all, err := Trash(ctx, w)
	if err != nil {
		return nil, err
	}
	wanted, names := map[string]bool{}, make([]string, len(all))
	for i := range all {
		names[i] = all[i].ID
	}
	for _, id := range r.IDs {
		switch fit := abbrev.Pick(names, id); len(fit) {
		case 0:
			return nil, notInTrash(id)
		case 1:
			wanted[fit[0]] = true
		default:
			return nil, severalInTrash(id, fit)
		}
	}
	out := slices.DeleteFunc(slices.Clone(all), func(t api.Trashed) bool { return len(r.IDs) > 0 && !wanted[t.ID] })
	return slices.DeleteFunc(out, func(t api.Trashed) bool { return !r.Before.IsZero() && !t.DeletedAt.Before(r.Before) }), nil
}

// TrashClear removes files from the trash.
func TrashClear(ctx context.Context, w *workspace.Workspace, r api.ClearRequest) (*api.Cleared, error) {
	c := &api.Cleared{}
	var err error
	if c.Entries, err = TrashClearable(ctx, w, r); err != nil || len(c.Entries) == 0 {
		return c, err
	}
	what := commit.Removal{}
	var ops []audit.Op
	var ids []string
	paths := w.Paths()
	for _, t := range c.Entries {
		c.SizeBytes += t.SizeBytes
		ids = append(ids, t.ID)
		what.Names = append(what.Names, history.Names(t.ID)...)
		ops = append(ops, audit.Op{Operation: purgeOperation, Path: paths.ToTop(t.Path), Before: t.Sha256, Size: t.SizeBytes})
	}
	what.Records = removalRecords(ctx, w, "trash_clear", "cleared from the trash: "+JoinSome(ids), ops)
	c.Log, err = remove(ctx, w, what)
	return c, err
}
