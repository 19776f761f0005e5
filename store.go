package emend

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/workspace"
)

// Doctor looks at the store and tries, on files of its own in it, what a commit relies on.
func (w *Host) Doctor(ctx context.Context) (*api.Health, error) {
	h := &api.Health{Root: w.s.Root(), Recovered: w.s.Found, Weaker: []string{}, Problems: []string{}}
	if err := w.s.Enter(); err != nil {
		return nil, err
	}
	defer w.s.Calls.Done()
	store, err := w.s.Keeper.Find()
	place := w.s.Keeper.Where()
	h.Store, h.Top, h.Exists = place.Dir, place.Top, place.Exists
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	if is, err := commit.Filesystem(w.s.Keeper.Root); err == nil {
		h.Filesystem = is.Type
		workspace.Filesystem(h, is, w.s.Keeper.Unsafe)
	}
	workspace.System(h)
	if w.s.Keeper.Opts.NoSync {
		workspace.Weaker(h, "nothing is synced (--durability=none): a commit survives kill -9, but a power cut can undo it or leave the tree mixed until the next emend")
	}
	if store == nil {
		workspace.WouldBe(h, place)
		return h, ctx.Err()
	}
	return h, errors.Join(workspace.Inside(h, store), ctx.Err())
}

// Migrate moves the store: to the place that [Store] named, if there is none yet, else from there, or from where it is,
// to where a new one would be made. It returns the two places.
func (w *Host) Migrate(ctx context.Context) (from, to string, err error) {
	if err := w.s.Enter(); err != nil {
		return "", "", err
	}
	defer w.s.Calls.Done()
	k := &w.s.Keeper
	target, err := k.Target()
	if err != nil {
		return "", "", err
	}
	if k.Store == nil || target.Dir == k.Place.Dir {
		return "", "", &fail.Error{Kind: fail.NotFound, Msg: "there is no store to move",
			Hint: "It is where it should be, or the first apply makes it; emend doctor says where."}
	}
	from, to = k.Place.Dir, target.Dir
	if err = k.Store.Move(ctx, k.Place, target); err == nil {
		target.Exists = true
		k.Place = target
	}
	return from, to, err
}

// Adopt makes a store that was copied here, with its tree, the store of this place. What it had pending is closed, and
// no file is touched: the files that it names, which it returns, may be partly old and partly new.
func (w *Host) Adopt() (store string, pending []string, err error) {
	if err := w.s.Enter(); err != nil {
		return "", nil, err
	}
	defer w.s.Calls.Done()
	k := &w.s.Keeper
	k.Mu.Lock()
	k.Adopting = true
	k.Mu.Unlock()
	if _, err := k.Find(); err != nil {
		return "", nil, err
	}
	if k.Store == nil {
		return "", nil, &fail.Error{Kind: fail.NotFound, Msg: "there is no store to adopt", Hint: "The first apply makes one."}
	}
	r, err := k.Place.Adopt(k.Store)
	if r != nil {
		for _, op := range r.Ops {
			pending = append(pending, op.Path)
		}
	}
	return k.Place.Dir, pending, err
}

// AccessPaths is where the workspace reads and writes, for who wants to keep the process from everything else. Below write are
// the root, the top of the tree that shares its store, which recovery may have to put in order, and the store; a named
// store that is still to be made is the directory that it will be in. Read lists the files, and directories of files,
// outside of it that say what is ignored.
func (w *Host) AccessPaths() (write, read []string, err error) {
	if err := w.s.Enter(); err != nil {
		return nil, nil, err
	}
	defer w.s.Calls.Done()
	if _, err := w.s.Keeper.Find(); err != nil {
		return nil, nil, err
	}
	place := w.s.Keeper.Where()
	write = []string{w.s.Keeper.Root, place.Top, place.Dir}
	if !place.Exists {
		write[2] = workspace.Existing(filepath.Dir(place.Dir))
	}
	if place.Fallback != "" {
		write = append(write, workspace.Existing(filepath.Dir(place.Fallback)))
	}
	return write, find.IgnoreSources(w.s.Keeper.Root), nil
}

// Ready says what keeps files of the workspace from being changed at this moment, as far as a look tells: a change that was
// interrupted and not recovered, or a store that cannot be written. It tries nothing and leaves nothing; [Host.Doctor]
// does.
func (w *Host) Ready() error {
	if err := w.s.Enter(); err != nil {
		return err
	}
	defer w.s.Calls.Done()
	if err := w.s.Interrupted(); err != nil {
		return err
	}
	return w.s.Keeper.Where().Usable()
}

// keep makes the workspace ready to find its store.
func (w *Workspace) keep(s *settings) error {
	root, err := filepath.EvalSymlinks(w.s.Guard.RootPath())
	if err != nil {
		return workspace.StoreError(err)
	}
	w.s.Keeper.Root, w.s.Keeper.Id, w.s.Keeper.Unsafe = root, w.s.Guard.RootID(), s.keeper.Unsafe
	for to, text := range map[*string]string{&w.s.Keeper.Actor.Client: s.keeper.Actor.Client, &w.s.Keeper.Actor.Session: s.keeper.Actor.Session,
		&w.s.Keeper.Actor.Agent: s.keeper.Actor.Agent, &w.s.Keeper.Actor.Tool: s.keeper.Actor.Tool} {
		*to = caller.Clean(text)
	}
	w.s.Keeper.Opts, w.s.Keeper.Age, w.s.Keeper.Bytes = s.keeper.Opts, s.keeper.Age, s.keeper.Bytes
	w.s.Keeper.Guard = w.s.Guard
	if s.keeper.Named != "" {
		w.s.Keeper.Named, err = filepath.Abs(s.keeper.Named)
	}
	return err
}

// Recover finishes, or takes back, what a crash left in the tree that the workspace belongs to. Where there is nothing
// to do it returns an empty Recovery. It waits for whoever is at work, as long as ctx lets it.
func (w *Workspace) Recover(ctx context.Context) (*api.Recovery, error) {
	if err := w.s.Enter(); err != nil {
		return nil, err
	}
	defer w.s.Calls.Done()
	s, err := w.s.Keeper.Find()
	if err != nil {
		return nil, err
	}
	place := w.s.Keeper.Where()
	place.Tidy()
	if s == nil {
		return &api.Recovery{}, nil
	}
	return s.Recover(ctx)
}

// Recovered is what opening the workspace recovered; nil for nothing. An error says that the store could not be used,
// or that something is pending and could not be recovered: the files may then be partly old and partly new.
func (w *Host) Recovered() (*api.Recovery, error) { return w.s.Found, w.s.Pending }
