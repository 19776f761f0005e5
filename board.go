package emend

import (
	"errors"
	"io/fs"

	"github.com/emend-dev/emend/internal/wait"
)

// board is the board of the store; nil where there is none yet. made says to make it.
func (w *Workspace) board(made bool) (*wait.Board, error) {
	k := &w.keeper
	find := k.find
	if made {
		find = k.ensure
	}
	store, err := find()
	if store == nil || err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.board != nil {
		return k.board, nil
	}
	dir, err := store.Room("waiting", made)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, storeError(err)
	}
	k.board = wait.Open(dir)
	return k.board, nil
}

// Attend says, until leave is called, the workspace is closed or the process ends, that a person has a page open that shows what
// waits. Who leaves one page for the next has not left: a page should linger for a moment before it says so.
func (w *Workspace) Attend() (leave func(), err error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	b, err := w.board(true)
	if err != nil {
		return nil, cannot(err)
	}
	leave, err = b.Attend(w.keeper.way())
	if err != nil {
		return nil, cannot(storeError(err))
	}
	return leave, nil
}
