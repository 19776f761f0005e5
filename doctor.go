package emend

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
)

// Health is what can be said of a workspace's store and of the promises that hold on its file system.
type Health struct {
	Root       string            `json:"root"`
	Store      string            `json:"store"`
	Exists     bool              `json:"exists"`     // the store; the first apply makes it
	Top        string            `json:"top"`        // of the tree that shares the store
	Filesystem string            `json:"filesystem"` // its type
	Abilities  *commit.Abilities `json:"abilities,omitempty"`
	Locked     string            `json:"locked,omitempty"`  // by whom
	Pending    string            `json:"pending,omitempty"` // an interrupted transaction that could not be recovered
	Recovered  *Recovery         `json:"recovered,omitempty"`
	Log        *Head             `json:"log,omitempty"`
	History    *Usage            `json:"history,omitempty"`
	Orphans    []string          `json:"orphans,omitempty"` // transactions that left slots and no record
	Weaker     []string          `json:"weaker"`            // the promises that are weaker here, and how; empty when all hold
	Problems   []string          `json:"problems"`          // what keeps emend from writing here
}

// Usage is how much the history holds.
type Usage struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// Doctor looks at the store and tries, on files of its own in it, what a commit relies on.
func (w *Workspace) Doctor(ctx context.Context) (*Health, error) {
	h := &Health{Root: w.Root(), Recovered: w.found, Weaker: []string{}, Problems: []string{}}
	if err := w.enter(); err != nil {
		return nil, err
	}
	defer w.calls.Done()
	store, err := w.keeper.find()
	place := w.keeper.where()
	h.Store, h.Top, h.Exists = place.Dir, place.Top, place.Exists
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	if is, err := commit.Filesystem(w.keeper.root); err == nil {
		h.Filesystem = is.Type
		h.filesystem(is, w.keeper.unsafe)
	}
	h.system()
	if w.keeper.opts.NoSync {
		h.weaker("nothing is synced (--durability=none): a commit survives kill -9, but a power cut can undo it or leave the tree mixed until the next emend")
	}
	if store == nil {
		h.wouldBe(place)
		return h, ctx.Err()
	}
	return h, errors.Join(h.inside(store), ctx.Err())
}

func (h *Health) weaker(format string, args ...any) {
	h.Weaker = append(h.Weaker, fmt.Sprintf(format, args...))
}

func (h *Health) filesystem(is commit.FS, unsafe bool) {
	if is.Network {
		h.weaker("%s is a network file system: other machines change it unseen, and locks and renames may not be what they are on a disk", is.Type)
		if !unsafe {
			h.Problems = append(h.Problems, "writing needs --unsafe-fs here")
		}
	}
	if !is.Journal {
		h.weaker("%s has no journal that is known to keep a rename whole: second links are made so that no content is lost in a power cut, and the tree is mixed after one until the next emend", is.Type)
	}
}

// system says what the operating system cannot do.
func (h *Health) system() {
	switch runtime.GOOS {
	case "linux":
	case "darwin":
		h.weaker("on macOS a program that opens a file for writing is not noticed (no leases), paths are resolved name by name, and power cuts were not tried; crash tests run on Linux only")
	default:
		h.Problems = append(h.Problems, "on "+runtime.GOOS+" this version reads, plans and previews; it writes on Linux and macOS only")
	}
}

// wouldBe speaks of a store that is still to be made.
func (h *Health) wouldBe(p commit.Place) {
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

// occupied reports whether something stands at dir, other than an empty directory.
func occupied(dir string) bool {
	names, err := os.ReadDir(dir)
	return len(names) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist)
}

func (h *Health) inside(s *commit.Store) error {
	head := s.Head()
	h.Log = &head
	var err error
	if h.Locked, err = s.Holder(); err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	r, err := s.Pending()
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
	}
	if r != nil {
		h.Pending = r.Tx
		h.Problems = append(h.Problems, "the transaction "+r.Tx+" is pending: run emend recover")
	}
	can, err := s.Probe()
	if err != nil {
		h.Problems = append(h.Problems, err.Error())
		return nil
	}
	h.Abilities = &can
	h.abilities(can)
	usage, err := s.Usage()
	if err != nil {
		return err
	}
	h.History = &Usage{usage.Files, usage.Bytes}
	h.Orphans, err = s.Orphans()
	return err
}

func (h *Health) abilities(can commit.Abilities) {
	if !can.Exchange {
		h.weaker("this file system cannot exchange two names: a save in the instant between the last look and the replacing is lost from its place")
	}
	if !can.NoReplace {
		h.weaker("this file system cannot rename without replacing: a new file has two names for an instant")
	}
	if !can.Lease && runtime.GOOS == "linux" {
		h.weaker("there are no leases here: a program that has a file open for writing is not noticed, and what it writes after the commit is found in the history")
	}
	if !can.Lock {
		h.Problems = append(h.Problems, "the lock cannot be taken: another process has it, or the file system has no locks")
	}
}

// Migrate moves the store: to the place that [Store] named, if there is none yet, else from there, or from where it is,
// to where a new one would be made. It returns the two places.
func (w *Workspace) Migrate(ctx context.Context) (from, to string, err error) {
	if err := w.enter(); err != nil {
		return "", "", err
	}
	defer w.calls.Done()
	k := &w.keeper
	target, err := k.target()
	if err != nil {
		return "", "", err
	}
	if k.store == nil || target.Dir == k.place.Dir {
		return "", "", &fail.Error{Kind: fail.NotFound, Msg: "there is no store to move",
			Hint: "It is where it should be, or the first apply makes it; emend doctor says where."}
	}
	from, to = k.place.Dir, target.Dir
	if err = k.store.Move(ctx, k.place, target); err == nil {
		target.Exists = true
		k.place = target
	}
	return from, to, err
}

// Adopt makes a store that was copied here, with its tree, the store of this place. What it had pending is closed, and
// no file is touched: the files that it names, which it returns, may be partly old and partly new.
func (w *Workspace) Adopt() (store string, pending []string, err error) {
	if err := w.enter(); err != nil {
		return "", nil, err
	}
	defer w.calls.Done()
	k := &w.keeper
	k.mu.Lock()
	k.adopting = true
	k.mu.Unlock()
	if _, err := k.find(); err != nil {
		return "", nil, err
	}
	if k.store == nil {
		return "", nil, &fail.Error{Kind: fail.NotFound, Msg: "there is no store to adopt", Hint: "The first apply makes one."}
	}
	r, err := k.place.Adopt(k.store)
	if r != nil {
		for _, op := range r.Ops {
			pending = append(pending, op.Path)
		}
	}
	return k.place.Dir, pending, err
}

// target opens the store that there is and says where it is to go.
func (k *keeper) target() (commit.Place, error) {
	if _, err := k.find(); err != nil {
		return commit.Place{}, err
	}
	if k.named != "" && k.store == nil {
		target := k.place
		k.named = ""
		_, err := k.find()
		target.Top = k.place.Top
		return target, err
	}
	return commit.Preferred(k.place.Top)
}
