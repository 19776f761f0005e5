package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/board"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
)

// Keeper is the workspace's way to its store, opened when it is first needed.
type Keeper struct {
	Guard  *guard.Guard
	Root   string // the root's path, links resolved
	Id     guard.Identity
	Named  string // the store that a person named
	Unsafe bool
	Actor  api.Actor
	Opts   commit.Options

	Mu     sync.Mutex
	Place  commit.Place
	Store  *commit.Store
	top    *guard.Guard
	Prefix string // from the top to the root
	board  *board.Board

	Adopting bool // a person said that a copied store is theirs

	Wrote bool          // something was to be written
	Age   time.Duration // how long, and how much, the history is to keep
	Bytes int64
}

// Board is the board of the store; nil where there is none yet. made says to make it.
func (w *Workspace) Board(made bool) (*board.Board, error) {
	k := &w.Keeper
	find := k.Find
	if made {
		find = k.Ensure
	}
	store, err := find()
	if store == nil || err != nil {
		return nil, err
	}
	k.Mu.Lock()
	defer k.Mu.Unlock()
	if k.board != nil {
		return k.board, nil
	}
	dir, err := store.OpenDir("waiting", made)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, StoreError(err)
	}
	k.board = board.Open(dir)
	return k.board, nil
}

// StoreIn is where, below dir, a person put the store; "" for nowhere.
func StoreIn(dir, named string) string {
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

// Find locates the store and opens it if there is one.
func (k *Keeper) Find() (*commit.Store, error) {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	if k.Store != nil {
		return k.Store, nil
	}
	var err error
	if k.Named != "" {
		k.Place, err = commit.LocateNamed(k.Named, k.Root)
	} else {
		k.Place, err = commit.Locate(k.Root)
	}
	if err != nil || !k.Place.Exists {
		return nil, err
	}
	err = k.open()
	return k.Store, err
}

// Where is the place of the store.
func (k *Keeper) Where() commit.Place {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	return k.Place
}

// Way is the path from the top of the tree to the root.
func (k *Keeper) Way() string {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	return k.Prefix
}

// Ensure makes the store if there is none.
func (k *Keeper) Ensure() (*commit.Store, error) {
	if _, err := k.Find(); err != nil {
		return nil, err
	}
	k.Mu.Lock()
	defer k.Mu.Unlock()
	k.Wrote = true
	if err := k.safe(); err != nil || k.Store != nil {
		return k.Store, err
	}
	if err := k.still(); err != nil {
		return nil, err
	}
	var err error
	if k.Place, err = k.Place.Make(); err != nil {
		return nil, err
	}
	err = k.open()
	return k.Store, err
}

// safe refuses to write where renames are not what they are on a local disk.
func (k *Keeper) safe() error {
	if !commit.Supported {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem,
			Msg:  "this version of emend reads, plans and previews on " + runtime.GOOS + ", and writes on Linux and macOS only",
			Hint: "Use --dry-run, or run it where the files are on Linux or macOS."}
	}
	is, err := commit.Filesystem(k.Root)
	if err != nil || k.Unsafe || !is.Network {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem,
		Msg:  fmt.Sprintf("the workspace is on a network file system (%s), where a commit cannot promise what it promises on a disk", is.Type),
		Hint: "With --unsafe-fs a person can allow it; emend doctor says what is weaker then."}
}

func (k *Keeper) open() error {
	if err := k.Place.CheckOrigin(); err != nil && !k.Adopting {
		return err
	}
	dir, err := vfs.Open(k.Place.Dir)
	if err != nil {
		return StoreError(err)
	}
	if err := k.climb(dir); err != nil {
		dir.Close()
		return err
	}
	o := k.Opts
	o.Holder = k.holder()
	is, err := commit.Filesystem(k.Place.Dir)
	o.Links = err == nil && !is.Journal
	store, err := commit.Open(dir, k.top, o)
	if err != nil {
		k.top.Close()
		return err
	}
	k.Store = store
	if is, err := dir.Stat("."); err == nil {
		k.Guard.ProtectStore(is.ID)
	}
	return nil
}

