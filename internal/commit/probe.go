package commit

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// Abilities are what the file system of a store was seen to do.
type Abilities struct {
	Exchange  bool `json:"exchange"`  // two names change places in one step
	NoReplace bool `json:"noReplace"` // a rename that fails when the name is taken
	Links     bool `json:"hardLinks"`
	Lock      bool `json:"lock"`
	Lease     bool `json:"lease"` // a program that opens a file for writing is noticed
	Sync      bool `json:"sync"`
}

// Probe tries on files of its own, in the store, what a commit relies on.
func (s *Store) Probe() (Abilities, error) {
	var is Abilities
	slots := s.hist.Slots()
	id := history.NewID(s.opts.now()) + ".probe"
	names := []string{id + "1", id + "2", id + "3"}
	defer func() {
		for _, n := range names {
			slots.Remove(n)
		}
	}()
	for _, n := range names[:2] {
		f, err := slots.Create(n, 0o600)
		if err != nil {
			return is, unwritable(err)
		}
		_, err = io.WriteString(f, n)
		is.Sync = err == nil && f.Sync() == nil
		is.Lock, _ = f.TryLock()
		f.Close()
	}
	is.Exchange = slots.Rename(names[0], slots, names[1], vfs.Exchange) == nil
	is.NoReplace = slots.Rename(names[0], slots, names[2], vfs.NoReplace) == nil &&
		errors.Is(slots.Rename(names[1], slots, names[2], vfs.NoReplace), os.ErrExist)
	is.Links = slots.Link(names[1], slots, names[0]) == nil
	is.Lease = s.leases(names[1])
	return is, nil
}

// leases reports whether a lease shows that a file is open for writing.
func (s *Store) leases(name string) bool {
	w, err := s.hist.Slots().Append(name, 0o600)
	if err != nil {
		return false
	}
	defer w.Close()
	f, err := s.hist.Slots().Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	release, open := f.Lease()
	release()
	return open
}

// Move moves the store from one place to another on the same mount. Processes that have it open go on with it.
func (s *Store) Move(ctx context.Context, from, to Place) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := s.recover(); err != nil {
		return err
	}
	old, err := vfs.Open(filepath.Dir(from.Dir))
	if err != nil {
		return unwritable(err)
	}
	defer old.Close()
	next, err := vfs.Open(filepath.Dir(to.Dir))
	if err != nil {
		return unwritable(err)
	}
	defer next.Close()
	// Until it has arrived the way to the top is an absolute one, which holds at both places.
	if err := s.reformat(Place{Dir: from.Dir, Top: to.Top}, true); err != nil {
		return unwritable(err)
	}
	err = rename(old, filepath.Base(from.Dir), next, filepath.Base(to.Dir), vfs.NoReplace)
	if errors.Is(err, os.ErrExist) {
		return &fail.Error{Kind: fail.AlreadyExists, Path: to.Dir, Msg: "something is there already",
			Hint: "Name another place with --store, or remove what is there."}
	}
	if err != nil {
		return unwritable(err)
	}
	return unwritable(errors.Join(s.reformat(to, false), next.Sync(), old.Sync()))
}

// reformat writes the way to the top anew.
func (s *Store) reformat(p Place, absolute bool) error {
	top, err := filepath.Rel(p.Dir, p.Top)
	if err != nil || absolute {
		top = p.Top
	}
	draft := formatName + ".new"
	s.dir.Remove(draft)
	if err := create(s.dir, draft, format+"\ntop "+filepath.ToSlash(top)+"\n"); err != nil {
		return err
	}
	if err := s.dir.Rename(draft, s.dir, formatName, vfs.Replace); err != nil {
		return err
	}
	if filepath.Base(p.Dir) == inTree {
		if err := create(s.dir, ".gitignore", "*\n"); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return s.dir.Sync()
}
