package workspace

import (
	"context"

	"github.com/emend-dev/emend/fail"
)

// Migrate moves the store. If a person named a place where there is no store, it moves there; else it moves to where a new
// one would be made. It returns both places. Until it returns, other calls may not find the store at either.
func (w *Workspace) Migrate(ctx context.Context) (from, to string, err error) {
	if err := w.Enter(); err != nil {
		return "", "", err
	}
	defer w.Leave()
	w.store.moving.Lock()
	defer w.store.moving.Unlock()
	store, place, target, err := w.store.migration()
	if err != nil {
		return "", "", err
	}
	if store == nil || target.Dir == place.Dir {
		return "", "", &fail.Error{Kind: fail.NotFound, Msg: "there is no store to move",
			Hint: "It is where it should be, or the first apply makes it. To see where, ‹run doctor›."}
	}
	if err = store.Move(ctx, place, target); err == nil {
		target.Exists = true
		w.store.moved(target)
	}
	return place.Dir, target.Dir, err
}

// Adopt makes a store that was copied here, with its tree, the store of this place. It closes what the store had pending and
// touches no file. It returns the files of what was pending, which may be partly old and partly new.
func (w *Workspace) Adopt() (dir string, pending []string, err error) {
	if err := w.Enter(); err != nil {
		return "", nil, err
	}
	defer w.Leave()
	store, place, err := w.store.openCopied()
	if err != nil {
		return "", nil, err
	}
	if store == nil {
		return "", nil, &fail.Error{Kind: fail.NotFound, Msg: "there is no store to adopt", Hint: "The first apply makes one."}
	}
	disowned, err := place.Adopt(store)
	for _, r := range disowned {
		for _, op := range r.Ops {
			pending = append(pending, op.Path)
		}
	}
	return place.Dir, pending, err
}
