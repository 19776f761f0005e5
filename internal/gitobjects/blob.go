package gitobjects

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// MaxBlob is the size of the largest blob that is read, whatever the caller says.
	MaxBlob = 1 << 30
	// maxStores and maxStoreDepth bound the directories of objects that lead to others.
	maxStores     = 64
	maxStoreDepth = 5
	// maxPackNames bounds what is listed of a directory of packs.
	maxPackNames = 1 << 16
	// maxOpenPacks is how many packs are open at a time. Each has two files.
	maxOpenPacks = 64
)

// objectStore is a directory of objects: files with one object each, and packs.
type objectStore struct {
	dir   string
	names []string // of the packs, sorted, without ".idx"
	packs []*pack  // the one that had the last object first
}

// Blob returns the content of a blob: what git cat-file says, which is what the file has unless a filter, line ends or an encoding make
// it another. It has the hash that id is.
//
// The error is ErrNotFound if there is no such object, as in a partial clone; ErrTooLarge, before anything is inflated, if the content
// has more than limit bytes, or more than 1 GiB; or if the content that a pack makes it from is too large to be held.
// A call holds at most three contents of limit bytes, or of 64 MiB if that is more.
func (r *Repo) Blob(id ID, limit int64) ([]byte, error) { return r.object(blobObject, id, limit) }

// kind is the kind of an object, with the number that packs have for it.
type kind byte

const (
	commitObject kind = 1
	treeObject   kind = 2
	blobObject   kind = 3
)

func (k kind) String() string { return [...]string{"", "commit", "tree", "blob"}[k] }

