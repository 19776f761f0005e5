package logbook

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// watchInterval is the time between two looks of Watch.
const watchInterval = 100 * time.Millisecond

// Watch calls tell with the head of the log, at once and whenever it changes, until ctx ends.
func Watch(ctx context.Context, w *workspace.Workspace, tell func(api.Head)) error {
	stamp, head, err := lookAtLog(w, "-", api.Head{})
	if err != nil {
		return err
	}
	tell(head)
	return poll(ctx, watchInterval, func() error {
		now, next, err := lookAtLog(w, stamp, head)
		if err != nil {
			return nil // a store that cannot be read now may be back at the next look
		}
		if stamp = now; next != head {
			head = next
			tell(head)
		}
		return nil
	})
}

// poll calls look at once and then at each interval, until it fails or ctx ends. The end of ctx is no error.
func poll(ctx context.Context, interval time.Duration, look func() error) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if err := look(); err != nil && ctx.Err() == nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// lookAtLog returns the stamp of the log and its head. It reads the head only when the stamp differs from the one before.
func lookAtLog(w *workspace.Workspace, before string, head api.Head) (stamp string, _ api.Head, err error) {
	stamp, err = logStamp(w)
	if err != nil || stamp == before {
		return stamp, head, err
	}
	if stamp == "" {
		return "", api.Head{}, nil
	}
	rd, err := Open(w)
	if err != nil {
		return "", head, err
	}
	defer rd.Close()
	if rd.Log == nil {
		return "", api.Head{}, nil
	}
	return stamp, rd.Log.Head(), nil
}

// logStamp returns the stamp of the log's directory, "" when there is none.
func logStamp(w *workspace.Workspace) (string, error) {
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return "", err
	}
	dir, err := vfs.Open(w.StorePlace().Dir)
	if err != nil {
		return "", nil // it was moved away
	}
	defer dir.Close()
	log, err := commit.OpenLog(dir)
	if err != nil {
		return "", nil
	}
	defer log.Close()
	return stampOf(log)
}

// stampOf returns the names, sizes and times of the segments of a log. Every record changes them.
func stampOf(dir vfs.Dir) (string, error) {
	names, err := dir.Names()
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		if !audit.IsSegment(name) {
			continue
		}
		is, err := dir.Stat(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %d %v %d\n", name, is.Size, is.ID, is.ModTime.UnixNano())
	}
	return b.String(), nil
}
