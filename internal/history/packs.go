package history

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/history/internal/pack"
	"github.com/emend-dev/emend/internal/vfs"
)

// The packs of a history are files in packsName, below the slots. The name of a pack says which transactions it has something
// of, from the first to the last, so most lookups read one index. A pack is never written to: it is replaced by one that says
// which packs it replaces, and these are removed once it is durable. After a crash both may be there, with the same contents.
const (
	packsName = "packs"
	packKind  = ".pack"
	packDraft = "draft" // a pack that is being written
	packMark  = "+"     // between the parts of a name
)

// ErrDamaged says that a pack does not have the bytes that were written to it.
var ErrDamaged = pack.ErrDamaged

// packs reads the packs of a history. It needs no lock: what a pack has is somewhere at every moment.
type packs struct {
	slots vfs.Dir
	mu    sync.Mutex
	dir   vfs.Dir // nil until there is one
	read  map[string]*packFile
	last  [2]lastFrame // the frames that were read last, the latest first
}

// packFile is the index of a pack.
type packFile struct {
	*pack.Pack
	name   string
	byName map[string]*pack.Entry
}

type lastFrame struct {
	pack string // its name
	n    int
	raw  []byte
}

func packFileName(first, last string) string {
	id := NewID(timeZero)
	return first + packMark + last + packMark + id[strings.LastIndexByte(id, '-')+1:] + packKind
}

// packRange returns the first and the last transaction of which a pack may have something.
func packRange(file string) (first, last string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(file, packKind), packMark)
	return parts[0], parts[min(1, len(parts)-1)], len(parts) == 3 && strings.HasSuffix(file, packKind)
}

func mayHave(file, tx string) bool {
	first, last, ok := packRange(file)
	return ok && first <= tx && tx <= last
}

// txOf returns the transaction that a name belongs to.
func txOf(name string) string {
	tx, _, _ := strings.Cut(name, ".")
	return tx
}

// open opens the directory of the packs; nil if there is none. The caller holds mu.
func (p *packs) open() (vfs.Dir, error) {
	if p.dir != nil {
		return p.dir, nil
	}
	dir, err := p.slots.Dir(packsName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p.dir = dir
	return dir, err
}

func (p *packs) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == nil {
		return nil
	}
	dir := p.dir
	p.dir = nil
	return dir.Close()
}

// errGone says that a pack was replaced since it was listed.
var errGone = errors.New("a pack was replaced")

// each calls f for the packs that wanted accepts by name. If one is replaced meanwhile it begins again, and may call f again for the others. It returns the
// first error of a pack that cannot be read, after it has called f for the others.
func (p *packs) each(wanted func(file string) bool, f func(*packFile) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range 100 {
		files, err := p.list()
		if err != nil {
			return err
		}
		err = p.tryEach(files, wanted, f)
		if errors.Is(err, errGone) {
			continue
		}
		// A pack that was written while a long directory was read may be missing in the list, and so may the one that it replaced.
		again, lerr := p.list()
		if lerr != nil || slices.Equal(files, again) {
			return errors.Join(err, lerr)
		}
	}
	return fmt.Errorf("the packs are replaced again and again: %w", errGone)
}

func (p *packs) tryEach(files []string, wanted func(file string) bool, f func(*packFile) error) error {
	var bad error
	for _, file := range files {
		if !wanted(file) {
			continue
		}
		k, err := p.load(file)
		if err == nil {
			err = f(k)
		}
		if errors.Is(err, errGone) {
			return err
		}
		if err != nil && bad == nil {
			bad = fmt.Errorf("slots/%s/%s: %w", packsName, file, err)
		}
	}
	return bad
}

// list lists the packs, and forgets those that are gone.
func (p *packs) list() ([]string, error) {
	dir, err := p.open()
	if dir == nil || err != nil {
		return nil, err
	}
	names, err := dir.Names()
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { _, _, ok := packRange(name); return !ok })
	slices.Sort(names)
	for name := range p.read {
		if _, there := slices.BinarySearch(names, name); !there {
			delete(p.read, name)
		}
	}
	return names, nil
}

