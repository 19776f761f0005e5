package look

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// index is the tree as a look found it.
type index struct {
	at    time.Time
	head  audit.Head // of the log, before the tree was walked
	next  uint64     // the number of the next copy
	files []file     // in the order of their paths
}

const (
	indexName = "index"
	newIndex  = "index.new"
	magic     = "emend look 1\n"
)

// errIndex reports an index that is damaged or of another version. The look is then the first.
var errIndex = errors.New("the index of the last look cannot be read")

var checksums = crc32.MakeTable(crc32.Castagnoli)

// encode writes the index as a sequence of numbers and texts. A path is written as what it has in common with the one before it,
// and the rest.
func (x *index) encode() []byte {
	b := make([]byte, 0, len(magic)+96*len(x.files)+128)
	b = append(b, magic...)
	b = binary.AppendVarint(b, x.at.UnixNano())
	b = binary.AppendUvarint(b, x.head.Seq)
	b = appendText(b, x.head.H)
	b = binary.AppendUvarint(b, x.next)
	b = binary.AppendUvarint(b, uint64(len(x.files)))
	last := ""
	for i := range x.files {
		f := &x.files[i]
		same := commonPrefix(last, f.path)
		last = f.path
		b = binary.AppendUvarint(b, uint64(same))
		b = appendText(b, f.path[same:])
		b = binary.AppendUvarint(b, uint64(f.mode))
		b = append(b, byte(f.flags))
		b = binary.AppendUvarint(b, f.ino)
		if f.mode.IsDir() {
			continue
		}
		b = binary.AppendVarint(b, f.size)
		b = binary.AppendVarint(b, f.mtime)
		b = binary.AppendVarint(b, f.ctime)
		b = appendText(b, f.link)
		b = appendText(b, f.sum)
		b = appendText(b, f.blob)
		b = binary.AppendUvarint(b, f.copy)
	}
	return appendChecksum(b)
}

func appendChecksum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, checksums))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// decodeIndex reads what encode wrote.
func decodeIndex(b []byte) (*index, error) {
	if len(b) < len(magic)+4 || string(b[:len(magic)]) != magic {
		return nil, errIndex
	}
	body := b[:len(b)-4]
	if crc32.Checksum(body, checksums) != binary.LittleEndian.Uint32(b[len(body):]) {
		return nil, errIndex
	}
	r := &indexReader{text: string(body), b: body, i: len(magic)}
	x := &index{at: time.Unix(0, r.signed()), head: audit.Head{Seq: r.number(), H: r.string()}, next: r.number()}
	n := r.number()
	if r.bad || n > uint64(len(b)) {
		return nil, errIndex
	}
	x.files = make([]file, n)
	last := ""
	for i := range x.files {
		f := &x.files[i]
		same := r.number()
		if same > uint64(len(last)) {
			return nil, errIndex
		}
		if rest := r.string(); same == 0 {
			f.path = rest
		} else {
			f.path = last[:same] + rest
		}
		last = f.path
		f.mode, f.flags, f.ino = fs.FileMode(r.number()), flags(r.byte()), r.number()
		if f.mode.IsDir() {
			continue
		}
		f.size, f.mtime, f.ctime = r.signed(), r.signed(), r.signed()
		f.link, f.sum, f.blob, f.copy = r.string(), r.string(), r.string(), r.number()
	}
	if r.bad || r.i != len(body) {
		return nil, errIndex
	}
	return x, nil
}

type indexReader struct {
	text string
	b    []byte
	i    int
	bad  bool
}

func (r *indexReader) number() uint64 {
	n, size := binary.Uvarint(r.b[r.i:])
	r.skip(size)
	return n
}

func (r *indexReader) signed() int64 {
	n, size := binary.Varint(r.b[r.i:])
	r.skip(size)
	return n
}

func (r *indexReader) skip(size int) {
	if size <= 0 {
		r.bad, r.i = true, len(r.b)
		return
	}
	r.i += size
}

func (r *indexReader) byte() byte {
	if r.i >= len(r.b) {
		r.bad = true
		return 0
	}
	r.i++
	return r.b[r.i-1]
}

// string returns a part of the whole text: nothing is copied.
func (r *indexReader) string() string {
	n := r.number()
	if n > uint64(len(r.b)-r.i) {
		r.bad = true
		return ""
	}
	r.i += int(n)
	return r.text[r.i-int(n) : r.i]
}

// loadIndex reads the index of the last look. It returns fs.ErrNotExist or errIndex if there is none to go by.
func loadIndex(dir vfs.Dir) (*index, error) {
	b, err := readAll(dir, indexName)
	if err != nil {
		return nil, err
	}
	return decodeIndex(b)
}

// save replaces the index. It is not synced: after a power cut that took it, the next look is the first.
func (x *index) save(dir vfs.Dir) error { return replace(dir, newIndex, indexName, x.encode()) }

func readAll(dir vfs.Dir, name string) ([]byte, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	is, err := f.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, is.Size)
	_, err = io.ReadFull(f, b)
	return b, err
}

// replace writes a file and gives it its name when it is whole.
func replace(dir vfs.Dir, part, name string, b []byte) error {
	if err := dir.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := dir.Create(part, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return dir.Rename(part, dir, name, vfs.Replace)
}
