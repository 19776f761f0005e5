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
		weaker(h, "nothing is synced (--durability=none): a commit survives kill -9, but a power cut can undo it or leave files half updated until emend runs again")
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
		weaker(h, "%s is a network file system: changes by other machines are not noticed, and locks and renames may be unreliable", is.Type)
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
		weaker(h, "macOS has no leases: emend does not notice a program that has a file open for writing; paths are resolved name by name; power cuts were not tested")
	case "windows":
		weaker(h, "on Windows a changed file keeps its access list and not its owner, the history is not packed, the store cannot be moved while it is open, and power cuts were not tested")
	default:
		weaker(h, "emend does not change files on %s, so it promises nothing about changes", system)
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
		err = errors.New("there is something else at that path")
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
		h.Problems = append(h.Problems, "packed history cannot be read: "+err.Error())
	}
	h.Orphans, err = s.Orphans()
	return err
}

func checkAbilities(h *api.Health, can commit.Abilities) {
	switch {
	case !can.ReplaceOpen:
		weaker(h, "this file system cannot replace a file that is open: a changed file has no name for a moment, and a program that opens it then finds none; after a crash in that moment the next emend puts it back")
	case !can.Exchange:
		weaker(h, "this file system cannot exchange two files: a save at the very moment a file is replaced goes unnoticed, and is in the history only")
	}
	if !can.NoReplace {
		weaker(h, "this file system cannot rename without replacing: a new file briefly has two names")
	}
	if !can.Lease && runtime.GOOS == "linux" {
		weaker(h, "this file system has no leases: emend does not notice a program that has a file open for writing, and what that writes after the commit goes to the history")
	}
	if !can.Lock {
		h.Problems = append(h.Problems, "cannot lock the store: another process has the lock, or the file system has none")
	}
}
