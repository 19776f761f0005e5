package gitobjects

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// maxIndex is the size of the largest index that is read.
const maxIndex = 1 << 30

// Index has the entries of an index, by path and then by stage.
type Index struct {
	// Entries is without paths that no file of the work tree has: those that lead out of it or into .git, and the
	// directories of a sparse index.
	Entries []Entry
}

// Entry is what the index has about one file.
type Entry struct {
	Path         string // with slashes, from the top of the work tree
	ID           ID     // of the content, which filters may have changed on its way from the file
	MTime, CTime Time
	Mode         uint32 // 0100644, 0100755, 0120000 for a link, 0160000 for a submodule
	Size         uint32 // of the file, the low 32 bits
	Dev, Ino     uint32
	Stage        uint8 // 0, or the side of a merge with conflicts
	AssumeValid  bool
	SkipWorktree bool
	IntentToAdd  bool

	unsure bool // the file may have changed after git read it and look the same
}

// Time is a time as an index has it: the low 32 bits of the seconds since 1970, above 32 bits of nanoseconds.
type Time uint64

// TimeOf returns t as an index has it.
func TimeOf(t time.Time) Time { return Time(uint32(t.Unix()))<<32 | Time(t.Nanosecond()) }

// Time returns t as a time between 1970 and 2106.
func (t Time) Time() time.Time { return time.Unix(int64(t>>32), int64(uint32(t))) }

// Find returns the entry of a path at stage 0, or nil.
func (x *Index) Find(path string) *Entry {
	i, ok := slices.BinarySearchFunc(x.Entries, path, func(e Entry, path string) int {
		return cmp.Or(cmp.Compare(e.Path, path), int(e.Stage))
	})
	if !ok {
		return nil
	}
	return &x.Entries[i]
}

// Clean reports whether the file is as git last wrote or read it: info is what lstat says of it, and the same as then. The content
// that git made of the file is then that of e.ID. Permissions are not compared, nor Dev, which changes when a disk is mounted again.
//
// Clean is false where stat data prove nothing: for entries with a flag or a stage, and for files that changed when the index was
// written, or later. One case no stat data show: a file that is changed twice within one tick of the clock (up to 10 ms), with the same
// size, if git read it in between.
func (e *Entry) Clean(info vfs.Info) bool {
	const regular, link = 0o10, 0o12
	switch info.Mode.Type() {
	case 0:
		if e.Mode>>12 != regular {
			return false
		}
	case fs.ModeSymlink:
		if e.Mode>>12 != link {
			return false
		}
	default:
		return false
	}
	return !e.unsure && e.Stage == 0 && !e.AssumeValid && !e.SkipWorktree && !e.IntentToAdd &&
		e.Size == uint32(info.Size) && e.MTime == TimeOf(info.ModTime) &&
		(info.ChangeTime.IsZero() || e.CTime == TimeOf(info.ChangeTime)) &&
		(e.Ino == 0 || e.Ino == uint32(info.ID.Ino)) // git writes no number on Windows
}

// Index reads the index. It is empty if there is no file yet.
func (r *Repo) Index() (*Index, error) {
	own, err := r.readIndex("index", ^Time(0))
	if errors.Is(err, fs.ErrNotExist) {
		return &Index{}, nil
	}
	if err != nil {
		return nil, err
	}
	entries := own.entries
	if own.shared != "" {
		base, err := r.readIndex("sharedindex."+own.shared.String(), own.written)
		if err == nil {
			entries, err = own.mergeInto(base)
		}
		if err != nil {
			return nil, fmt.Errorf("the split index: %w", err)
		}
	}
	entries, err = sorted(entries)
	return &Index{entries}, err
}

// indexFile is one file of an index.
type indexFile struct {
	entries []Entry
	written Time
	// The extension "link" says that the file is the changes to another one, shared.
	shared ID
	link   cursor
}

// readIndex reads a file of the index, which was written at the given time at the latest.
func (r *Repo) readIndex(name string, written Time) (*indexFile, error) {
	file := filepath.Join(r.dir, name)
	text, info, err := readText(file, maxIndex)
	if err != nil {
		return nil, err
	}
	// Git may touch the shared file later, so its time alone would say too little.
	x, err := parseIndex(text, r.format, min(written, TimeOf(info.ModTime())))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return x, nil
}

// parseIndex reads a file of the index. The paths of its entries are parts of text, but for version 4.
func parseIndex(text string, format objectFormat, written Time) (*indexFile, error) {
	if len(text) < 12+format.size || text[:4] != "DIRC" {
		return nil, damaged("it is not an index")
	}
	p := indexParser{cursor: cursor{text: text[4 : len(text)-format.size]}, idSize: format.size, written: written, empty: format.blobID(nil)}
	if p.version = p.uint32(); p.version < 2 || p.version > 4 {
		return nil, fmt.Errorf("%w: version %d of the index", ErrUnsupported, p.version)
	}
	count := int64(p.uint32())
	if count*int64(42+format.size) > int64(len(p.rest())) {
		return nil, damaged("its header counts %d entries, which do not fit in", count)
	}
	x := &indexFile{entries: make([]Entry, count), written: written}
	p.maxNames = 16*len(text) + 1<<20
	if p.version == 4 {
		p.names, p.ends = make([]byte, 0, len(text)), make([]int, 0, count)
	}
	for i := range x.entries {
		p.entry(&x.entries[i])
		if p.bad {
			return nil, damaged("entry %d of %d cannot be read", i+1, count)
		}
	}
	p.setNames(x.entries)
	return x, p.extensions(x)
}

