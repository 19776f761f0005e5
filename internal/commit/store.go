package commit

import (
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync/atomic"
	"time"

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

// The first line of the file that identifies a store. A store of another version is refused. A store has the later format
// before its first pack is made, the first segment of its log is dropped, or its first group of several transactions is
// committed: an older emend takes what is dropped for damage, does not find what is packed, would purge without removing it,
// and recovers only the last of a group.
const (
	format      = "emend store 1"
	laterFormat = "emend store 2"
)

// Store is the lock, the log, the slots and the markers of one tree. Several goroutines may use it at once.
type Store struct {
	dir, logDir vfs.Dir
	tree        Tree
	log         *audit.Log
	hist        *history.History
	opts        Options
	openLimit   int           // how many files may be open at once
	heldEarly   atomic.Int64  // how many files are held open without the lock
	turn        chan struct{} // has one token: its holder may ask for the lock
	keepLoose   int           // how many transactions, the newest, are not packed
	packedAt    atomic.Uint64 // the newest record when the store was opened or last packed
	queue       txQueue
	syncSlots   sharedSync // of the directory of the slots, by transactions that are being staged
	hands       int        // how many transactions of a group are worked on at once
	swept       time.Time  // the last sweep; only the holder of the lock uses this
	grouped     bool       // the store is known to have laterFormat; only the holder of the lock uses this
}

// Open opens the store in dir for the tree that belongs to it, and takes dir over. It writes nothing.
func Open(dir vfs.Dir, tree Tree, o Options) (*Store, error) {
	s := &Store{dir: dir, tree: tree, opts: o, openLimit: openFileLimit(), keepLoose: keepLoose, turn: make(chan struct{}, 1),
		hands: runtime.GOMAXPROCS(0)}
	s.turn <- struct{}{}
	var err error
	if s.hist, err = history.Open(dir); err != nil {
		return nil, storeError(err)
	}
	if s.logDir, err = dir.Dir(logName); err == nil {
		s.log, err = audit.Open(s.logDir, audit.Options{})
	}
	if err != nil {
		s.Close()
		return nil, storeError(err)
	}
	s.packedAt.Store(s.log.Head().Seq)
	return s, nil
}

// Close closes the store.
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

// readyLog makes the log ready for appending. The lock is held.
func (s *Store) readyLog() error {
	if err := s.log.Refresh(); err != nil {
		return storeError(err)
	}
	_, err := s.log.SetTornAside()
	return storeError(err)
}

// LinksOldFiles reports whether a transaction gives the files that it replaces second names before it is decided, which changes their
// time of change.
func (s *Store) LinksOldFiles() bool { return s.opts.secondNames() }

// Head returns the newest record that is known.
func (s *Store) Head() audit.Head { return s.log.Head() }

// Log returns the store's log, for reading.
func (s *Store) Log() *audit.Log { return s.log }

// History returns what the store keeps.
func (s *Store) History() *history.History { return s.hist }

// OpenDir opens a directory of the store for another package's use. If it is missing and create is set, OpenDir makes it.
func (s *Store) OpenDir(name string, create bool) (vfs.Dir, error) {
	dir, err := s.dir.Dir(name)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := s.dir.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s.dir.Dir(name)
}

// ByKey returns the transaction that was committed under a key, and the answer that was stored for it.
func (s *Store) ByKey(key string) (*audit.Record, string, error) {
	if err := s.log.Refresh(); err != nil {
		return nil, "", storeError(err)
	}
	r, err := s.log.ByKey(key)
	if err != nil || r == nil {
		return nil, "", storeError(err)
	}
	answer, err := s.hist.ReadText(history.AnswerName(r.Tx))
	if errors.Is(err, fs.ErrNotExist) {
		return r, "", nil
	}
	return r, answer, storeError(err)
}

// Usage counts what the history holds.
func (s *Store) Usage() (history.Usage, error) {
	u, err := s.hist.Usage()
	return u, storeError(err)
}

// OpenLog opens the log directory of a store, for readers that need neither the lock nor the rest.
func OpenLog(store vfs.Dir) (vfs.Dir, error) { return store.Dir(logName) }

func createFile(dir vfs.Dir, name, text string) error {
	f, err := dir.Create(name, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Sync(), f.Close())
}
