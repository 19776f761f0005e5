package commit

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// frozenName is a file of the store. While it is there, no transaction is committed. Recovery goes on, and so does the record of
// what others did.
const frozenName = "frozen"

// Freeze keeps transactions from being committed until [Store.Thaw]. When it returns, none is being committed any more. The store gets
// the later format, so that no program writes that may not know of freezing.
func (s *Store) Freeze(ctx context.Context, why api.Frozen) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.raiseFormat(); err != nil {
		return storeError(err)
	}
	text, err := json.Marshal(why)
	if err != nil {
		return err
	}
	draft := frozenName + ".new"
	s.dir.Remove(draft)
	f, err := s.dir.Create(draft, 0o600)
	if err != nil {
		return storeError(err)
	}
	_, err = f.Write(append(text, '\n'))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = s.dir.Rename(draft, s.dir, frozenName, vfs.Replace)
	}
	if err == nil {
		err = s.dir.Sync()
	}
	return storeError(err)
}

// Thaw ends what [Store.Freeze] began.
func (s *Store) Thaw(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.dir.Remove(frozenName); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return storeError(err)
	}
	return storeError(s.dir.Sync())
}

// Frozen returns who froze the store and why; nil if nobody did. A file that cannot be understood freezes it too.
func (s *Store) Frozen() (*api.Frozen, error) {
	is, err := s.dir.Stat(frozenName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storeError(err)
	}
	why := &api.Frozen{At: is.ModTime}
	f, err := s.dir.Open(frozenName)
	if err != nil {
		return why, nil
	}
	defer f.Close()
	if text, err := io.ReadAll(io.LimitReader(f, 64<<10)); err == nil {
		json.Unmarshal(text, why)
	}
	return why, nil
}

// checkFrozen refuses while the store is frozen.
func (s *Store) checkFrozen() error {
	why, err := s.Frozen()
	if why == nil || err != nil {
		return err
	}
	msg := "this workspace is frozen: nothing is changed in it"
	if why.By != "" {
		msg += ", says " + fail.Quote(why.By)
	}
	if why.Reason != "" {
		msg += ": " + fail.Quote(why.Reason)
	}
	return &fail.Error{Kind: fail.PermissionDenied, Msg: msg + ", since " + why.At.UTC().Format(time.RFC3339),
		Hint: "A person can let changes go on: ‹run thaw›."}
}