// climb opens the top of the tree that the store belongs to, and finds the way down to the root, which must be the
// directory that the workspace was opened on.
func (k *Keeper) climb(dir vfs.Dir) error {
	way, err := commit.ReadFormat(dir)
	if err != nil {
		return StoreError(err)
	}
	top := filepath.FromSlash(way)
	if !filepath.IsAbs(top) {
		top = filepath.Join(k.Place.Dir, top)
	}
	rel, err := filepath.Rel(top, k.Root)
	// Where the store was found says which tree it is for; what it says itself must not reach further.
	elsewhere := k.Named == "" && filepath.Clean(top) != k.Place.Top
	if err != nil || !filepath.IsLocal(rel) || elsewhere {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store %s belongs to another tree, %s", fail.Quote(k.Place.Dir), fail.Quote(top)),
			Hint: "Name a store of its own for each tree, or none: emend then finds one."}
	}
	k.Prefix = filepath.ToSlash(rel)
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
func (k *Keeper) still() error {
	g, err := guard.Open(k.Root, guard.Options{})
	if err != nil {
		return err
	}
	defer g.Close()
	if g.RootID() != k.Id {
		return &fail.Error{Kind: fail.Stale, Path: ".", Msg: "the workspace's directory was replaced since it was opened", Hint: "Open it again."}
	}
	return nil
}

func (k *Keeper) sameRoot() error {
	root, err := k.top.OpenDir(k.Prefix)
	if err != nil {
		return err
	}
	defer root.Close()
	is, err := root.Stat(".")
	if err != nil || is.ID != (vfs.ID{Dev: k.Id.Dev, Ino: k.Id.Ino}) {
		return &fail.Error{Kind: fail.Stale, Path: ".", Msg: "the workspace's directory was replaced while it was opened", Hint: "Open it again.", Cause: err}
	}
	return nil
}

// holder is what others read of who has the lock.
func (k *Keeper) holder() string {
	who := strings.TrimSpace(strings.Join([]string{k.Actor.Client, k.Actor.Agent, k.Actor.Session}, " "))
	if who == "" {
		who = filepath.Base(os.Args[0])
	}
	host, _ := os.Hostname()
	return fmt.Sprintf("process %d (%.100s) on %s, since %s", os.Getpid(), who, host, time.Now().Format(time.RFC3339))
}

func (k *Keeper) Close() error {
	k.Mu.Lock()
	defer k.Mu.Unlock()
	if k.Store == nil {
		return nil
	}
	var err error
	if k.board != nil {
		err = k.board.Close()
		k.board = nil
	}
	err = errors.Join(err, k.Store.Close(), k.top.Close())
	k.Store = nil
	return err
}

func StoreError(err error) error {
	if _, ok := errors.AsType[*fail.Error](err); ok {
		return err
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the store cannot be opened: " + err.Error(),
		Hint: "Run emend doctor: it says where the store is and what is wrong with it."}
}

// Interrupted says what a crash left, without touching it.
func (w *Workspace) Interrupted() error {
	s, err := w.Keeper.Find()
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

// Heal runs when a workspace opens.
func (w *Workspace) Heal() {
	s, err := w.Keeper.Find()
	if err != nil || s == nil {
		w.Pending = err
		return
	}
	// Looked at without the lock: what seems to be wrong may be no more than somebody at work.
	if r, err := s.Pending(); err == nil && r == nil {
		return
	}
	w.Found, err = s.TryRecover()
	if w.Found.Nothing() {
		w.Found = nil
	}
	w.Pending = err
	if e, ok := errors.AsType[*fail.Error](err); ok && e.Reason == fail.Indeterminate {
		w.Pending = &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Cause: err,
			Msg:  "a patch was interrupted here and could not be recovered, and files may be partly old and partly new: " + err.Error(),
			Hint: "Run emend recover."}
	}
}
