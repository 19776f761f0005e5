package workspace

import (
	"context"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/find"
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
			Hint: "It is where it should be, or the first apply makes it; emend doctor says where."}
	}
	if err = store.Move(ctx, place, target); err == nil {
		target.Exists = true
		w.store.mu.Lock()
		w.store.place = target
		w.store.mu.Unlock()
	}
	return place.Dir, target.Dir, err
}

// migration returns the store, nil if there is none, where it is, and where Migrate moves it.
func (h *storeHandle) migration() (store *commit.Store, from, to commit.Place, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if store, err = h.openLocked(false); err != nil {
		return nil, from, to, err
	}
	if h.named == "" || store != nil {
		to, err = commit.Preferred(h.place.Top)
		return store, h.place, to, err
	}
	// There is nothing at the named place: look for a store as if no person had named one.
	named := h.named
	to, h.named = h.place, ""
	if store, err = h.openLocked(false); store == nil {
		h.named = named
	}
	to.Top = h.place.Top
	return store, h.place, to, err
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
	r, err := place.Adopt(store)
	if r != nil {
		for _, op := range r.Ops {
			pending = append(pending, op.Path)
		}
	}
	return place.Dir, pending, err
}

// openCopied opens the store even if it was made elsewhere and copied here.
func (h *storeHandle) openCopied() (*commit.Store, commit.Place, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	store, err := h.openLocked(true)
	return store, h.place, err
}

// AccessPaths returns the paths that the workspace needs, for a caller that confines the process to them. Below write are the
// root, the top of the tree that shares its store, which recovery may have to repair, and the store; for a named store that
// is still to be made, the directory that will hold it. read lists the files outside of these, and the directories of
// files, that say what is ignored.
func (w *Workspace) AccessPaths() (write, read []string, err error) {
	if err := w.Enter(); err != nil {
		return nil, nil, err
	}
	defer w.Leave()
	if _, err := w.OpenStore(); err != nil {
		return nil, nil, err
	}
	place := w.StorePlace()
	write = []string{w.RealRoot(), place.Top, place.Dir}
	if !place.Exists {
		write[2] = nearestDir(filepath.Dir(place.Dir))
	}
	if place.Fallback != "" {
		write = append(write, nearestDir(filepath.Dir(place.Fallback)))
	}
	return write, find.IgnoreSources(w.RealRoot()), nil
}

// nearestDir returns dir, or the nearest directory above it that exists.
func nearestDir(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if fi, err := os.Stat(dir); err == nil && fi.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
