package commit

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/vfs"
)

// lockTimeout is how long a call without a deadline waits for the lock.
const lockTimeout = 30 * time.Second

// lock waits for the store's lock until ctx ends.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) { return s.lockUnless(ctx, nil) }

// lockUnless waits for the store's lock until ctx ends, or until ended is closed while another call of the process has its
// turn. Then it returns neither a function nor an error.
func (s *Store) lockUnless(ctx context.Context, ended <-chan struct{}) (unlock func(), err error) {
	if unlock, err := s.tryLock(); unlock != nil || err != nil {
		return unlock, err // without a timer, which starts a thread
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, lockTimeout)
		defer cancel()
	}
	select {
	case <-s.turn:
	case <-ended:
		return nil, nil
	case <-ctx.Done():
		return nil, s.lockedError(ctx, "another call of this process")
	}
	return s.lockFile(func(f vfs.File) (bool, error) { return s.waitForLock(ctx, f) })
}

// lockFile opens the lock file and locks it with try. The caller has the turn, which lockFile gives back unless it
// returns unlock. Defer unlock, so that a panic gives the lock back: the next holder recovers from the disk, as after a
// kill.
func (s *Store) lockFile(try func(vfs.File) (mine bool, err error)) (unlock func(), err error) {
	defer func() {
		if unlock == nil {
			s.turn <- struct{}{}
		}
	}()
	f, err := s.dir.Append(lockName, 0o600)
	if err != nil {
		return nil, storeError(err)
	}
	defer func() {
		if unlock == nil {
			f.Close()
		}
	}()
	mine, err := try(f)
	if err == nil && mine {
		err = s.checkLockFile(f)
	}
	if err != nil || !mine {
		return nil, storeError(err)
	}
	s.writeHolder(f)
	return func() {
		f.Close()
		s.turn <- struct{}{}
	}, nil
}

// Pauses between two looks at a lock, at most: of the process that is the next to have it, and of those that wait to be
// the next.
const (
	pauseOfNext   = 2 * time.Millisecond
	pauseOfOthers = 20 * time.Millisecond
)

// waitForLock waits for the lock of the lock file, which is never replaced. Of the processes that wait, the one that has
// locked the format file is the next: otherwise a process whose own calls queue would take the lock again before another
// one looks.
func (s *Store) waitForLock(ctx context.Context, f vfs.File) (mine bool, err error) {
	next, err := s.dir.Append(formatName, 0o600) // NFS locks no file that is open for reading only
	if err != nil {
		return false, err
	}
	defer next.Close()
	if mine, err := s.pollLock(ctx, next, f, pauseOfOthers); !mine || err != nil {
		return mine, err
	}
	return s.pollLock(ctx, f, f, pauseOfNext)
}

// pollLock looks again and again whether it gets the lock of a file, since the kernel cannot wait for one with a timeout.
func (s *Store) pollLock(ctx context.Context, f, holder vfs.File, longest time.Duration) (mine bool, err error) {
	for pause := time.Millisecond / 2; ; pause = min(pause*2, longest) {
		if mine, err := f.TryLock(); mine || err != nil {
			return mine, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return false, s.lockedError(ctx, readHolder(holder))
		}
	}
}

// checkLockFile checks that the locked file is the one that others find: a lock on a removed file excludes nobody.
func (s *Store) checkLockFile(f vfs.File) error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	is, err := s.dir.Stat(lockName)
	if err == nil && is.ID != mine.ID {
		err = errors.New("its lock file was replaced")
	}
	return err
}

// tryLock takes the lock if it is free. unlock is nil if it is not.
func (s *Store) tryLock() (unlock func(), err error) {
	select {
	case <-s.turn:
	default:
		return nil, nil
	}
	return s.lockFile(vfs.File.TryLock)
}

// Holder returns who has the lock, "" if nobody has.
func (s *Store) Holder() (string, error) {
	unlock, err := s.tryLock()
	if err != nil {
		return "", err
	}
	if unlock != nil {
		unlock()
		return "", nil
	}
	f, err := s.dir.Open(lockName)
	if err != nil {
		return "", storeError(err)
	}
	defer f.Close()
	return readHolder(f), nil
}

// writeHolder writes who has the lock into the lock file, for others to read. A failure is not reported. It keeps the
// common beginning of the old and the new text: a file that is truncated to nothing gives its block back, and some
// disks are told so, and waited for, each time.
func (s *Store) writeHolder(f vfs.File) {
	if s.opts.Holder == "" {
		return
	}
	line := s.opts.Holder + "\n"
	was := make([]byte, 256)
	n, _ := f.ReadAt(was, 0)
	same := commonPrefix(line, string(was[:n]))
	if same == len(line) && same == n {
		return
	}
	if f.Truncate(int64(same)) == nil {
		io.WriteString(f, line[same:])
	}
}

// commonPrefix returns how many bytes a and b have in common at their beginnings.
func commonPrefix(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func readHolder(f vfs.File) string {
	b := make([]byte, 256)
	n, _ := f.ReadAt(b, 0)
	line, _, whole := strings.Cut(string(b[:n]), "\n")
	if line == "" || !whole {
		return "another process"
	}
	return line
}

func (s *Store) lockedError(ctx context.Context, who string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return cancelled(ctx)
	}
	return &fail.Error{Kind: fail.Timeout, Cause: ctx.Err(),
		Msg:  "the workspace is locked by " + who,
		Hint: "Nothing was changed. Wait for it to finish, or end it, and send the patch again."}
}
