package commit

import (
	"errors"
	"io"
	"os"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// Abilities are what the file system of a store was seen to do.
type Abilities = api.Abilities

// Probe tries what a commit relies on, with files of its own in the store.
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
			return is, storeError(err)
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
	is.ReplaceOpen = vfs.ReplacesOpen(slots)
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
