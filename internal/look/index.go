package look

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/vfs"
)

// index is the tree as a look found it. What it has of a directory stays as it was written until somebody wants to know: the next
// look compares most directories with it and is done.
type index struct {
	at   time.Time
	head audit.Head // of the log, before the tree was walked
	next uint64     // the number of the next copy
	dirs []dirIndex // in the order of their paths
	sum  uint32     // the checksum of what is written, set by decodeIndex
}

// dirIndex is a directory of an index.
type dirIndex struct {
	path   string // "" is the root
	files  int
	copies copied
	text   string // the files, in the order in which the system listed them
}

// copied counts copies in the store.
type copied struct {
	files int
	bytes int64
}

func (c *copied) add(more copied) { c.files, c.bytes = c.files+more.files, c.bytes+more.bytes }

const (
	indexName = "index"
	newIndex  = "index.new"
	magic     = "emend look 2\n"
)

// errIndex reports an index that is damaged or of another version. The look is then the first.
var errIndex = errors.New("the index of the last look cannot be read")

// checksums returns the table of the checksum. Only the first call makes it, which takes 0.1 ms: most processes need none.
func checksums() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// encode writes the index as a checksum and a sequence of numbers and texts.
func (x *index) encode() []byte {
	size := 128
	for _, d := range x.dirs {
		size += 64 + len(d.path) + len(d.text)
	}
	b := make([]byte, 0, size)
	b = append(b, magic...)
	b = append(b, 0, 0, 0, 0)
	b = binary.AppendVarint(b, x.at.UnixNano())
	b = binary.AppendUvarint(b, x.head.Seq)
	b = appendText(b, x.head.H)
	b = binary.AppendUvarint(b, x.next)
	b = binary.AppendUvarint(b, uint64(len(x.dirs)))
	for _, d := range x.dirs {
		b = appendText(b, d.path)
		b = binary.AppendUvarint(b, uint64(d.files))
		b = binary.AppendUvarint(b, uint64(d.copies.files))
		b = binary.AppendVarint(b, d.copies.bytes)
		b = appendText(b, d.text)
	}
	return appendChecksum(b)
}