// load reads the index of a pack. It fails with errGone if the pack is not there any more.
func (p *packs) load(file string) (*packFile, error) {
	if k := p.read[file]; k != nil {
		return k, nil
	}
	k := &packFile{name: file}
	err := p.withFile(file, func(f vfs.File, size int64) (err error) {
		k.Pack, err = pack.Read(f, size)
		return err
	})
	if err != nil {
		return nil, err
	}
	k.byName = make(map[string]*pack.Entry, len(k.Entries))
	for i := range k.Entries {
		k.byName[k.Entries[i].Name] = &k.Entries[i]
	}
	cached := len(k.Entries)
	for _, other := range p.read {
		cached += len(other.Entries)
	}
	if p.read == nil || cached > maxCached {
		p.read = map[string]*packFile{}
	}
	p.read[file] = k
	return k, nil
}

// maxCached bounds how many entries of packs stay in memory, some 200 bytes each, so that a server does not grow with its
// history. An index that was forgotten is read again. Tests make it smaller.
var maxCached = 32_768

func (p *packs) withFile(file string, do func(f vfs.File, size int64) error) error {
	f, err := p.dir.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	if err != nil {
		return err
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil {
		return err
	}
	return do(f, is.Size)
}

// check reads the frames of a pack.
func (p *packs) check(k *packFile) error {
	return p.withFile(k.name, func(f vfs.File, _ int64) error { return k.CheckFrames(f) })
}

// find returns the entry of a name. It fails with fs.ErrNotExist if no pack has it or it has left the history.
func (p *packs) find(name string) (e *pack.Entry, err error) {
	left, err := p.left(name)
	if err != nil {
		return nil, err
	}
	if left {
		return nil, notFound(name)
	}
	err = p.each(func(file string) bool { return mayHave(file, txOf(name)) }, func(k *packFile) error {
		if found := k.byName[name]; found != nil {
			e = found
		}
		return nil
	})
	switch {
	case e != nil:
		return e, nil
	case err != nil:
		return nil, err
	}
	return nil, notFound(name)
}

func notFound(name string) error { return &fs.PathError{Op: "find", Path: name, Err: fs.ErrNotExist} }

// left reports whether what a pack has under a name has left the history.
func (p *packs) left(name string) (bool, error) {
	p.mu.Lock()
	dir, err := p.open()
	p.mu.Unlock()
	if dir == nil || err != nil {
		return false, err
	}
	_, err = p.slots.Stat(leftName(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// content returns the content of a name. If a pack is damaged and another one has the same, it returns that.
func (p *packs) content(name string) (c []byte, e *pack.Entry, err error) {
	if e, err = p.find(name); err != nil {
		return nil, nil, err
	}
	err = p.each(func(file string) bool { return mayHave(file, txOf(name)) }, func(k *packFile) error {
		found := k.byName[name]
		if found == nil || c != nil {
			return nil
		}
		raw, err := p.frame(k, found.Frame())
		if err == nil {
			c, err = found.Content(raw)
		}
		return err
	})
	switch {
	case c != nil:
		return c, e, nil
	case err == nil:
		err = fs.ErrNotExist // removed since
	}
	return nil, nil, err
}

// frame reads a frame, unless it is one of those that were read last.
func (p *packs) frame(k *packFile, n int) ([]byte, error) {
	for i, f := range p.last {
		if f.pack == k.name && f.n == n {
			p.last[0], p.last[i] = p.last[i], p.last[0]
			return f.raw, nil
		}
	}
	var raw []byte
	err := p.withFile(k.name, func(f vfs.File, _ int64) (err error) {
		raw, err = k.ReadFrame(f, n)
		return err
	})
	if err == nil {
		p.last[0], p.last[1] = lastFrame{k.name, n, raw}, p.last[0]
	}
	return raw, err
}

// names returns the names that the packs have, of one transaction or of all (""). Those that have left are not among them.
func (p *packs) names(tx string, left map[string]bool) (names map[string]bool, err error) {
	names = map[string]bool{}
	err = p.each(func(file string) bool { return tx == "" || mayHave(file, tx) }, func(k *packFile) error {
		for i := range k.Entries {
			name := k.Entries[i].Name
			if (tx == "" || txOf(name) == tx) && !left[name] {
				names[name] = true
			}
		}
		return nil
	})
	return names, err
}

// infoOf describes a packed file as it was.
func infoOf(e *pack.Entry) vfs.Info {
	return vfs.Info{ID: vfs.ID{Ino: e.Ino}, Mode: e.Mode, Size: e.Size, ModTime: e.ModTime, Links: 1, UID: e.UID, GID: e.GID}
}
