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
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/overlay"
	"github.com/emend-dev/emend/internal/vfs"
)

// storeHandle opens the store of a workspace when it is first needed, and keeps it open. The fields above mu never change.
//
// mu may be taken while the lock of the store is held, as a commit does that asks for the prefix. So no method takes the
// lock of the store while it holds mu.
type storeHandle struct {
	guard    *guard.Guard
	root     string // the root's absolute path, links resolved
	actor    api.Actor
	unsafeFS bool
	options  commit.Options

	moving sync.Mutex // held while the store is moved; taken before mu

	mu      sync.Mutex
	named   string // the store that a person named
	place   commit.Place
	store   *commit.Store // nil until it is open
	top     *guard.Guard  // of the tree that the store belongs to; open when store is
	prefix  string        // slash path from the top to the root
	board   *board.Board
	writing bool // openOrMake was called
}

// open finds the store and opens it. It returns nil if there is none.
func (h *storeHandle) open() (*commit.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.openLocked(false)
}

// openLocked is open, with mu held. adopting says that a store counts that was copied from another place.
func (h *storeHandle) openLocked(adopting bool) (*commit.Store, error) {
	if h.store != nil {
		return h.store, nil
	}
	var err error
	if h.named != "" {
		h.place, err = commit.LocateNamed(h.named, h.root)
	} else {
		h.place, err = commit.Locate(h.root)
	}
	if err != nil || !h.place.Exists {
		return nil, err
	}
	err = h.openPlace(adopting)
	return h.store, err
}

// openOrMake opens the store and makes it if there is none.
func (h *storeHandle) openOrMake() (*commit.Store, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, err := h.openLocked(false); err != nil {
		return nil, err
	}
	if err := h.notInLayer(); err != nil {
		return nil, err
	}
	h.writing = true
	if err := h.checkFilesystem(); err != nil || h.store != nil {
		return h.store, err
	}
	if err := h.rootUnmoved(); err != nil {
		return nil, err
	}
	var err error
	if h.place, err = h.place.Make(); err != nil {
		return nil, err
	}
	err = h.openPlace(false)
	return h.store, err
}

// notInLayer refuses to write to the store from the command of emend run: its layer has a copy of the store, which would not land.
func (h *storeHandle) notInLayer() error {
	layer := overlay.LayerOf(h.root)
	if layer == "" {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Msg: "this runs in the layer of emend run (" + filepath.Base(layer) + "), which has no log of its own",
		Hint: "What the command changes is recorded when it has ended. Change the file directly, or do this after it."}
}

// currentPlace returns where the store is, or would be made.
func (h *storeHandle) currentPlace() commit.Place {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.place
}

func (h *storeHandle) topGuard() *guard.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.top
}

// paths returns the translation of paths, which needs the store to be open where the root is not the top.
func (h *storeHandle) paths() Paths {
	h.mu.Lock()
	defer h.mu.Unlock()
	return Paths{h.prefix}
}

// written returns the store if openOrMake was called, else nil.
func (h *storeHandle) written() *commit.Store {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.writing {
		return nil
	}
	return h.store
}

// checkFilesystem refuses to write where a rename promises less than on a local disk.
func (h *storeHandle) checkFilesystem() error {
	if !commit.Supported {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem,
			Msg:  "this version of emend reads, plans and previews on " + runtime.GOOS + ", and writes on Linux, macOS and Windows only",
			Hint: "Run it where the files are on one of these‹dryRun:, or use {}›."}
	}
	is, err := commit.Filesystem(h.root)
	if err != nil || h.unsafeFS || !is.Network {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem,
		Msg:  fmt.Sprintf("the workspace is on a network file system (%s), where a commit cannot promise what it promises on a disk", is.Type),
		Hint: "With ‹option unsafe-fs› a person can allow it, and emend doctor says what is weaker then."}
}

// openPlace opens the store at place.
func (h *storeHandle) openPlace(adopting bool) error {
	if err := h.place.CheckOrigin(); err != nil && !adopting {
		return err
	}
	dir, err := vfs.Open(h.place.Dir)
	if err != nil {
		return StoreError(err)
	}
	if err := h.openTop(dir); err != nil {
		dir.Close()
		return err
	}
	o := h.options
	o.Holder = h.holder()
	is, err := commit.Filesystem(h.place.Dir)
	o.Links = err == nil && !is.Journal
	store, err := commit.Open(dir, h.top, o)
	if err != nil {
		h.top.Close()
		return err
	}
	h.store = store
	if is, err := dir.Stat("."); err == nil {
		h.guard.ProtectStore(is.ID)
	}
	return nil
}

