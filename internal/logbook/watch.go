package logbook

import (
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// WatchPace is how often Watch looks.
const WatchPace = 100 * time.Millisecond

// Sift takes in what is new in the log for those who will ask about it soon: who watches it, looks at it.
func Sift(w *workspace.Workspace) {
	j, err := JournalWorkspace(w)
	if err != nil {
		return
	}
	defer j.Close()
	if j.Log != nil {
		j.Log.UpdateIndex(j.sieve)
	}
}

// Glance returns how the log looks from outside and its head, which it reads only if it looks otherwise than it did.
func Glance(w *workspace.Workspace, seen string, head api.Head) (string, api.Head, error) {
	now, err := outside(w)
	if err != nil || now == seen {
		return now, head, err
	}
	if now == "" {
		return "", api.Head{}, nil
	}
	j, err := JournalWorkspace(w)
	if err != nil {
		return "", head, err
	}
	defer j.Close()
	if j.Log == nil {
		return "", api.Head{}, nil
	}
	return now, j.Log.Head(), nil
}

// outside is the names and sizes of the log; "" when there is none.
func outside(w *workspace.Workspace) (string, error) {
	store, err := w.Keeper.Find()
	if err != nil || store == nil {
		return "", err
	}
	dir, err := vfs.Open(w.Keeper.Where().Dir)
	if err != nil {
		return "", nil // it was moved away
	}
	defer dir.Close()
	log, err := commit.OpenLog(dir)
	if err != nil {
		return "", nil
	}
	defer log.Close()
	return sizes(log)
}