// object returns the content of an object of a kind. It promises what [Repo.Blob] promises.
func (r *Repo) object(k kind, id ID, limit int64) ([]byte, error) {
	if len(id) != r.format.size {
		return nil, fmt.Errorf("%s: %w: its names have %d bytes", id, ErrNotFound, r.format.size)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stores == nil {
		r.stores = openStores(filepath.Join(r.common, "objects"))
		r.listPacks()
	}
	content, err := r.find(k, id, min(limit, MaxBlob))
	// Git packs at any time: it writes the pack before it removes what is in it.
	if errors.Is(err, ErrNotFound) && r.listPacks() {
		content, err = r.find(k, id, min(limit, MaxBlob))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	return content, nil
}

// find returns the first whole copy. Without one it returns the error of the first copy that it found.
func (r *Repo) find(k kind, id ID, limit int64) ([]byte, error) {
	failed := ErrNotFound
	try := func(read func() ([]byte, error)) []byte {
		content, err := read()
		if err == nil && r.format.objectID(k, content) != id {
			err = damaged("the content has another hash")
		}
		if err == nil {
			return content
		}
		if failed == ErrNotFound && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrNotFound) {
			failed = err
		}
		return nil
	}
	for _, s := range r.stores {
		if content := try(func() ([]byte, error) { return r.looseFile(s, k, id, limit) }); content != nil {
			return content, nil
		}
		for i, p := range s.packs {
			if content := try(func() ([]byte, error) { return r.packed(p, k, id, limit) }); content != nil {
				copy(s.packs[1:i+1], s.packs[:i])
				s.packs[0] = p
				return content, nil
			}
		}
	}
	return nil, failed
}

// openStores returns the directory and those that it borrows from, the nearest first. Git leaves out those that are missing
// or too deep, too.
func openStores(dir string) []*objectStore {
	stores := []*objectStore{{dir: dir}}
	seen, _ := os.Stat(dir)
	known := []fs.FileInfo{seen}
	for level, next := 0, stores; level < maxStoreDepth && len(next) > 0; level++ {
		from := next
		next = nil
		for _, s := range from {
			text, err := readSmall(filepath.Join(s.dir, "info", "alternates"))
			if err != nil {
				continue
			}
			for line := range strings.Lines(text) {
				path := alternatePath(line)
				if path == "" || len(stores) == maxStores {
					continue
				}
				path = below(s.dir, path)
				info, err := os.Stat(path)
				if err != nil || !info.IsDir() || slices.ContainsFunc(known, func(k fs.FileInfo) bool { return os.SameFile(k, info) }) {
					continue
				}
				known = append(known, info)
				next = append(next, &objectStore{dir: path})
				stores = append(stores, next[len(next)-1])
			}
		}
	}
	return stores
}

// alternatePath returns the path in a line of info/alternates, or "".
func alternatePath(line string) string {
	line = strings.TrimRight(line, "\r\n")
	if strings.HasPrefix(line, "#") || strings.ContainsRune(line, 0) {
		return ""
	}
	if strings.HasPrefix(line, `"`) {
		line, _ = strconv.Unquote(line)
	}
	return line
}

// listPacks lists the packs of all stores again, and reports whether there are others than before.
func (r *Repo) listPacks() (changed bool) {
	for _, s := range r.stores {
		names := packNames(filepath.Join(s.dir, "pack"))
		if slices.Equal(names, s.names) {
			continue
		}
		changed = true
		var packs []*pack
		for _, p := range s.packs {
			if slices.Contains(names, p.name) {
				packs = append(packs, p)
			} else {
				r.closePack(p)
			}
		}
		for _, name := range names {
			if !slices.Contains(s.names, name) {
				packs = append(packs, &pack{name: name, path: filepath.Join(s.dir, "pack", name)})
			}
		}
		s.names, s.packs = names, packs
	}
	return changed
}

func packNames(dir string) (names []string) {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	all, _ := d.Readdirnames(maxPackNames)
	for _, name := range all {
		if name, ok := strings.CutSuffix(name, ".idx"); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (r *Repo) looseFile(s *objectStore, k kind, id ID, limit int64) ([]byte, error) {
	name := id.String()
	f, _, err := openRegular(filepath.Join(s.dir, name[:2], name[2:]))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return r.loose(f, k, limit)
}

// loose reads a file with one object: compressed, the type, the size, a zero, and the content.
func (z *inflater) loose(in io.Reader, k kind, limit int64) ([]byte, error) {
	out, err := z.inflate(in)
	if err != nil {
		return nil, err
	}
	var header []byte
	for b := [1]byte{}; len(header) < 32; header = append(header, b[0]) {
		if _, err := io.ReadFull(out, b[:]); err != nil {
			return nil, damaged("an object cannot be inflated: %v", err)
		}
		if b[0] == 0 {
			break
		}
	}
	is, count, _ := strings.Cut(string(header), " ")
	size, err := strconv.ParseInt(count, 10, 64)
	switch {
	case err != nil || size < 0:
		return nil, damaged("an object begins with %q", header)
	case is != k.String():
		return nil, fmt.Errorf("%w: %s, not %s", ErrKind, strconv.Quote(is), k)
	}
	if err := checkSize(size, limit); err != nil {
		return nil, err
	}
	return readAll(out, size)
}

func checkSize(size, limit int64) error {
	if size > limit {
		return fmt.Errorf("%w: %d bytes, and at most %d are read", ErrTooLarge, size, limit)
	}
	return nil
}

// inflater keeps its buffers for the next object.
type inflater struct {
	in   *bufio.Reader
	zlib io.Reader
}

// inflate returns a reader of what in has, until the next call.
func (z *inflater) inflate(in io.Reader) (io.Reader, error) {
	if z.in == nil {
		z.in = bufio.NewReaderSize(in, 8<<10)
	}
	z.in.Reset(in)
	var err error
	if z.zlib == nil {
		z.zlib, err = zlib.NewReader(z.in)
	} else {
		err = z.zlib.(zlib.Resetter).Reset(z.in, nil)
	}
	if err != nil {
		z.zlib = nil
		return nil, damaged("an object cannot be inflated: %v", err)
	}
	return z.zlib, nil
}

// readAll returns the content of in, which must have exactly size bytes. It takes memory as they come.
func readAll(in io.Reader, size int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(min(size, 1<<20)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(in, size+1))
	if err == nil && int64(b.Len()) != size {
		err = errors.New("it has another size than it says")
	}
	if err != nil {
		return nil, damaged("an object cannot be inflated: %v", err)
	}
	return b.Bytes(), nil
}
