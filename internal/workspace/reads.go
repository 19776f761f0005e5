package workspace

import (
	"sync"
	"time"
)

// What a server keeps of the files that it showed.
const (
	maxReadFile  = 1 << 20  // bytes of one file
	maxReadBytes = 16 << 20 // of all
	maxReadAge   = time.Hour
)

// Read is a content that a file had when a caller was shown it.
type Read struct {
	Path, Sha256, Data string
	At                 time.Time
}

// reads keeps what callers were shown, so that a patch for it can be merged into a file that somebody changed since. It keeps it in
// memory, and writes nothing of it to disk.
type reads struct {
	on bool // set when the workspace is opened

	mu    sync.Mutex
	kept  byAge[version, Read]
	bytes int // of kept
	known byAge[sessionFile, sight]
}

// version is a content of a file.
type version struct{ path, sum string }

// sessionFile is a file as one session knows it.
type sessionFile struct{ session, path string }

// sight is the last version of a file that a session was shown, or that its own call left.
type sight struct {
	sum string
	at  time.Time
}

// maxSights bounds the files of all sessions of which the last known version is kept.
const maxSights = 4096

// Capture collects the content of a file that is read block by block. A nil Capture collects nothing.
type Capture struct {
	data []byte
	over bool
}

// NewCapture returns a Capture if what is shown is kept, else nil.
func (w *Workspace) NewCapture() *Capture {
	if !w.reads.on {
		return nil
	}
	return &Capture{}
}

// Add adds a block.
func (c *Capture) Add(block []byte) {
	if c == nil || c.over {
		return
	}
	if c.over = len(c.data)+len(block) > maxReadFile; c.over {
		c.data = nil
		return
	}
	c.data = append(c.data, block...)
}

// NoteRead keeps what c collected of the file at a path below the root, unless that is too large.
func (w *Workspace) NoteRead(c *Capture, path, sum string) {
	if c == nil || c.over {
		return
	}
	r := &w.reads
	r.mu.Lock()
	defer r.mu.Unlock()
	old, _ := r.kept.put(version{path, sum}, Read{path, sum, string(c.data), time.Now()})
	r.bytes += len(c.data) - len(old.Data)
	r.expire()
}

// Reads returns what was shown of a path, the newest first; with a hash only what has it.
func (w *Workspace) Reads(path, sum string) (out []Read) {
	r := &w.reads
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expire()
	for k := range r.kept.newestFirst() {
		if k.Path == path && (sum == "" || sum == k.Sha256) {
			out = append(out, k)
		}
	}
	return out
}

// NoteKnown notes the version of the file at a path below the root that a session was shown, or that its call left. It keeps the hash
// alone.
func (w *Workspace) NoteKnown(session, path, sum string) {
	r := &w.reads
	if !r.on {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known.put(sessionFile{session, path}, sight{sum, time.Now()})
	r.known.dropOldest(func(s sight) bool { return r.known.len() > maxSights || s.expired() })
}

func (s sight) expired() bool { return time.Since(s.at) > maxReadAge }

// Known returns the hash of the last version of a path that a session was shown, or that its call left; "" if that is not on record.
func (w *Workspace) Known(session, path string) string {
	r := &w.reads
	r.mu.Lock()
	defer r.mu.Unlock()
	if s, ok := r.known.get(sessionFile{session, path}); ok && !s.expired() {
		return s.sum
	}
	return ""
}

// ForgetReads drops what was shown until a time.
func (w *Workspace) ForgetReads(until time.Time) {
	w.reads.mu.Lock()
	defer w.reads.mu.Unlock()
	w.reads.drop(func(k Read) bool { return !k.At.After(until) })
}

// expire drops what is too old or too much.
func (r *reads) expire() {
	r.drop(func(k Read) bool { return time.Since(k.At) > maxReadAge || r.bytes > maxReadBytes })
}

// drop drops the oldest as long as gone is true.
func (r *reads) drop(gone func(Read) bool) {
	r.kept.dropOldest(func(k Read) bool {
		if !gone(k) {
			return false
		}
		r.bytes -= len(k.Data)
		return true
	})
}
