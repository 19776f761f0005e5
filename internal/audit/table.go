package audit

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sort"

	"github.com/emend-dev/emend/internal/vfs"
)

// A table is the index of a segment: of its first records, or of all of them. It is a file of pages beside the segment.
// Each page ends with a checksum:
//
//	records   for each record, in order: where it begins, its kind, the beginning of its hash
//	keys      for each key of each record, sorted: the key, the number of the record in the segment
//	footer    how many there are, the last record that is covered, and how many keys begin with each of 512 beginnings
//
// A table is derived from the segment, is never synced and is replaced as a whole. Nothing in it is believed further than
// its checksums and the log go: the last record that it covers must be in the segment, and a record that it leads to must
// be the one that it means. So it is of no use when the segment was cut, replaced or restored, and never wrong.
const (
	wholeSuffix   = ".idx"      // of a segment that gets no more records
	growingSuffix = ".idx-part" // of a segment whose end is not in the table yet
	draftSuffix   = ".idx-new"

	pageSize    = 4096
	payload     = pageSize - crc32.Size
	recordSize  = 16
	keySize     = 12
	recordsPage = payload / recordSize
	keysPage    = payload / keySize
	fanout      = 512
	fanoutShift = 64 - 9
	magic       = "index of a log\n"
)

var errTable = errors.New("the index is damaged, or of another log")

// tableName returns the name of the index of segment n.
func tableName(n int, suffix string) string { return fmt.Sprintf("%08d%s", n, suffix) }

// footer is the last page of a table.
type footer struct {
	records, keys int
	end           int64  // of the last record, in the segment
	last          int64  // where that begins
	firstSeq      uint64 // number of the first record
	lastCommit    int    // index of the newest commit or undo; -1 if there is none
	complete      bool   // the segment has nothing more that could be indexed
	head          Head   // the last record
	counts        [fanout]uint32
}

// entry is what a table has of a record.
type entry struct {
	start int64
	kind  Kind
	print [8]byte // the beginning of its hash
}

// kindNumbers gives each kind the number that it has in a table. They are on disk: a kind that is added comes last.
var kindNumbers = []Kind{Commit, Undo, Applied, Abort, Recovered, Denied, Failed, Purge, Rotate, Drop}

// printOf returns the beginning of a hash.
func printOf(h string) (p [8]byte) {
	hex.Decode(p[:], []byte(h[:min(len(h), 16)])) //nolint:errcheck // what is no hash matches nothing
	return p
}

func recordPages(n int) int { return (n + recordsPage - 1) / recordsPage }
func keyPages(n int) int    { return (n + keysPage - 1) / keysPage }

// checksum covers the content of a page, its number and the table that it belongs to.
func checksum(content []byte, number int, of Head) uint32 {
	castagnoli := crc32.MakeTable(crc32.Castagnoli) // the first call takes 0.1 ms, which most processes need not pay
	c := crc32.Update(uint32(number), castagnoli, []byte(of.H))
	return crc32.Update(c, castagnoli, content)
}

// table is an index that is open for reading.
type table struct {
	footer
	dir    vfs.Dir
	n      int // number of the segment
	suffix string
	f      vfs.File
	cache  map[int][]byte // pages that were read
}

// maxCached bounds the pages that a table keeps in memory.
const maxCached = 64

// openTable opens the index of segment n; f and size are the segment. It returns nil if there is none that the segment
// agrees with. A complete one that the segment does not agree with is of no use to anybody, and is removed: the next append
// then begins another.
func openTable(dir vfs.Dir, n int, f io.ReaderAt, size int64, suffixes ...string) *table {
	for _, suffix := range suffixes {
		file, err := dir.Open(tableName(n, suffix))
		if err != nil {
			continue
		}
		t := &table{dir: dir, n: n, suffix: suffix, f: file, cache: map[int][]byte{}}
		if t.readFooter() == nil && t.agrees(f, size) {
			return t
		}
		t.discard()
	}
	return nil
}

// discard closes a table that is of no use, and removes it unless it may be that of a segment that somebody appends to.
func (t *table) discard() {
	if t.close(); t.suffix == wholeSuffix {
		t.dir.Remove(tableName(t.n, t.suffix)) //nolint:errcheck // where nothing may be written it stays
	}
}

// close closes the file. A later look opens it again; if it is another one by then, its checksums are those of another.
func (t *table) close() {
	if t != nil && t.f != nil {
		t.f.Close()
		t.f = nil
	}
}

func (t *table) readFooter() error {
	info, err := t.f.Stat()
	if err != nil || info.Size%pageSize != 0 || info.Size == 0 {
		return errors.Join(errTable, err)
	}
	page := make([]byte, pageSize)
	number := int(info.Size/pageSize) - 1
	if _, err := io.ReadFull(io.NewSectionReader(t.f, int64(number)*pageSize, pageSize), page); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(page[payload:]) != checksum(page[:payload], number, Head{}) {
		return errTable
	}
	if !t.footer.decode(page) || recordPages(t.records)+keyPages(t.keys) != number {
		return errTable
	}
	return nil
}

