package guard

import (
	"errors"
	"strings"
	"sync"
	"syscall"
)

// maxHeld is how many directories a visit holds open at most, beside those that are in use.
const maxHeld = 32

// held is a tree that keeps the directories open which it has opened, and asks each only once who it is.
type held struct {
	tree
	mu    sync.Mutex
	dirs  map[string]*heldDir // by their names, joined
	short bool                // the process has no room for them: none is held
}

func (t *held) dir(names []string) (handle, error) {
	key := strings.Join(names, "/")
	if d := t.lend(key); d != nil {
		return d, nil
	}
	h, err := t.tree.dir(names)
	if t.yield(err) {
		h, err = t.tree.dir(names)
	}
	if err != nil {
		return nil, err
	}
	return t.keep(key, h), nil
}

// yield reports whether err says that too many files are open, and then lets go of the directories for good: a file that is
// to be read has more need of the room.
func (t *held) yield(err error) bool {
	if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.short = true
	t.forget()
	return true
}

// lend returns the directory that is held for key; nil for none.
func (t *held) lend(key string) *heldDir {
	t.mu.Lock()
	defer t.mu.Unlock()
	d := t.dirs[key]
	if d != nil {
		d.users++
	}
	return d
}

// keep takes over h, unless somebody else was faster, and lends what is held now.
func (t *held) keep(key string, h handle) *heldDir {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.dirs[key]; d != nil {
		h.close()
		d.users++
		return d
	}
	if len(t.dirs) >= maxHeld {
		t.forget()
	}
	d := &heldDir{handle: h, of: t, users: 1, gone: t.short}
	if !t.short {
		t.dirs[key] = d
	}
	return d
}

// drop forgets every directory: the next who asks for one gets what has its names by then.
func (t *held) drop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
}

// forget lets go of the directories; one that is in use is closed by the last who uses it.
func (t *held) forget() {
	for _, d := range t.dirs {
		d.gone = true
		if d.users == 0 {
			d.handle.close()
		}
	}
	clear(t.dirs)
}

// heldDir is a directory that is lent to several at once. Which one it is cannot change while it is open. Those above it
// can, but then its names do not lead to it any more, and [Visit.Again] says so.
type heldDir struct {
	handle
	of    *held
	users int  // under of.mu, as gone
	gone  bool // it is not held any more

	mu  sync.Mutex
	is  *info
	ids []Identity
}

func (d *heldDir) close() {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	if d.users--; d.gone && d.users == 0 {
		d.handle.close()
	}
}

// self describes the directory itself, as it was when it was first asked.
func (d *heldDir) self() (info, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.is == nil {
		is, err := d.handle.stat(".")
		if err != nil {
			return info{}, err
		}
		d.is = &is
	}
	return *d.is, nil
}

func (d *heldDir) id() (Identity, error) {
	is, err := d.self()
	return is.file, err
}

func (d *heldDir) chain(n int) ([]Identity, error) {
	if n == 1 {
		id, err := d.id()
		return []Identity{id}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.ids) != n {
		ids, err := d.handle.chain(n)
		if err != nil {
			return nil, err
		}
		d.ids = ids
	}
	return d.ids, nil
}

func (d *heldDir) mount(name string) (uint64, error) {
	if name == "." {
		if is, err := d.self(); err != nil || is.hasMount {
			return is.mount, err
		}
	}
	return d.handle.mount(name)
}
