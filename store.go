package emend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/wait"
)

// Actor is who asks for a change, for the log.
type Actor = audit.Actor

// Head is the newest record of the log: its number and its hash. Who keeps it can later prove that nothing before it
// was rewritten.
type Head = audit.Head

// Recovery is what was found of an interrupted transaction, and what became of it.
type Recovery = commit.Outcome

// keeper is the workspace's way to its store, opened when it is first needed.
type keeper struct {
	guard  *guard.Guard
	root   string // the root's path, links resolved
	id     guard.Identity
	named  string // the store that a person named
	unsafe bool
	actor  Actor
	opts   commit.Options

	mu     sync.Mutex
	place  commit.Place
	store  *commit.Store
	top    *guard.Guard
	prefix string // from the top to the root
	board  *wait.Board

	adopting bool // a person said that a copied store is theirs

	wrote bool          // something was to be written
	age   time.Duration // how long, and how much, the history is to keep
	bytes int64
}

// keep makes the workspace ready to find its store.
func (w *Workspace) keep(s *settings) error {
	root, err := filepath.EvalSymlinks(w.guard.Dir())
	if err != nil {
		return storeError(err)
	}
	w.keeper.root, w.keeper.id, w.keeper.unsafe = root, w.guard.Root(), s.keeper.unsafe
	for to, text := range map[*string]string{&w.keeper.actor.Client: s.keeper.actor.Client, &w.keeper.actor.Session: s.keeper.actor.Session,
		&w.keeper.actor.Agent: s.keeper.actor.Agent, &w.keeper.actor.Tool: s.keeper.actor.Tool} {
		*to = clean(text)
	}
	w.keeper.opts, w.keeper.age, w.keeper.bytes = s.keeper.opts, s.keeper.age, s.keeper.bytes
	w.keeper.guard = w.guard
	if s.keeper.named != "" {
		w.keeper.named, err = filepath.Abs(s.keeper.named)
	}
	return err
}

// storeIn is where, below dir, a person put the store; "" for nowhere.
func storeIn(dir, named string) string {
	if named == "" {
		return ""
	}
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	real, nerr := filepath.Abs(named)
	if nerr != nil || err != nil {
		return ""
	}
	if whole, err := filepath.EvalSymlinks(real); err == nil {
		real = whole
	} else if up, err := filepath.EvalSymlinks(filepath.Dir(real)); err == nil {
		real = filepath.Join(up, filepath.Base(real))
	}
	if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return ""
}

// find locates the store and opens it if there is one.
func (k *keeper) find() (*commit.Store, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store != nil {
		return k.store, nil
	}
	var err error
	if k.named != "" {
		k.place, err = commit.At(k.named, k.root)
	} else {
		k.place, err = commit.Locate(k.root)
	}
	if err != nil || !k.place.Exists {
		return nil, err
	}
	err = k.open()
	return k.store, err
}

// where is the place of the store.
func (k *keeper) where() commit.Place {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.place
}

// way is the path from the top of the tree to the root.
func (k *keeper) way() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.prefix
}

// ensure makes the store if there is none.
func (k *keeper) ensure() (*commit.Store, error) {
	if _, err := k.find(); err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wrote = true
	if err := k.safe(); err != nil || k.store != nil {
		return k.store, err
	}
	if err := k.still(); err != nil {
		return nil, err
	}
	var err error
	if k.place, err = k.place.Make(); err != nil {
		return nil, err
	}
	err = k.open()
	return k.store, err
}

// safe refuses to write where renames are not what they are on a local disk.
func (k *keeper) safe() error {
	if !commit.Supported {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem,
			Msg:  "this version of emend reads, plans and previews on " + runtime.GOOS + ", and writes on Linux and macOS only",
			Hint: "Use --dry-run, or run it where the files are on Linux or macOS."}
	}
	is, err := commit.Filesystem(k.root)
	if err != nil || k.unsafe || !is.Network {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem,
		Msg:  fmt.Sprintf("the workspace is on a network file system (%s), where a commit cannot promise what it promises on a disk", is.Type),
		Hint: "With --unsafe-fs a person can allow it; emend doctor says what is weaker then."}
}

func (k *keeper) open() error {
	if err := k.place.Genuine(); err != nil && !k.adopting {
		return err
	}
	dir, err := vfs.Open(k.place.Dir)
	if err != nil {
		return storeError(err)
	}
	if err := k.climb(dir); err != nil {
		dir.Close()
		return err
	}
	o := k.opts
	o.Holder = k.holder()
	is, err := commit.Filesystem(k.place.Dir)
	o.Links = err == nil && !is.Journal
	store, err := commit.Open(dir, k.top, o)
	if err != nil {
		k.top.Close()
		return err
	}
	k.store = store
	if is, err := dir.Stat("."); err == nil {
		k.guard.ProtectStore(is.ID)
	}
	return nil
}

