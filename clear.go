package emend

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/history"
)

// ClearRequest says what is to leave the trash for good.
type ClearRequest struct {
	IDs    []string  // these; none stands for all
	Before time.Time // and only what was deleted before; zero for any time
}

// Cleared is what left the trash.
type Cleared struct {
	Entries   []Trashed `json:"entries"`
	SizeBytes int64     `json:"sizeBytes"`
	Log       *Head     `json:"log,omitempty"` // the newest record of the log
}

// TrashClear removes files from the trash, for good and on record. An id that the trash does not have refuses the whole
// call. An interrupted call has removed some of them, and the log names all.
func (w *Workspace) TrashClear(ctx context.Context, r ClearRequest) (*Cleared, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	c, err := w.clear(ctx, r)
	return c, cannot(err)
}

// TrashClearable lists what [Workspace.TrashClear] would remove.
func (w *Workspace) TrashClearable(ctx context.Context, r ClearRequest) ([]Trashed, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	out, err := w.clearable(ctx, r)
	return out, cannot(err)
}

func (w *Workspace) clearable(ctx context.Context, r ClearRequest) ([]Trashed, error) {
	all, err := w.trash(ctx)
	if err != nil {
		return nil, err
	}
	return r.pick(all)
}

func (w *Workspace) clear(ctx context.Context, r ClearRequest) (*Cleared, error) {
	c := &Cleared{}
	var err error
	if c.Entries, err = w.clearable(ctx, r); err != nil || len(c.Entries) == 0 {
		return c, err
	}
	what := commit.Removal{}
	var ops []audit.Op
	var ids []string
	for _, t := range c.Entries {
		c.SizeBytes += t.SizeBytes
		ids = append(ids, t.ID)
		what.Names = append(what.Names, history.Names(t.ID)...)
		ops = append(ops, audit.Op{Operation: "purge", Path: path.Join(w.keeper.prefix, t.Path), Before: t.Sha256, Size: t.SizeBytes})
	}
	what.Records = w.purges(ctx, "trash_clear", fmt.Sprintf("cleared from the trash: %s", someOf(ids)), ops)
	return c, w.purge(ctx, what, &c.Log)
}

// purge removes what is to leave the history.
func (w *Workspace) purge(ctx context.Context, what commit.Removal, head **Head) error {
	store, err := w.keeper.ensure()
	if err != nil {
		return err
	}
	err = store.Purge(ctx, what)
	at := store.Head()
	*head = &at
	return err
}

// pick picks from the trash, in the order of the trash.
func (r ClearRequest) pick(all []Trashed) ([]Trashed, error) {
	wanted := map[string]bool{}
	for _, id := range r.IDs {
		wanted[id] = true
	}
	out := slices.DeleteFunc(slices.Clone(all), func(t Trashed) bool { return len(r.IDs) > 0 && !wanted[t.ID] })
	for _, t := range out {
		delete(wanted, t.ID)
	}
	for _, id := range r.IDs {
		if wanted[id] {
			return nil, notKept(id)
		}
	}
	return slices.DeleteFunc(out, func(t Trashed) bool { return !r.Before.IsZero() && !t.DeletedAt.Before(r.Before) }), nil
}

// maxPurged is how many removals one record of the log lists.
const maxPurged = 1000

// purges are the records of a removal: as many as it needs.
func (w *Workspace) purges(ctx context.Context, tool, message string, ops []audit.Op) []audit.Record {
	actor := w.actor(ctx)
	actor.Tool = tool
	r := audit.Record{Kind: audit.Purge, Actor: actor, PolicyHash: w.guard.PolicyHash(), OK: true, Message: message}
	if len(ops) == 0 {
		return []audit.Record{r}
	}
	var out []audit.Record
	for part := range slices.Chunk(ops, maxPurged) {
		r.Ops = part
		out = append(out, r)
	}
	return out
}

// someOf lists names, as many as a person reads.
func someOf(names []string) string {
	const most = 100
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}

func cancelled(ctx context.Context) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: context.Cause(ctx), Msg: "cancelled",
		Hint: "Nothing was changed; ask again."}
}
