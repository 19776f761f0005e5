package guard

import (
	"errors"
	"strings"
	"sync"
	"syscall"
)

// maxCachedDirs is how many directories a batch keeps open at most, besides those that are in use.
const maxCachedDirs = 32

// dirCache is a tree that keeps the directories open that it opened, and describes each only once.
type dirCache struct {
	tree
	mu       sync.Mutex
	dirs     map[string]*cachedDir // by their names, joined with slashes
	disabled bool                  // the process may open no more files: no directory is kept
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

// disableIfExhausted reports whether err says that too many files are open, and then drops the directories for good: the file
// that is to be read needs the room more.
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

// borrow returns the cached directory for key; nil if there is none.
func (t *dirCache) borrow(key string) *cachedDir {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dirs[key]
	if d != nil {
		d.refs++
	}
	return d
}

// add caches h, unless another goroutine was faster, and borrows the cached directory.
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

// clear drops every directory, so that the next caller opens the one that has the names by then.
func (t *dirCache) clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clearLocked()
}

// clearLocked drops the directories. One that is in use is closed by its last user.
func (t *dirCache) clearLocked() {
	for _, d := range t.dirs {
		d.evicted = true
		if d.refs == 0 {
			d.handle.close()
		}
	}
	clear(t.dirs)
}

// cachedDir is a directory that several goroutines may use at once. An open directory stays the same one. The directories
// above it can change, but then its names no longer lead to it, and [Batch.Recheck] reports that.
type cachedDir struct {
	handle
	cache   *dirCache
	refs    int  // guarded by cache.mu, as is evicted
	evicted bool // it is no longer in the cache

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

// describe returns the directory's own description, as it was when it was first asked for.
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
	return is.id, err
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
