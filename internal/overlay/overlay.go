// Package overlay runs a command that sees a directory, at its own path, as a writable overlay: what the command writes goes to a
// layer, and the directory stays as it is. The layer can then be read as a list of changes, and checked against what others did
// to the directory meanwhile. It works on Linux, where the system lets a user make namespaces, or lets root mount.
//
// The package changes nothing in the directory. It knows no log and no policy, and it is no security boundary: what a command does
// outside of the directory, through other mounts of it, or through programs that ran before, is done at once and for real.
//
// A run has three processes. The caller starts the supervisor, which is the same program executed again, in namespaces of its own.
// The supervisor mounts the overlay, starts the command, waits for it and for every process that it leaves behind, and at
// last makes the overlay read-only: the seal. A layer without a seal must not be applied, since somebody may still write to it.
package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/vfs"
)

// Options say what to run, and where.
type Options struct {
	// Root is the directory that the command sees as an overlay. Nothing may be mounted below it.
	Root string
	// Dir is the directory of the layer. It is made if it is missing, and must be empty. It may be below Root. Where it is on
	// the file system of Root, changes can be applied by renames.
	Dir string
	// Cwd is where the command starts, Root or below. "" is Root.
	Cwd  string
	Args []string
	Env  []string
	// Stdin, Stdout and Stderr are the command's, unchanged. nil is the null device.
	Stdin, Stdout, Stderr *os.File
	// Grace is how long processes that the command leaves behind may run on before they are ended. 0 is two seconds.
	Grace time.Duration
	// EndGrace is how long a process may take to end after SIGTERM, before it is killed. 0 is two seconds.
	EndGrace time.Duration
	// OwnerSearch is how long a search for files of other owners may take, beside the set-up, which takes about as long. 0 is 8 ms. What
	// is not found in that time is not refused; the command then fails where it changes such a file.
	OwnerSearch time.Duration
	// Confine keeps the command from writing outside of Root and of the directories in Writable; see package confine.
	Confine  bool
	Writable []string
	// Hold is open in the supervisor until the run has ended, also if the caller is killed: a lock on it says that the layer is in
	// use. The command does not get it. Optional.
	Hold *os.File
}

// Unsupported is the error of a run that cannot have an overlay here. Nothing was run, and nothing is left.
type Unsupported struct {
	Reason string // what is in the way, as half a sentence
	Hint   string // what a person can do about it; "" if nothing
	Err    error  // the system's error, if there is one
}

func (u *Unsupported) Error() string {
	s := "no overlay: " + u.Reason
	if u.Err != nil {
		s += " (" + u.Err.Error() + ")"
	}
	return s
}

// Unwrap returns the system's error.
func (u *Unsupported) Unwrap() error { return u.Err }

// Process is a process that a run left behind.
type Process struct {
	PID  int    `json:"pid"`
	Name string `json:"name"`
	File string `json:"file,omitempty"` // what it has open for writing
}

func (p Process) String() string {
	s := fmt.Sprintf("%s (process %d)", p.Name, p.PID)
	if p.File != "" {
		s += " writes " + p.File
	}
	return s
}

// Info is what is known of a run. It is kept beside the layer.
type Info struct {
	Version int       `json:"version"`
	Root    string    `json:"root"` // without symbolic links
	Cwd     string    `json:"cwd"`
	Args    []string  `json:"args"`
	Began   time.Time `json:"began"`
	Ended   time.Time `json:"ended,omitzero"` // zero if the run never ended: it was killed
	// Exit is the exit code of the command; 128 and the signal if a signal ended it; 126 or 127 if it could not be started.
	Exit   int `json:"exit"`
	Signal int `json:"signal,omitempty"`
	// NotStarted says why the command could not be started.
	NotStarted string `json:"notStarted,omitempty"`
	// Killed are the processes that outlived the command and its grace, and were ended.
	Killed []Process `json:"killed,omitempty"`
	// Sealed says that nobody can write to the layer any more. If not, Writers are those who may, as far as they were found.
	Sealed  bool      `json:"sealed"`
	Writers []Process `json:"writers,omitempty"`
	// Renames says that directories can be renamed in the overlay.
	Renames bool `json:"renames"`

	T0      int64             `json:"t0"`    // the time of change that everything untouched since has not reached, in ns
	Clock   int64             `json:"clock"` // when the machine was started, by its clock: less than that later means a clock that was set back
	Boot    string            `json:"boot"`
	Synced  bool              `json:"synced,omitempty"`
	RootDev uint64            `json:"rootDev"`
	RootIno uint64            `json:"rootIno"`
	Xattr   string            `json:"xattr"`          // "user." or "trusted.": where the overlay keeps its marks
	DirInos map[string]uint64 `json:"dirs,omitempty"` // the inodes of the directories in which the layer has something
	// Copied are the files that were copied up and have lost the mark that says so: see [Layer.Unmark].
	Copied []string `json:"copied,omitempty"`
}

