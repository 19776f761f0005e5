package commit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// The names in a store.
const (
	formatName = "format"
	lockName   = "lock"
	logName    = "log"
)

// format is the first line of the file that says what the directory is. A store of another version is refused.
const format = "emend store 1"

// Store is the lock, the log, the slots and the markers of one tree. It may be used by several goroutines at once.
type Store struct {
	dir, logDir vfs.Dir
	tree        Tree
	log         *audit.Log
	hist        *history.History
	opts        Options
	files       int           // how many files may be open at once
	early       atomic.Int64  // how many are held open without the lock
	queue       chan struct{} // has one token: who holds it may ask for the lock
}

// Create makes a store in the empty directory dir. Nothing of it counts before dir itself is durable under the name
// by which it is found, which is the caller's to do.
func Create(dir vfs.Dir, top string) error {
	if err := history.Create(dir); err != nil {
		return err
	}
	if err := dir.Mkdir(logName, 0o700); err != nil {
		return err
	}
	log, err := dir.Dir(logName)
	if err != nil {
		return err
	}
	defer log.Close()
	l, err := audit.Create(log, audit.Options{})
	if err != nil {
		return err
	}
	defer l.Close()
	for name, text := range map[string]string{lockName: "", formatName: format + "\ntop " + top + "\n"} {
		if err := create(dir, name, text); err != nil {
			return err
		}
	}
	return dir.Sync()
}

func create(dir vfs.Dir, name, text string) error {
	f, err := dir.Create(name, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Sync(), f.Close())
}

// ReadFormat returns the way from a store to the top of its tree, as the store has it.
func ReadFormat(dir vfs.Dir) (top string, err error) {
	f, err := dir.Open(formatName)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(b), "\n")
	if lines[0] != format || len(lines) < 2 {
		return "", &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store has the format %s, not %q", fail.Quote(lines[0]), format),
			Hint: "Use the version of emend that made it, or a newer one."}
	}
	return strings.TrimPrefix(lines[1], "top "), nil
}

// Open opens the store in dir, which it takes over, for the tree that belongs to it. It writes nothing.
func Open(dir vfs.Dir, tree Tree, o Options) (*Store, error) {
	s := &Store{dir: dir, tree: tree, opts: o, files: openFiles(), queue: make(chan struct{}, 1)}
	s.queue <- struct{}{}
	var err error
	if s.hist, err = history.Open(dir); err != nil {
		return nil, unwritable(err)
	}
	if s.logDir, err = dir.Dir(logName); err == nil {
		s.log, err = audit.Open(s.logDir, audit.Options{})
	}
	if err != nil {
		s.Close()
		return nil, unwritable(err)
	}
	return s, nil
}

// Close lets go of the store.
func (s *Store) Close() error {
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	if s.logDir != nil {
		errs = append(errs, s.logDir.Close())
	}
	return errors.Join(append(errs, s.hist.Close(), s.dir.Close())...)
}

// patience is how long a call without a deadline waits for the lock.
const patience = 30 * time.Second

// lock waits for the store's lock until ctx ends.
func (s *Store) lock(ctx context.Context) (unlock func(), err error) {
	if unlock, err := s.tryLock(); unlock != nil || err != nil {
		return unlock, err // without a clock, which starts a thread
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	select {
	case <-s.queue:
	case <-ctx.Done():
		return nil, s.waited(ctx, "another call of this process")
	}
	f, err := s.flock(ctx)
	if err != nil {
		s.queue <- struct{}{}
		return nil, err
	}
	return func() {
		f.Close()
		s.queue <- struct{}{}
	}, nil
}

// flock polls for the lock of the file, which is never replaced: the kernel has no way to wait for it for some time.
func (s *Store) flock(ctx context.Context) (vfs.File, error) {
	f, err := s.dir.Append(lockName, 0o600)
	if err != nil {
		return nil, unwritable(err)
	}
	pause := time.Millisecond / 2
	for {
		mine, err := f.TryLock()
		if err == nil && mine {
			err = s.sameLock(f)
		}
		if err != nil {
			f.Close()
			return nil, unwritable(err)
		}
		if mine {
			s.sign(f)
			return f, nil
		}
		select {
		case <-time.After(pause):
			pause = min(pause*2, 20*time.Millisecond)
		case <-ctx.Done():
			defer f.Close()
			return nil, s.waited(ctx, holder(f))
		}
	}
}

// sameLock checks that the lock is that of the file which others find: one that somebody has removed excludes nobody.
func (s *Store) sameLock(f vfs.File) error {
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

// tryLock takes the lock if nobody has it; unlock is nil when somebody does.
func (s *Store) tryLock() (unlock func(), err error) {
	select {
	case <-s.queue:
	default:
		return nil, nil
	}
	f, err := s.dir.Append(lockName, 0o600)
	if err != nil {
		s.queue <- struct{}{}
		return nil, unwritable(err)
	}
	mine, err := f.TryLock()
	if err == nil && mine {
		err = s.sameLock(f)
	}
	if err != nil || !mine {
		f.Close()
		s.queue <- struct{}{}
		return nil, unwritable(err)
	}
	s.sign(f)
	return func() {
		f.Close()
		s.queue <- struct{}{}
	}, nil
}

// Holder is who has the lock now; "" when nobody has.
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
		return "", unwritable(err)
	}
	defer f.Close()
	return holder(f), nil
}