// climb opens the top of the tree that the store belongs to, and finds the way down to the root, which must be the
// directory that the workspace was opened on.
func (k *keeper) climb(dir vfs.Dir) error {
	way, err := commit.ReadFormat(dir)
	if err != nil {
		return storeError(err)
	}
	top := filepath.FromSlash(way)
	if !filepath.IsAbs(top) {
		top = filepath.Join(k.place.Dir, top)
	}
	rel, err := filepath.Rel(top, k.root)
	// Where the store was found says which tree it is for; what it says itself must not reach further.
	elsewhere := k.named == "" && filepath.Clean(top) != k.place.Top
	if err != nil || !filepath.IsLocal(rel) || elsewhere {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store %s belongs to another tree, %s", fail.Quote(k.place.Dir), fail.Quote(top)),
			Hint: "Name a store of its own for each tree, or none: emend then finds one."}
	}
	k.prefix = filepath.ToSlash(rel)
	if k.top, err = guard.Open(top, guard.Options{}); err != nil {
		return err
	}
	if err := k.sameRoot(); err != nil {
		k.top.Close()
		return err
	}
	return nil
}

// still checks that the path of the root leads where it did, before anything is made by it.
func (k *keeper) still() error {
	g, err := guard.Open(k.root, guard.Options{})
	if err != nil {
		return err
	}
	defer g.Close()
	if g.Root() != k.id {
		return &fail.Error{Kind: fail.Stale, Path: ".", Msg: "the workspace's directory was replaced since it was opened", Hint: "Open it again."}
	}
	return nil
}

func (k *keeper) sameRoot() error {
	root, err := k.top.OpenDir(k.prefix)
	if err != nil {
		return err
	}
	defer root.Close()
	is, err := root.Stat(".")
	if err != nil || is.ID != (vfs.ID{Dev: k.id.Dev, Ino: k.id.Ino}) {
		return &fail.Error{Kind: fail.Stale, Path: ".", Msg: "the workspace's directory was replaced while it was opened", Hint: "Open it again.", Cause: err}
	}
	return nil
}

// holder is what others read of who has the lock.
func (k *keeper) holder() string {
	who := strings.TrimSpace(strings.Join([]string{k.actor.Client, k.actor.Agent, k.actor.Session}, " "))
	if who == "" {
		who = filepath.Base(os.Args[0])
	}
	host, _ := os.Hostname()
	return fmt.Sprintf("process %d (%.100s) on %s, since %s", os.Getpid(), who, host, time.Now().Format(time.RFC3339))
}

func (k *keeper) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.store == nil {
		return nil
	}
	var err error
	if k.board != nil {
		err = k.board.Close()
		k.board = nil
	}
	err = errors.Join(err, k.store.Close(), k.top.Close())
	k.store = nil
	return err
}

func storeError(err error) error {
	if _, ok := errors.AsType[*fail.Error](err); ok {
		return err
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the store cannot be opened: " + err.Error(),
		Hint: "Run emend doctor: it says where the store is and what is wrong with it."}
}

// Recover finishes, or takes back, what a crash left in the tree that the workspace belongs to. Where there is nothing
// to do it returns an empty Recovery. It waits for whoever is at work, as long as ctx lets it.
func (w *Workspace) Recover(ctx context.Context) (*Recovery, error) {
	if err := w.enter(); err != nil {
		return nil, err
	}
	defer w.calls.Done()
	s, err := w.keeper.find()
	if err != nil {
		return nil, err
	}
	place := w.keeper.where()
	place.Tidy()
	if s == nil {
		return &Recovery{}, nil
	}
	return s.Recover(ctx)
}

// Recovered is what opening the workspace recovered; nil for nothing. An error says that the store could not be used,
// or that something is pending and could not be recovered: the files may then be partly old and partly new.
func (w *Workspace) Recovered() (*Recovery, error) { return w.found, w.pending }

// interrupted says what a crash left, without touching it.
func (w *Workspace) interrupted() error {
	s, err := w.keeper.find()
	if err != nil || s == nil {
		return err
	}
	r, err := s.Pending()
	if r == nil || err != nil {
		return err
	}
	if who, err := s.Holder(); who != "" || err != nil {
		return err // somebody is at work
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate,
		Msg:  "the change " + r.Tx + " was interrupted, and files may be partly old and partly new",
		Hint: "Run emend recover."}
}

// heal runs when a workspace opens.
func (w *Workspace) heal() {
	s, err := w.keeper.find()
	if err != nil || s == nil {
		w.pending = err
		return
	}
	// Looked at without the lock: what seems to be wrong may be no more than somebody at work.
	if r, err := s.Pending(); err == nil && r == nil {
		return
	}
	w.found, err = s.TryRecover()
	if w.found.Nothing() {
		w.found = nil
	}
	w.pending = err
	if e, ok := errors.AsType[*fail.Error](err); ok && e.Reason == fail.Indeterminate {
		w.pending = &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Cause: err,
			Msg:  "a patch was interrupted here and could not be recovered, and files may be partly old and partly new: " + err.Error(),
			Hint: "Run emend recover."}
	}
}
