package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/commit"
)

// Doctor examines the store and tries, on files of its own in it, what a commit relies on.
func (w *Workspace) Doctor(ctx context.Context) (*api.Health, error) {
	if err := w.Enter(); err != nil {
		return nil, err
	}
	defer w.Leave()
	h := &api.Health{Root: w.Root(), Recovered: w.recovered, Weaker: []string{}, Problems: []string{}}
	store, err := w.OpenStore()
	place := w.StorePlace()
	h.Store, h.Top, h.Exists = place.Dir, place.Top, place.Exists
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	if is, err := commit.Filesystem(w.RealRoot()); err == nil {
		h.Filesystem = is.Type
		checkFilesystem(h, is, w.store.unsafeFS)
	}
	checkSystem(h, runtime.GOOS)
	if w.store.options.NoSync {
		weaker(h, "nothing is synced (--durability=none): a commit survives kill -9, but a power cut can undo it or leave the tree mixed until the next emend")
	}
	if store == nil {
		checkPlace(h, place)
		return h, ctx.Err()
	}
	return h, errors.Join(checkStore(h, store), ctx.Err())
}

// weaker adds a promise that a commit cannot keep here.
func weaker(h *api.Health, format string, args ...any) {
	h.Weaker = append(h.Weaker, fmt.Sprintf(format, args...))
}

func checkFilesystem(h *api.Health, is commit.FS, unsafe bool) {
	if is.Network {
		weaker(h, "%s is a network file system: other machines change it unseen, and locks and renames may not be what they are on a disk", is.Type)
		if !unsafe {
			h.Problems = append(h.Problems, "writing needs --unsafe-fs here")
		}
	}
	if !is.Journal {
		weaker(h, "this disk (%s) has no journal: after a power cut, files may be half updated until emend runs again; no content is lost", is.Type)
	}
}

// checkSystem adds what an operating system cannot do.
func checkSystem(h *api.Health, system string) {
	switch system {
	case "linux":
	case "darwin":
		weaker(h, "on macOS a program that opens a file for writing is not noticed (no leases), paths are resolved name by name, and power cuts were not tried; crash tests run on Linux only")
	case "windows":
		weaker(h, "on Windows a changed file keeps its access list and not its owner, what is old in the history is not packed, the store cannot be moved while it is open, and power cuts were not tried; crash tests run on Linux only")
	default:
		weaker(h, "nothing is changed on %s, so none of the promises about changes holds", system)
		h.Problems = append(h.Problems, "on "+system+" this version reads, plans and previews; it writes on Linux, macOS and Windows only")
	}
}

// checkPlace reports whether a store can be made at p.
func checkPlace(h *api.Health, p commit.Place) {
	if p.Dir == "" {
		return
	}
	err := p.Writable()
	if err == nil && occupied(p.Dir) {
		err = errors.New("something is there that is no store")
	}
	if err != nil {
		h.Problems = append(h.Problems, fmt.Sprintf("the store cannot be made at %s: %v", p.Dir, err))
	}
}

// occupied reports whether there is anything at dir but an empty directory.
func occupied(dir string) bool {
	names, err := os.ReadDir(dir)
	return len(names) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// checkStore examines what is in the store, and tries what its file system can do.
func checkStore(h *api.Health, s *commit.Store) error {
	head := s.Head()
	h.Log = &head
	var err error
	if h.Locked, err = s.Holder(); err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	pending, err := s.Pending()
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	for _, r := range pending {
		h.Pending = cmp.Or(h.Pending, r.Tx)
		h.Problems = append(h.Problems, "the transaction "+r.Tx+" is pending: run emend recover")
	}
	can, err := s.Probe()
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
		return nil
	}
	h.Abilities = &can
	checkAbilities(h, can)
	usage, err := s.Usage()
	if err != nil {
		return err
	}
	h.History = &api.Usage{Files: usage.Files, Bytes: usage.Bytes}
	if err := s.History().Check(); err != nil {
		h.Problems = append(h.Problems, "what is packed there of the history cannot be read: "+err.Error())
	}
	h.Orphans, err = s.Orphans()
	return err
}

func checkAbilities(h *api.Health, can commit.Abilities) {
	switch {
	case !can.ReplaceOpen:
		weaker(h, "this file system cannot replace a file that is open: while a change is applied, a changed file has no name for a moment, and who opens it then finds none; after a crash in that moment the next emend puts it back")
	case !can.Exchange:
		weaker(h, "this file system cannot exchange two names: a save in the instant between the last look and the replacing is lost from its place")
	}
	if !can.NoReplace {
		weaker(h, "this file system cannot rename without replacing: a new file has two names for an instant")
	}
	if !can.Lease && runtime.GOOS == "linux" {
		weaker(h, "there are no leases here: a program that has a file open for writing is not noticed, and what it writes after the commit is found in the history")
	}
	if !can.Lock {
		h.Problems = append(h.Problems, "the lock cannot be taken: another process has it, or the file system has no locks")
	}
}
