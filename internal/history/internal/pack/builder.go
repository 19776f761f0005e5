package pack

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"io"
)

// Builder makes a pack. The zero value is an empty one.
type Builder struct {
	p    Pack
	file []byte
	open encoder      // of the frame that is being filled
	from int          // the first entry of that frame
	made map[int]bool // the frames that are not copies
}

// Empty reports whether nothing was added.
func (b *Builder) Empty() bool { return len(b.p.Entries) == 0 }

// Entries returns what was added.
func (b *Builder) Entries() []Entry { return b.p.Entries }

// Add adds a content, and fills in what the entry says of it. Contents that are alike should follow each other.
func (b *Builder) Add(e Entry, content []byte) {
	if len(b.open.raw) > 0 && (len(b.open.raw)+len(content) > maxFrame || len(b.open.steps) > max(maxNew, 2*b.open.first)) {
		b.endFrame()
	}
	was := len(b.open.steps)
	e.Size, e.Sum, e.frame, e.start = int64(len(content)), sha256.Sum256(content), len(b.p.frames), int64(len(b.open.raw))
	b.open.add(content)
	e.Stored = int64(len(b.open.steps) - was)
	b.p.Entries = append(b.p.Entries, e)
}

// endFrame compresses the frame that is being filled and begins another one.
func (b *Builder) endFrame() {
	if b.from == len(b.p.Entries) {
		return
	}
	var out bytes.Buffer
	z, _ := flate.NewWriter(&out, flate.DefaultCompression) // fails for unknown levels only
	z.Write(b.open.steps)
	z.Close()
	if b.made == nil {
		b.made = map[int]bool{}
	}
	b.made[len(b.p.frames)] = true
	b.appendFrame(out.Bytes(), int64(len(b.open.raw)), sha256.Sum256(out.Bytes()))
	b.open.reset()
	b.from = len(b.p.Entries)
}

func (b *Builder) appendFrame(stored []byte, raw int64, sum [sha256.Size]byte) {
	if len(b.file) == 0 {
		b.file = append(b.file, header...)
	}
	b.p.frames = append(b.p.frames, frame{start: int64(len(b.file)), size: int64(len(stored)), raw: raw, sum: sum})
	b.file = append(b.file, stored...)
}

// Take adds the contents of the pack p in r, called name, that keep accepts. A frame of which it accepts all is copied as it
// is, damaged or not. Of others it reads what it keeps; it leaves out nothing that it cannot read, but fails.
func (b *Builder) Take(p *Pack, r io.ReaderAt, name string, keep func(*Entry) bool) error {
	b.endFrame()
	byFrame := make([][]*Entry, len(p.frames))
	kept := make([]int, len(p.frames))
	for i := range p.Entries {
		e := &p.Entries[i]
		byFrame[e.frame] = append(byFrame[e.frame], e)
		if keep(e) {
			kept[e.frame]++
		}
	}
	for n, entries := range byFrame {
		switch kept[n] {
		case 0:
		case len(entries):
			if err := b.takeFrame(p.frames[n], r, entries); err != nil {
				return err
			}
		default:
			if err := b.takeSome(p, r, entries, keep); err != nil {
				return err
			}
		}
	}
	b.p.Replaces = append(b.p.Replaces, name)
	return nil
}

func (b *Builder) takeFrame(f frame, r io.ReaderAt, entries []*Entry) error {
	stored, err := f.read(r)
	if err != nil {
		return err
	}
	for _, e := range entries {
		moved := *e
		moved.frame = len(b.p.frames)
		b.p.Entries = append(b.p.Entries, moved)
	}
	b.appendFrame(stored, f.raw, f.sum)
	b.from = len(b.p.Entries)
	return nil
}

// takeSome makes a frame of its own of the entries that stay, so that nothing is left of the others.
func (b *Builder) takeSome(p *Pack, r io.ReaderAt, entries []*Entry, keep func(*Entry) bool) error {
	raw, err := p.ReadFrame(r, entries[0].frame)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !keep(e) {
			continue
		}
		c, err := e.Content(raw)
		if err != nil {
			return err
		}
		b.Add(*e, c)
	}
	b.endFrame()
	return nil
}

// Bytes returns the pack. Nothing can be added afterwards. Before that it reads every content from it that was not copied
// together with its frame, and fails unless that is what was added.
func (b *Builder) Bytes() ([]byte, error) {
	file := b.finish()
	r := bytes.NewReader(file)
	p, err := Read(r, r.Size())
	if err == nil {
		err = p.Check(r, func(n int) bool { return b.made[n] })
	}
	return file, err
}

func (b *Builder) finish() []byte {
	b.endFrame()
	if len(b.file) == 0 {
		b.file = append(b.file, header...)
	}
	start := len(b.file)
	b.file = b.p.appendIndex(b.file)
	index := b.file[start:]
	sum := sha256.Sum256(index)
	b.file = binary.LittleEndian.AppendUint64(b.file, uint64(start))
	b.file = binary.LittleEndian.AppendUint64(b.file, uint64(len(index)))
	b.file = append(b.file, sum[:]...)
	return append(b.file, trailer...)
}