// sign writes who has the lock, for others to read, unless it says so already. It is worth no error. What the new text
// has in common with the old one stays: a file that is cut to nothing gives its block back, and a disk may be told so, and
// waited for, each time.
func (s *Store) sign(f vfs.File) {
	if s.opts.Holder == "" {
		return
	}
	line := s.opts.Holder + "\n"
	was := make([]byte, 256)
	n, _ := f.ReadAt(was, 0)
	same := common(line, string(was[:n]))
	if same == len(line) && same == n {
		return
	}
	if f.Truncate(int64(same)) == nil {
		io.WriteString(f, line[same:])
	}
}

// common is how many bytes a and b begin with that are the same.
func common(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

func holder(f vfs.File) string {
	b := make([]byte, 256)
	n, _ := f.ReadAt(b, 0)
	line, _, whole := strings.Cut(string(b[:n]), "\n")
	if line == "" || !whole {
		return "another process"
	}
	return line
}

func (s *Store) waited(ctx context.Context, who string) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return cancelled(ctx)
	}
	return &fail.Error{Kind: fail.Timeout, Cause: ctx.Err(),
		Msg:  "the workspace is locked by " + who,
		Hint: "Nothing was changed. Wait for it to finish, or end it, and send the patch again."}
}

// Note appends a record that needs no transaction: a refusal. It is not synced. It waits for the lock as a commit does, also
// when ctx has ended, unless wait says that there is no time left.
func (s *Store) Note(ctx context.Context, r audit.Record, wait bool) error {
	unlock, err := s.tryLock()
	if err != nil {
		return err
	}
	if unlock == nil && !wait {
		return s.waited(ctx, "somebody")
	}
	if unlock == nil {
		if unlock, err = s.lock(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	defer unlock()
	if err := s.ready(); err != nil {
		return err
	}
	return unwritable(s.log.Append(&r, false))
}

// ready makes the log ready for appending. The lock is held.
func (s *Store) ready() error {
	if err := s.log.Refresh(); err != nil {
		return unwritable(err)
	}
	_, err := s.log.Settle()
	return unwritable(err)
}

// Head is the newest record that is known.
func (s *Store) Head() audit.Head { return s.log.Head() }

// Log is the store's log, for reading.
func (s *Store) Log() *audit.Log { return s.log }

// History is what the store keeps.
func (s *Store) History() *history.History { return s.hist }

// Room opens a directory of the store that is for somebody else's use; made says to make it where it is missing.
func (s *Store) Room(name string, made bool) (vfs.Dir, error) {
	dir, err := s.dir.Dir(name)
	if !made || !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := s.dir.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.dir.Dir(name)
}

// ByKey finds the transaction that was committed under a key, and the answer that it was given.
func (s *Store) ByKey(key string) (*audit.Record, string, error) {
	if err := s.log.Refresh(); err != nil {
		return nil, "", unwritable(err)
	}
	r, err := s.log.ByKey(key)
	if err != nil || r == nil {
		return nil, "", unwritable(err)
	}
	answer, err := s.hist.Kept(history.Answer(r.Tx))
	if errors.Is(err, fs.ErrNotExist) {
		return r, "", nil
	}
	return r, answer, unwritable(err)
}

// Usage counts what the history holds.
func (s *Store) Usage() (history.Usage, error) {
	u, err := s.hist.Usage()
	return u, unwritable(err)
}

// Orphans lists the transactions that left slots and have no record: a power cut in the middle of staging leaves
// them. They are garbage.
func (s *Store) Orphans() ([]string, error) {
	out, err := s.hist.Orphans(s.committed)
	return out, unwritable(err)
}