// openTop opens the top of the tree that the store in dir belongs to and sets the prefix. It refuses a store of another
// tree, and a root that is not the directory on which the workspace was opened.
func (h *storeHandle) openTop(dir vfs.Dir) error {
	top, err := h.place.TopOf(dir)
	if err != nil {
		return StoreError(err)
	}
	rel, err := filepath.Rel(top, h.root)
	// The place where a store was found decides which tree it is for. Its own word must not reach further.
	foreign := h.named == "" && filepath.Clean(top) != h.place.Top
	if err != nil || !filepath.IsLocal(rel) || foreign {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store %s belongs to another tree, %s", fail.Quote(h.place.Dir), fail.Quote(top)),
			Hint: "Name a store of its own for each tree, or none: emend then finds one."}
	}
	h.prefix = filepath.ToSlash(rel)
	if h.top, err = guard.Open(top, guard.Options{}); err != nil {
		return err
	}
	if err := h.rootBelowTop(); err != nil {
		h.top.Close()
		return err
	}
	return nil
}

// rootUnmoved checks that the path of the root still leads to the opened directory, before anything is made through that
// path.
func (h *storeHandle) rootUnmoved() error {
	g, err := guard.Open(h.root, guard.Options{})
	if err != nil {
		return err
	}
	defer g.Close()
	if g.RootID() != h.guard.RootID() {
		return &fail.Error{Kind: fail.Stale, Path: ".", Msg: "the workspace's directory was replaced since it was opened", Hint: "Open it again."}
	}
	return nil
}

// rootBelowTop checks that the prefix leads from the top to the opened directory.
func (h *storeHandle) rootBelowTop() error {
	root, err := h.top.OpenDir(h.prefix)
	if err != nil {
		return err
	}
	defer root.Close()
	is, err := root.Stat(".")
	if id := h.guard.RootID(); err != nil || is.ID != (vfs.ID{Dev: id.Dev, Ino: id.Ino}) {
		return &fail.Error{Kind: fail.Stale, Path: ".", Msg: "the workspace's directory was replaced while it was opened", Hint: "Open it again.", Cause: err}
	}
	return nil
}

// holder describes this process to others that find the store locked.
func (h *storeHandle) holder() string {
	who := strings.TrimSpace(strings.Join([]string{h.actor.Client, h.actor.Agent, h.actor.Session}, " "))
	if who == "" {
		who = filepath.Base(os.Args[0])
	}
	host, _ := os.Hostname()
	return fmt.Sprintf("process %d (%.100s) on %s, since %s", os.Getpid(), who, host, time.Now().Format(time.RFC3339))
}

// openBoard opens the board of the store. It returns nil where there is none, unless create says to make it, and the store.
func (h *storeHandle) openBoard(create bool) (*board.Board, error) {
	open := h.open
	if create {
		open = h.openOrMake
	}
	store, err := open()
	if store == nil || err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.board != nil {
		return h.board, nil
	}
	dir, err := store.OpenDir("waiting", create)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, StoreError(err)
	}
	h.board = board.Open(dir)
	return h.board, nil
}

// migration returns the store, nil if there is none, where it is, and where Migrate moves it.
func (h *storeHandle) migration() (store *commit.Store, from, to commit.Place, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if store, err = h.openLocked(false); err != nil {
		return nil, from, to, err
	}
	if h.named == "" || store != nil {
		to, err = commit.Preferred(h.place.Top)
		return store, h.place, to, err
	}
	// There is nothing at the named place: look for a store as if no person had named one.
	named := h.named
	to, h.named = h.place, ""
	if store, err = h.openLocked(false); store == nil {
		h.named = named
	}
	to.Top = h.place.Top
	return store, h.place, to, err
}

// moved notes where Migrate moved the store.
func (h *storeHandle) moved(to commit.Place) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.place = to
}

// openCopied opens the store even if it was made elsewhere and copied here.
func (h *storeHandle) openCopied() (*commit.Store, commit.Place, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	store, err := h.openLocked(true)
	return store, h.place, err
}

// close closes the store and what was opened with it.
func (h *storeHandle) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.store == nil {
		return nil
	}
	var err error
	if h.board != nil {
		err = h.board.Close()
		h.board = nil
	}
	err = errors.Join(err, h.store.Close(), h.top.Close())
	h.store = nil
	return err
}

// storeBelow returns the slash path below dir of the store that a person named; "" for a store elsewhere, or for none.
func storeBelow(dir, named string) string {
	if named == "" {
		return ""
	}
	root, err := filepath.EvalSymlinks(dir)
	if err == nil {
		root, err = filepath.Abs(root)
	}
	store, nerr := filepath.Abs(named)
	if nerr != nil || err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(store); err == nil {
		store = real
	} else if up, err := filepath.EvalSymlinks(filepath.Dir(store)); err == nil {
		store = filepath.Join(up, filepath.Base(store))
	}
	if rel, err := filepath.Rel(root, store); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return ""
}

// StoreError makes err a refusal that names the store as its cause. It returns a refusal as it is.
func StoreError(err error) error {
	if _, ok := errors.AsType[*fail.Error](err); ok {
		return err
	}
	if errors.Is(err, history.ErrDamaged) {
		return commit.DamagedPack(err)
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err, Msg: "the store cannot be opened: " + err.Error(),
		Hint: "‹Run doctor›: it says where the store is and what is wrong with it."}
}
