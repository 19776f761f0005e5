package guard

import (
	"errors"
	"strings"
	"sync"
	"syscall"
)

// maxHeld is how many directories a visit holds open at most, beside those that are in use.
const maxCachedDirs = 32

// held is a tree that keeps the directories open which it has opened, and asks each only once who it is.
type dirCache struct {
	tree
	mu       sync.Mutex
	dirs     map[string]*cachedDir // by their names, joined
	disabled bool                  // the process has no room for them: none is held
}

func (t *dirCache) openDir(names []string) (handle, error) {
	key := strings.Join(names, "/")
	if d := t.borrow(key); d != nil {
		return d, nil
	}
	h, err := t.tree.openDir(names)
	if t.disableIfExhausted(err) {
		h, err = t.tree.openDir(names)
	}
	if err != nil {
		return nil, err
	}
	return t.add(key, h), nil
}

// yield reports whether err says that too many files are open, and then lets go of the directories for good: a file that is
// to be read has more need of the room.
func (t *dirCache) disableIfExhausted(err error) bool {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.disabled = true
	t.clearLocked()
	return true
}

// lend returns the directory that is held for key; nil for none.
func (t *dirCache) borrow(key string) *cachedDir {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dirs[key]
	if d != nil {
		d.refs++
	}
	return d
}

// keep takes over h, unless somebody else was faster, and lends what is held now.
func (t *dirCache) add(key string, h handle) *cachedDir {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.dirs[key]; d != nil {
		h.close()
		d.refs++
		return d
	}
	if len(t.dirs) >= maxCachedDirs {
		t.clearLocked()
	}
	d := &cachedDir{handle: h, cache: t, refs: 1, evicted: t.disabled}
	if !t.disabled {
		t.dirs[key] = d
	}
	return d
}

// drop forgets every directory: the next who asks for one gets what has its names by then.
func (t *dirCache) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLocked()
}

// forget lets go of the directories; one that is in use is closed by the last who uses it.
func (t *dirCache) clearLocked() {
	for _, d := range t.dirs {
		d.evicted = true
		if d.refs == 0 {
			d.handle.close()
		}
	}
	clear(t.dirs)
}

// heldDir is a directory that is lent to several at once. Which one it is cannot change while it is open. Those above it
// can, but then its names do not lead to it any more, and [Batch.Recheck] says so.
type cachedDir struct {
	handle
	cache   *dirCache
	refs    int  // under of.mu, as gone
	evicted bool // it is not held any more

	mu          sync.Mutex
	info        *fileInfo
	ancestorIDs []Identity
}

func (d *cachedDir) close() {
	d.cache.mu.Lock()
	defer d.cache.mu.Unlock()
	if d.refs--; d.evicted && d.refs == 0 {
		d.handle.close()
	}
}

// self describes the directory itself, as it was when it was first asked.
func (d *cachedDir) describe() (fileInfo, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.info == nil {
		is, err := d.handle.stat(".")
		if err != nil {
			return fileInfo{}, err
		}
		d.info = &is
	}
	return *d.info, nil
}

func (d *cachedDir) identity() (Identity, error) {
	is, err := d.describe()
	return is.openRegular, err
}

func (d *cachedDir) ancestors(n int) ([]Identity, error) {
	if n == 1 {
		id, err := d.identity()
		return []Identity{id}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.ancestorIDs) != n {
		ids, err := d.handle.ancestors(n)
		if err != nil {
			return nil, err
		}
		d.ancestorIDs = ids
	}
	return d.ancestorIDs, nil
}

func (d *cachedDir) mount(name string) (uint64, error) {
	if name == "." {
		if is, err := d.describe(); err != nil || is.hasMount {
			return is.mount, err
		}
	}
	return d.handle.mount(name)
}