func (f *footer) encode() []byte {
	b := append(make([]byte, 0, payload), magic...)
	complete := uint64(0)
	if f.complete {
		complete = 1
	}
	for _, n := range []uint64{uint64(f.records), uint64(f.keys), uint64(f.end), uint64(f.last), f.firstSeq, uint64(f.lastCommit + 1), complete, f.head.Seq} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	var sum [32]byte
	hex.Decode(sum[:], []byte(f.head.H)) //nolint:errcheck // zero for no record
	b = append(b, sum[:]...)
	for _, n := range f.counts {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return append(b, make([]byte, payload-len(b))...)
}

// decode reads what encode wrote, and reports whether it is possible.
func (f *footer) decode(b []byte) bool {
	if string(b[:len(magic)]) != magic {
		return false
	}
	b = b[len(magic):]
	var n [8]uint64
	for i := range n {
		n[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	b = b[8*len(n):]
	*f = footer{records: int(n[0]), keys: int(n[1]), end: int64(n[2]), last: int64(n[3]), firstSeq: n[4], lastCommit: int(n[5]) - 1, complete: n[6] == 1,
		head: Head{Seq: n[7], H: hex.EncodeToString(b[:32])}}
	sorted := true
	for i := range f.counts {
		f.counts[i] = binary.LittleEndian.Uint32(b[32+4*i:])
		sorted = sorted && (i == 0 || f.counts[i] >= f.counts[i-1])
	}
	const most = 1 << 31
	return max(n[0], n[1]) < most && n[2] < 1<<48 && f.last >= 0 && f.last <= f.end && f.lastCommit < f.records &&
		sorted && int(f.counts[fanout-1]) == f.keys && (f.records == 0 || f.firstSeq+n[0]-1 == f.head.Seq)
}

// agrees reports whether the segment has the last record of the table in its place.
func (t *table) agrees(f io.ReaderAt, size int64) bool {
	if t.records == 0 || t.end > size || t.end-t.last > maxLine {
		return false
	}
	r, err := readLine(f, t.last, t.end).header()
	return err == nil && r.head() == t.head
}

// maxLine is the size of the longest line that is read by an index. No record is as long.
const maxLine = 1 << 30

// readLine reads the line between two places.
func readLine(f io.ReaderAt, start, end int64) line {
	l := line{start: start, end: end}
	if start < 0 || start >= end || end-start > maxLine {
		return l
	}
	text := make([]byte, end-start)
	if _, err := io.ReadFull(io.NewSectionReader(f, start, end-start), text); err != nil {
		return l
	}
	if n := len(text) - 1; text[n] == '\n' {
		l.text, l.whole = text[:n], true
	}
	return l
}

// page returns the content of a page.
func (t *table) page(number int) ([]byte, error) {
	if p := t.cache[number]; p != nil {
		return p, nil
	}
	if t.f == nil {
		var err error
		if t.f, err = t.dir.Open(tableName(t.n, t.suffix)); err != nil {
			t.f = nil
			return nil, err
		}
	}
	p := make([]byte, pageSize)
	if _, err := io.ReadFull(io.NewSectionReader(t.f, int64(number)*pageSize, pageSize), p); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(p[payload:]) != checksum(p[:payload], number, t.head) {
		t.discard()
		return nil, errTable
	}
	if len(t.cache) >= maxCached {
		clear(t.cache)
	}
	t.cache[number] = p
	return p, nil
}

// entry returns what the table has of record i.
func (t *table) entry(i int) (e entry, err error) {
	p, err := t.page(i / recordsPage)
	if err != nil {
		return e, err
	}
	p = p[i%recordsPage*recordSize:]
	e.start = int64(binary.LittleEndian.Uint64(p) & (1<<48 - 1))
	if int(p[6]) >= len(kindNumbers) {
		return e, errTable
	}
	e.kind = kindNumbers[p[6]]
	copy(e.print[:], p[8:])
	return e, nil
}

func appendEntry(b []byte, e entry) []byte {
	number := slices.Index(kindNumbers, e.kind)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.start)|uint64(number)<<48)
	return append(b, e.print[:]...)
}

// start returns where record i begins, or for the number of records where the last one ends.
func (t *table) start(i int) (int64, error) {
	if i == t.records {
		return t.end, nil
	}
	e, err := t.entry(i)
	return e.start, err
}

// line reads record i.
func (t *table) line(f io.ReaderAt, i int) (line, entry, error) {
	e, err := t.entry(i)
	if err != nil {
		return line{}, e, err
	}
	end, err := t.start(i + 1)
	return readLine(f, e.start, end), e, err
}

// until returns how many records end at size or before; ok is false if none ends there.
func (t *table) until(size int64) (n int, ok bool) {
	if size >= t.end {
		return t.records, true
	}
	var err error
	n = sort.Search(t.records, func(i int) bool {
		at, broken := t.start(i)
		err = errors.Join(err, broken)
		return at >= size
	})
	at, broken := t.start(n)
	return n, err == nil && broken == nil && at == size
}

// key returns key i and the record that has it.
func (t *table) key(i int) (indexKey, int, error) {
	p, err := t.page(recordPages(t.records) + i/keysPage)
	if err != nil {
		return 0, 0, err
	}
	p = p[i%keysPage*keySize:]
	k, record := indexKey(binary.LittleEndian.Uint64(p)), int(binary.LittleEndian.Uint32(p[8:]))
	if record >= t.records {
		return 0, 0, errTable
	}
	return k, record, nil
}

func appendKey(b []byte, k indexKey, record int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(b, uint64(k)), uint32(record))
}

// find returns the records that have a key, oldest first, from record low to before record high.
func (t *table) find(k indexKey, low, high int) (out []int, err error) {
	first, most := 0, int(t.counts[k>>fanoutShift])
	if b := k >> fanoutShift; b > 0 {
		first = int(t.counts[b-1])
	}
	i := first + sort.Search(most-first, func(i int) bool {
		have, record, broken := t.key(first + i)
		if broken != nil {
			err = broken
		}
		return have > k || have == k && record >= low
	})
	for ; i < most && err == nil; i++ {
		have, record, broken := t.key(i)
		if broken != nil || have != k || record >= high {
			return out, broken
		}
		out = append(out, record)
	}
	return out, err
}
