package emend

import (
	"context"
	"time"

	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/vfs"
)

// watchPace is how often Watch looks.
const watchPace = 100 * time.Millisecond

// Watch tells the head of the log, at once and then whenever it is another one, until ctx ends. Between two looks nothing is
// open, and as long as nothing was written a look costs the names and sizes of the log. There need not be a store yet: its
// head is zero. A store that cannot be read for a time is looked for again; one that cannot at first is an error.
func (w *Workspace) Watch(ctx context.Context, tell func(Head)) error {
	if err := w.enter(); err != nil {
		return cannot(err)
	}
	defer w.calls.Done()
	seen, head, err := w.glance("-", Head{})
	if err != nil {
		return cannot(err)
	}
	tell(head)
	w.sift()
	tick := time.NewTicker(watchPace)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		now, next, err := w.glance(seen, head)
		if err != nil {
			continue
		}
		if seen = now; next != head {
			head = next
			tell(head)
			w.sift()
		}
	}
}

// sift takes in what is new in the log for those who will ask about it soon: who watches it, looks at it.
func (w *Workspace) sift() {
	j, err := w.journal()
	if err != nil {
		return
	}
	defer j.close()
	if j.log != nil {
		j.log.Sift(j.sieve)
	}
}

// glance returns how the log looks from outside and its head, which it reads only if it looks otherwise than it did.
func (w *Workspace) glance(seen string, head Head) (string, Head, error) {
	now, err := w.outside()
	if err != nil || now == seen {
		return now, head, err
	}
	if now == "" {
		return "", Head{}, nil
	}
	j, err := w.journal()
	if err != nil {
		return "", head, err
	}
	defer j.close()
	if j.log == nil {
		return "", Head{}, nil
	}
	return now, j.log.Head(), nil
}

// outside is the names and sizes of the log; "" when there is none.
func (w *Workspace) outside() (string, error) {
	store, err := w.keeper.find()
	if err != nil || store == nil {
		return "", err
	}
	dir, err := vfs.Open(w.keeper.where().Dir)
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
