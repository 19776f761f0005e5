// Package commit makes a plan true: it alone writes to users' files. It decides nothing about contents and nothing
// about policy; all of that is settled in what it is given, or it refuses.
//
// A transaction goes through these steps, and every change to a tree does, also that of a single file:
//
//  1. Stage, without the lock: every new content goes into a slot of the store, a fresh file with the owner, mode
//     and attributes of the one that it will replace. Each is synced, then the directory of the slots.
//  2. Lock, and verify that every path still has what the plan saw.
//  3. Append one record to the log, synced. This is the commit point: from here on the transaction will be finished,
//     if need be by [Store.Recover] after a crash. Before it, nothing has happened.
//  4. Apply: new directories, new files and moves first, since only they can run out of space; then a target and its
//     slot are exchanged in one step; then what is deleted is renamed onto its slot. After each, the file that came
//     out must be the one that was verified. If it is not, somebody saved in between, and everything is taken back.
//  5. Sync every directory in which a name changed, and answer. What was displaced stays in the slots.
//
// So a commit costs N + 2 + D syncs: its new contents, the slots' directory and the log, the directories touched. On a
// file system without a journal it costs one more, for the mark that it was applied.
//
// What is not promised: a reader that opens several files while step 4 runs may see some old and some new; each
// single file is always whole. A program that opened a file for writing before step 4, without a lease being
// possible here, and writes after it, writes into the slot. And programs that do not use this room do not wait for its
// lock: they are noticed, not stopped.
package commit

import (
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// Tree opens the directories of the tree that a store belongs to.
type Tree interface {
	// OpenDir opens the directory at a slash path from the top, "." being the top, through no link and on the top's
	// own mount.
	OpenDir(path string) (vfs.Dir, error)
}

// Tx is a transaction to be made.
type Tx struct {
	// Record is what the log is to say of it: kind, actor, request, key and what was asked for. The rest is filled in.
	Record  audit.Record
	Changes []Change
	// Texts is called when all is done; what it returns is kept beside what was displaced: the diff, and the answer
	// if the transaction has a key. Optional.
	Texts func(*Done) (diff, answer string)
	// RemoveDirs lists directories, as slash paths from the top, that go when all else is done and they are empty. One
	// that is not, or is none, or cannot be removed, stays without a word.
	RemoveDirs []string
	// Refused words a refusal for the log. One that is found while the lock is held is noted at once, and is then
	// [fail.Error.Noted]; others are the caller's to note. Optional.
	Refused func(error) audit.Record
	// Progress is told how many files are staged. Optional.
	Progress func(done, total int)
}

// Change is what becomes of one path: the net effect, whatever the number of steps that led to it.
type Change struct {
	Path string // slash path from the top
	// Parent is the deepest directory on the way to Path that existed when the path was judged, and Missing the
	// number of directories below it that do not exist.
	Parent  vfs.ID
	Missing int
	Old     *Old // what stands there; nil when nothing does
	New     *New // what is to stand there; nil when nothing is
	// Discard says that what stands there now is not to be kept once the transaction is done.
	Discard bool
}

// Old is what stood at a path when it was read.
type Old struct {
	vfs.Info
	Sum  string // sha256 of a regular file's content
	Link string // what a symbolic link says
}

// New is what is to stand at a path.
type New struct {
	Content, Sum string
	// From is the index of the change whose old file lends owner, mode and attributes; -1 for a new file.
	From int
	// Move says that the file of From itself is to stand here, as it is; From's change has no New.
	Move bool
	Exec bool // a new file is executable
	// FromSlot is the slot of an earlier transaction whose file itself is to stand here, as it is, with its mode, owner,
	// attributes and links; it may be a symbolic link. It leaves the history. Sum is what the caller expects of it: the
	// sha256 of its content, or of what a link says; "" for whatever it has. Content, From, Whole and Exec do
	// not count.
	FromSlot string
	// LikeSlot is the slot of an earlier transaction whose file lends owner, mode and attributes to a new file, where From
	// does not.
	LikeSlot string
	// TouchNow says that the time of the last change becomes now when all is done, for build tools. It is no promise.
	TouchNow bool
}

// Done is what a transaction did.
type Done struct {
	Tx    string
	Head  audit.Head
	Slots []string // for each change, the name under which what it displaced is kept; "" for none
	Notes []string // what a person should know, one sentence each
	// Earlier is set when the transaction's key was committed before: then nothing was done now.
	Earlier   *audit.Record
	Recovered *Outcome // what recovery in front of it did
}

// Options are how a store works.
type Options struct {
	NoSync bool // survive kill -9 but not a power cut
	// Links makes second names of new and old contents, for file systems that can lose both names of a rename when the
	// power goes. With NoSync, which promises nothing of that, there are none.
	Links  bool
	Holder string // what the lock says of its holder
	Now    func() time.Time
}

// secondNames reports whether second names are made.
func (o Options) secondNames() bool { return o.Links && !o.NoSync }

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}
