package gitobjects

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

const (
	// maxDepth is how many deltas an object may be from one that is stored whole. Git writes at most 4095.
	maxDepth = 4096
	// minHeld is what may be held of a base or a delta, however small the limit of the caller is: git makes small contents
	// from large ones.
	minHeld = 64 << 20
	// maxWork bounds the sum of what the deltas of an object make, in multiples of what may be held.
	maxWork = 64
)

// pack is a file with many objects, and its index. The files are read, not mapped: to touch a mapped page that somebody has
// cut off would end the process.
type pack struct {
	name, path        string // without ".pack" and ".idx"
	packFile, idxFile *os.File
	index             *packIndex
	objects           io.ReaderAt
	size              int64 // of the objects with the header, without the checksum at the end
}

// packed returns the content of an object in p.
func (r *Repo) packed(p *pack, k kind, id ID, limit int64) ([]byte, error) {
	if p.index == nil {
		if err := r.openPack(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.path, err)
		}
	}
	at, err := p.index.find(id)
	if err == nil {
		var content []byte
		if content, err = r.objectAt(p, k, at, limit, max(limit, minHeld)); err == nil {
			return content, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", p.path, err)
}

func (r *Repo) openPack(p *pack) (err error) {
	if len(r.opened) >= maxOpenPacks {
		r.closePack(r.opened[0])
	}
	r.opened = append(r.opened, p)
	defer func() {
		if err != nil {
			r.closePack(p)
		}
	}()
	idx, idxInfo, err := openRegular(p.path + ".idx")
	if err != nil {
		return err
	}
	p.idxFile = idx
	objects, info, err := openRegular(p.path + ".pack")
	if err != nil {
		return err
	}
	p.packFile = objects
	index, err := openPackIndex(idx, idxInfo.Size(), r.format.size)
	if err != nil {
		return err
	}
	return p.use(index, objects, info.Size(), r.format.size)
}

// use checks that the file is a pack, and the one of the index.
func (p *pack) use(index *packIndex, objects io.ReaderAt, size int64, idSize int) error {
	size -= int64(idSize)
	header, err := readAt(objects, 0, 12)
	if err != nil {
		return err
	}
	if version := (&cursor{text: header[4:]}).uint32(); header[:4] != "PACK" || version != 2 && version != 3 {
		return fmt.Errorf("%w: the pack begins with %q", ErrUnsupported, header[:8])
	}
	sum, err := readAt(objects, size, idSize)
	if err != nil {
		return err
	}
	if sum != index.packSum {
		return damaged("the index is that of another pack")
	}
	p.index, p.objects, p.size = index, objects, size
	return nil
}

func (p *pack) close() {
	for _, f := range []*os.File{p.packFile, p.idxFile} {
		if f != nil {
			f.Close()
		}
	}
	p.packFile, p.idxFile, p.index, p.objects = nil, nil, nil, nil
}

func (r *Repo) closePack(p *pack) {
	p.close()
	r.opened = slices.DeleteFunc(r.opened, func(o *pack) bool { return o == p })
}

// readAt reads exactly n bytes.
func readAt(in io.ReaderAt, at int64, n int) (string, error) {
	b := make([]byte, n)
	if at < 0 {
		return "", damaged("an offset is out of range")
	}
	if got, err := in.ReadAt(b, at); got < n {
		return "", damaged("the file has no %d bytes at %d: %v", n, at, err)
	}
	return string(b), nil
}

// packIndex finds objects in a pack by their names, which it has in order.
type packIndex struct {
	in      io.ReaderAt
	idSize  int
	fanOut  [256]uint32 // how many objects have a name whose first byte is at most this
	packSum string      // the checksum at the end of the pack

	// Where the file has the names, and how far apart; the offsets in the pack, of four bytes; and those of eight bytes.
	names, stride, offsets, large, largeEnd int64
}

const fanOutSize = 256 * 4

// openPackIndex reads the head of an index of version 1 or 2.
func openPackIndex(in io.ReaderAt, size int64, idSize int) (*packIndex, error) {
	x := &packIndex{in: in, idSize: idSize}
	head, err := readAt(in, 0, 8+fanOutSize)
	if err != nil {
		return nil, err
	}
	c, id := &cursor{text: head}, int64(idSize)
	start := int64(0)
	if strings.HasPrefix(head, "\xfftOc") {
		c.take(4)
		if version := c.uint32(); version != 2 {
			return nil, fmt.Errorf("%w: version %d of the index of a pack", ErrUnsupported, version)
		}
		start = 8
	}
	for i := range x.fanOut {
		x.fanOut[i] = c.uint32()
		if i > 0 && x.fanOut[i] < x.fanOut[i-1] {
			return nil, damaged("its counts are not in order")
		}
	}
	count := int64(x.fanOut[255])
	if start == 0 {
		// Each entry is an offset and a name.
		x.offsets, x.names, x.stride = fanOutSize, fanOutSize+4, 4+id
		x.large = fanOutSize + count*x.stride
	} else {
		// All names, checksums of four bytes, offsets, and offsets of eight bytes.
		x.names, x.stride = start+fanOutSize, id
		x.offsets = x.names + count*(id+4)
		x.large = x.offsets + count*4
	}
	if x.largeEnd = size - 2*id; x.largeEnd < x.large {
		return nil, damaged("it has no place for %d objects", count)
	}
	x.packSum, err = readAt(in, x.largeEnd, idSize)
	return x, err
}

// find returns where the pack has the object.
func (x *packIndex) find(id ID) (int64, error) {
	low, high := int64(0), int64(x.fanOut[id[0]])
	if id[0] > 0 {
		low = int64(x.fanOut[id[0]-1])
	}
	for low < high {
		middle := (low + high) / 2
		name, err := readAt(x.in, x.names+middle*x.stride, x.idSize)
		if err != nil {
			return 0, err
		}
		switch {
		case name < string(id):
			low = middle + 1
		case name > string(id):
			high = middle
		default:
			return x.offset(middle)
		}
	}
	return 0, ErrNotFound
}

func (x *packIndex) offset(i int64) (int64, error) {
	v1 := x.offsets < x.names
	step := int64(4)
	if v1 {
		step = x.stride
	}
	four, err := readAt(x.in, x.offsets+i*step, 4)
	at := int64((&cursor{text: four}).uint32())
	if err != nil || v1 || at < 1<<31 {
		return at, err
	}
	where := x.large + (at-1<<31)*8
	if where+8 > x.largeEnd {
		return 0, damaged("an offset is out of range")
	}
	eight, err := readAt(x.in, where, 8)
	return int64((&cursor{text: eight}).uint64()), err
}

// The types of what a pack has, beside the kinds of objects.
const (
	offsetDelta = 6 // says how far before it its base is
	nameDelta   = 7 // names its base
)

// packEntry is the head of an object in a pack.
type packEntry struct {
	kind byte
	size int64 // of the content, or of the delta
	data int64 // where it begins, compressed
	base int64 // of a delta: where its base is
}

func (p *pack) entryAt(at int64) (e packEntry, err error) {
	if at < 12 || at >= p.size {
		return e, damaged("an offset is out of range")
	}
	head, err := readAt(p.objects, at, int(min(64, p.size-at)))
	if err != nil {
		return e, err
	}
	c := cursor{text: head}
	b := c.byte()
	e.kind, e.size = b>>4&7, int64(b&0xf)
	if b&0x80 != 0 {
		e.size = c.size(e.size, 4)
	}
	switch e.kind {
	case offsetDelta:
		e.base = at - c.offset()
	case nameDelta:
		if id := ID(c.take(p.index.idSize)); id != "" {
			e.base, err = p.index.find(id)
		}
	}
	if c.bad {
		return e, damaged("an object of a pack has no head")
	}
	e.data = at + int64(c.at)
	return e, err
}

func (p *pack) data(e packEntry) io.Reader {
	return io.NewSectionReader(p.objects, e.data, p.size-e.data)
}

// objectAt returns the content of the object at a place of p. It is stored whole, or as a delta to the content at another place.
//
// Of more than limit bytes it is not read; bases and deltas may have held bytes.
func (z *inflater) objectAt(p *pack, k kind, at, limit, held int64) ([]byte, error) {
	var deltas []packEntry
	e, err := p.entryAt(at)
	for ; err == nil && (e.kind == offsetDelta || e.kind == nameDelta); e, err = p.entryAt(e.base) {
		if len(deltas) == maxDepth {
			return nil, damaged("an object is more than %d deltas away from a whole one", maxDepth)
		}
		if err := checkSize(e.size, held); err != nil {
			return nil, err
		}
		if len(deltas) == 0 {
			if err := z.checkResult(p, e, limit); err != nil {
				return nil, err
			}
		}
		deltas = append(deltas, e)
	}
	if err != nil {
		return nil, err
	}
	if e.kind != byte(k) {
		return nil, fmt.Errorf("%w: type %d, not %s", ErrKind, e.kind, k)
	}
	allowed := held
	if len(deltas) == 0 {
		allowed = limit
	}
	if err := checkSize(e.size, allowed); err != nil {
		return nil, err
	}
	content, err := z.dataOf(p, e)
	for work := int64(0); err == nil && len(deltas) > 0; deltas = deltas[:len(deltas)-1] {
		var delta []byte
		if delta, err = z.dataOf(p, deltas[len(deltas)-1]); err != nil {
			break
		}
		content, err = applyDelta(content, delta, held)
		if work += int64(len(content)); work > maxWork*held {
			return nil, fmt.Errorf("%w: its %d deltas make contents of more than %d bytes", ErrTooLarge, len(deltas), maxWork*held)
		}
	}
	return content, err
}

// checkResult refuses a delta that makes more than limit bytes, by its first bytes.
func (z *inflater) checkResult(p *pack, e packEntry, limit int64) error {
	in, err := z.inflate(p.data(e))
	if err != nil {
		return err
	}
	head, err := io.ReadAll(io.LimitReader(in, 20))
	if err != nil {
		return damaged("a delta cannot be inflated: %v", err)
	}
	c := cursor{text: string(head)}
	c.size(0, 0)
	return checkSize(c.size(0, 0), limit)
}

func (z *inflater) dataOf(p *pack, e packEntry) ([]byte, error) {
	in, err := z.inflate(p.data(e))
	if err != nil {
		return nil, err
	}
	return readAll(in, e.size)
}