// indexParser reads the entries of a file.
type indexParser struct {
	cursor
	version uint32
	idSize  int
	written Time
	empty   ID // of the blob without content
	// Version 4 has the difference of each path to the previous one. They are collected in names.
	names    []byte
	ends     []int
	maxNames int
}

func (p *indexParser) entry(e *Entry) {
	before := p.at
	e.CTime, e.MTime = Time(p.uint64()), Time(p.uint64())
	e.Dev, e.Ino, e.Mode = p.uint32(), p.uint32(), p.uint32()
	p.take(8) // owner and group
	e.Size = p.uint32()
	e.ID = ID(p.take(p.idSize))
	flags := p.uint16()
	e.AssumeValid, e.Stage = flags&0x8000 != 0, uint8(flags>>12&3)
	if flags&0x4000 != 0 {
		more := p.uint16()
		e.SkipWorktree, e.IntentToAdd = more&0x4000 != 0, more&0x2000 != 0
		p.bad = p.bad || p.version == 2 || more&0x9fff != 0
	}
	e.unsure = p.isUnsure(e)
	if p.version == 4 {
		p.nextName()
		return
	}
	length := max(strings.IndexByte(p.rest(), 0), 0)
	e.Path = p.take(length)
	if n := int(flags & 0xfff); n != length && (n < 0xfff || length < n) {
		p.bad = true
	}
	// One to eight zeros make the length of an entry a multiple of eight.
	p.take(8 - (p.at-before)%8)
}

// isUnsure reports whether the stat data of an entry prove nothing: its file had changed when the index was written, or so shortly
// before that one more change could leave the same times. Git writes a size of 0 where it knows that.
func (p *indexParser) isUnsure(e *Entry) bool {
	last := max(e.MTime, e.CTime)
	if uint32(e.MTime) == 0 && uint32(e.CTime) == 0 { // a file system that counts whole seconds, or every other one
		last += 2 << 32
	}
	return last >= p.written || e.Size == 0 && e.ID != p.empty
}

// nextName adds the path of an entry to names.
func (p *indexParser) nextName() {
	start, end := 0, len(p.names)
	if n := len(p.ends); n > 1 {
		start = p.ends[n-2]
	}
	cut := p.offset()
	length := strings.IndexByte(p.rest(), 0)
	if cut > int64(end-start) || length < 0 || len(p.names)+end-start-int(cut)+length > p.maxNames {
		p.bad = true
		return
	}
	p.names = append(p.names, p.names[start:end-int(cut)]...)
	p.names = append(p.names, p.take(length)...)
	p.take(1)
	p.ends = append(p.ends, len(p.names))
}

func (p *indexParser) setNames(entries []Entry) {
	names, start := string(p.names), 0
	for i, end := range p.ends {
		entries[i].Path = names[start:end]
		start = end
	}
}

// extensions reads what follows the entries. Git may ignore an extension with a capital letter.
func (p *indexParser) extensions(x *indexFile) error {
	for p.rest() != "" {
		name := p.take(4)
		data := cursor{text: p.take(int(min(p.uint32(), maxIndex)))}
		switch {
		case p.bad:
			return damaged("its extensions cannot be read")
		case name == "link":
			x.shared = ID(data.take(p.idSize))
			if data.bad {
				return damaged("the extension \"link\" cannot be read")
			}
			if strings.Trim(string(x.shared), "\x00") == "" {
				x.shared = "" // nothing is shared
			}
			x.link = data
		case name == "sdir": // a sparse index: has directories
		case name[0] < 'A' || name[0] > 'Z':
			return fmt.Errorf("%w: the extension %q of the index", ErrUnsupported, name)
		}
	}
	return nil
}

// sorted checks the order of the entries, and leaves out those that no file of the work tree can have.
func sorted(entries []Entry) ([]Entry, error) {
	out := entries[:0]
	var path string
	var stage uint8
	for i, e := range entries {
		if i > 0 && cmp.Or(cmp.Compare(path, e.Path), cmp.Compare(stage, e.Stage)) >= 0 {
			return nil, damaged("the index is not sorted at %.80q", e.Path)
		}
		path, stage = e.Path, e.Stage
		if inTree(path) {
			out = append(out, e)
		}
	}
	clear(entries[len(out):])
	return out, nil
}

// inTree reports whether a path stays in the work tree, on this system, and out of .git.
func inTree(path string) bool {
	for rest, more := path, true; more; {
		var name string
		name, rest, more = strings.Cut(rest, "/")
		if name == "" || name == "." || name == ".." || strings.EqualFold(name, ".git") {
			return false
		}
	}
	return filepath.Separator == '/' || !strings.Contains(path, `\`) && filepath.IsLocal(filepath.FromSlash(path))
}