// appendChecksum fills in the checksum behind the magic.
func appendChecksum(b []byte) []byte {
	body := b[len(magic)+4:]
	binary.LittleEndian.PutUint32(b[len(magic):], crc32.Checksum(body, checksums()))
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// makeDirIndex describes a directory. The paths of the files are those from the root.
func makeDirIndex(path string, files []file) dirIndex {
	d := dirIndex{path: path, files: len(files)}
	var b []byte
	for i := range files {
		f := &files[i]
		b = appendText(b, f.path[lastSlash(f.path):])
		b = binary.AppendUvarint(b, uint64(f.mode))
		b = append(b, byte(f.flags))
		b = binary.AppendUvarint(b, f.ino)
		if f.mode.IsDir() {
			continue
		}
		b = binary.AppendVarint(b, f.size)
		b = binary.LittleEndian.AppendUint64(b, uint64(f.mtime))
		b = binary.LittleEndian.AppendUint64(b, uint64(f.ctime))
		b = appendText(b, f.link)
		b = appendText(b, f.sum)
		b = appendText(b, f.blob)
		b = binary.AppendUvarint(b, f.copy)
		if f.copy != 0 {
			d.copies.add(copied{1, f.size})
		}
	}
	d.text = string(b)
	return d
}

// each calls do with the files of the directory, whose paths are their names, until it returns false. It reports whether it came
// to the end.
func (d *dirIndex) each(do func(f *file) bool) bool {
	r := indexReader{text: d.text}
	var f file
	for range d.files {
		f = file{path: r.string(), mode: fs.FileMode(r.number()), flags: flags(r.byte()), ino: r.number()}
		if !f.mode.IsDir() {
			f.size, f.mtime, f.ctime = r.signed(), r.fixed(), r.fixed()
			f.link, f.sum, f.blob, f.copy = r.string(), r.string(), r.string(), r.number()
		}
		if r.bad || !do(&f) {
			return false
		}
	}
	return r.i == len(r.text)
}

// list returns the files of the directory.
func (d *dirIndex) list() []file {
	out := make([]file, 0, d.files)
	d.each(func(f *file) bool {
		f.path = join(d.path, f.path)
		out = append(out, *f)
		return true
	})
	return out
}

// find returns the directory of a path, nil if the index, which may be nil, has none.
func (x *index) find(path string) *dirIndex {
	if x == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(x.dirs, path, func(d dirIndex, path string) int { return strings.Compare(d.path, path) })
	if !ok {
		return nil
	}
	return &x.dirs[i]
}

// saysTheSame reports whether two indexes say the same of the tree.
func (x *index) saysTheSame(as *index) bool {
	return x.next == as.next && slices.Equal(x.dirs, as.dirs)
}

// isSettled reports whether a directory has the very files that the index says, and nothing is left to do for any of them: each is
// known, kept, and was written long enough before the last look.
func (d *dirIndex) isSettled(now []find.Entry, young int64) bool {
	next := func() (f file, ok bool) {
		for len(now) > 0 && !ok {
			f, ok = fileOf(&now[0], young)
			now = now[1:]
		}
		return f, ok
	}
	same := d.each(func(was *file) bool {
		f, ok := next()
		return ok && f.path == was.path && f.flags == was.flags && f.sameStat(was) &&
			(!was.mode.IsRegular() || was.sum != "" && !was.has(fresh) && (was.copy != 0 || was.blob != ""))
	})
	_, more := next()
	return same && !more
}

// decodeIndex reads what encode wrote, but for what the directories have.
func decodeIndex(in io.Reader, size int64) (*index, error) {
	var start [len(magic) + 4]byte
	if _, err := io.ReadFull(in, start[:]); err != nil || string(start[:len(magic)]) != magic {
		return nil, errIndex
	}
	var text strings.Builder
	text.Grow(max(0, int(size)-len(start)))
	sum := crc32.New(checksums())
	if _, err := io.Copy(io.MultiWriter(&text, sum), in); err != nil {
		return nil, err
	}
	x := &index{sum: sum.Sum32()}
	if x.sum != binary.LittleEndian.Uint32(start[len(magic):]) {
		return nil, errIndex
	}
	r := &indexReader{text: text.String()}
	x.at, x.head, x.next = time.Unix(0, r.signed()), audit.Head{Seq: r.number(), H: r.string()}, r.number()
	n := r.number()
	if r.bad || n > uint64(len(r.text)) {
		return nil, errIndex
	}
	x.dirs = make([]dirIndex, n)
	for i := range x.dirs {
		x.dirs[i] = dirIndex{path: r.string(), files: int(r.number()), copies: copied{int(r.number()), r.signed()}, text: r.string()}
		if d := &x.dirs[i]; d.files < 0 || d.files > len(d.text) || i > 0 && d.path <= x.dirs[i-1].path {
			return nil, errIndex
		}
	}
	if r.bad || r.i != len(r.text) {
		return nil, errIndex
	}
	return x, nil
}

// indexReader reads numbers and texts. Nothing is copied: the texts are parts of the whole.
type indexReader struct {
	text string
	i    int
	bad  bool
}

func (r *indexReader) number() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.fail()
	return 0
}

func (r *indexReader) signed() int64 {
	n := r.number()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *indexReader) fixed() int64 {
	if len(r.text)-r.i < 8 {
		r.fail()
		return 0
	}
	var n uint64
	for at, b := range []byte(r.text[r.i : r.i+8]) {
		n |= uint64(b) << (8 * at)
	}
	r.i += 8
	return int64(n)
}

func (r *indexReader) fail() { r.bad, r.i = true, len(r.text) }

func (r *indexReader) byte() byte {
	if r.i >= len(r.text) {
		r.fail()
		return 0
	}
	r.i++
	return r.text[r.i-1]
}

func (r *indexReader) string() string {
	n := r.number()
	if n > uint64(len(r.text)-r.i) {
		r.fail()
		return ""
	}
	r.i += int(n)
	return r.text[r.i-int(n) : r.i]
}

// loadIndex reads the index of the last look. It returns fs.ErrNotExist or errIndex if there is none to go by.
func loadIndex(dir vfs.Dir) (*index, error) {
	f, err := dir.Open(indexName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return decodeIndex(f, is.Size)
}

// sameIndex says that a look found the tree as the index with this checksum has it, and did not write it again.
type sameIndex struct {
	Sum  uint32     `json:"sum"`
	At   time.Time  `json:"at"`
	Head audit.Head `json:"head"`
}

// correct makes the index that of the last look which found the tree so.
func (s *sameIndex) correct(x *index) {
	if s != nil && s.Sum == x.sum {
		x.at, x.head = s.At, s.Head
	}
}

// save replaces the index. It is not synced: after a power cut that took it, the next look is the first.
func (x *index) save(dir vfs.Dir) error {
	return vfs.ReplaceFile(dir, newIndex, indexName, x.encode())
}