// Layer is the layer of a run that has ended.
type Layer struct {
	Info
	Dir string
}

// Kind is the type of what a change leaves at its path.
type Kind string

// The kinds of changes.
const (
	File    Kind = "file"
	Symlink Kind = "symlink"
	Special Kind = "special" // a fifo, a socket or a device
	Dir     Kind = "directory"
	Deleted Kind = "deleted"
)

// Change is one path that the command left otherwise than it is in the directory.
type Change struct {
	Path string // from the root, with slashes
	Kind Kind
	// New is what the layer has at the path; zero for Deleted. Two changes with the same New.ID are hard links of each other.
	New    vfs.Info
	Target string // of a symbolic link
	// Old is what the directory has at the path now; nil for nothing.
	Old *vfs.Info
	// Whole says of a directory that the layer has all of it: it is new, or replaces what was there.
	Whole bool
	// SameContent says that only owner, permissions or attributes differ.
	SameContent bool
	// Inside and OldInside are of a directory that is one change with all that is in it: what the layer has in it, nil if the directory is
	// deleted, and what is in the one that is there now, nil if there is none.
	Inside, OldInside *Inside
	// copied: the file was copied from one that was there, under this name or another.
	copied bool
	// removed: the directory was there, and is not any more.
	removed bool
}

// Inside is what is in a directory that is one change.
type Inside struct {
	Paths  []string // of all that is in it, from the root: a directory before what is in it
	Sum    string   // its [vfs.DirSum]
	Files  int      // what is no directory
	Bytes  int64    // in regular files
	newest time.Time
	marked []string // paths with marks of the overlay
}

// Moved is a path that somebody else changed while the command ran.
type Moved struct {
	Path string
	Why  string
}

func (m Moved) String() string { return m.Path + ": " + m.Why }

// ErrNoLayer is the error of Open for a directory that is no layer.
var ErrNoLayer = errors.New("there is no layer")

// Usable reports why the layer must not be applied, or nil.
func (l *Layer) Usable() error {
	switch {
	case l.Ended.IsZero():
		return errors.New("the run was interrupted before it ended")
	case !l.Sealed && len(l.Writers) > 0:
		return fmt.Errorf("%s: end it, or discard the layer", l.Writers[0])
	case !l.Sealed:
		return errors.New("something may still write to the layer")
	case l.Boot != bootID() && !l.Synced:
		return errors.New("the machine was restarted since, and the layer was not synced before")
	}
	return nil
}

// Path returns where the layer has the file of a change. [Layer.Unmark] removes what the overlay has added to it.
func (l *Layer) Path(c Change) string { return l.upper() + "/" + c.Path }

func (l *Layer) upper() string { return l.Dir + "/" + upperName }

const (
	upperName  = "upper"
	workName   = "work"
	infoName   = "layer.json"
	goneName   = "gone" // what was the layer, while it is removed
	markerName = "time"
)

// kindOf returns the kind of a file that exists.
func kindOf(m fs.FileMode) Kind {
	switch {
	case m.IsRegular():
		return File
	case m.IsDir():
		return Dir
	case m&fs.ModeSymlink != 0:
		return Symlink
	}
	return Special
}

// below reports whether path is dir or below it.
func below(path, dir string) bool {
	return path == dir || dir == "." || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
