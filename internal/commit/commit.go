// Package commit carries out plans: it alone writes to users' files. It decides nothing about contents and nothing
// about policy. All of that is settled in the transaction that it is given, or it refuses.
//
// Every change to a tree goes through these steps, also that of a single file:
//
//  1. Stage, without the lock: write every new content into a slot of the store, a fresh file with the owner, mode and attributes of the file that it will replace. Sync each slot, then the directory of the slots.
//  2. Take the lock, and verify that every path still has what the plan saw.
//  3. Append one record to the log, synced. This is the commit point. From here on the transaction will be finished, after a crash by [Store.Recover]. Before it, nothing has happened.
//  4. Apply: first make directories, put new files in place and move files, since only these can run out of space; then exchange each target with its slot in one rename; then rename each deleted file onto its slot. After each rename, the file that came out must be the one that was verified. If it is not, somebody saved in between, and everything is taken back.
//  5. Sync every directory in which a name changed, and answer. Displaced files stay in the slots.
//
// So a commit costs N + 2 + D syncs: N new contents, the directory of the slots and the log, and D directories touched.
// On a file system without a journal it costs one more, for the record that the transaction was applied. Transactions of one
// process that wait for the lock at the same time share the last three kinds of syncs: see group.go.
//
// Not promised: a reader that opens several files while step 4 runs may see some old and some new; each single file is
// always whole. A program that opened a file for writing before step 4, where no lease is possible, and writes after
// it, writes into the slot. Programs that do not use this package do not wait for its lock: they are noticed, not
// stopped.
package commit

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/patch"
)

// Tree opens directories of the tree that a store belongs to.
type Tree interface {
	// OpenDir opens the directory at a slash path from the top, "." for the top itself. It follows no link and stays on
	// the mount of the top.
	OpenDir(path string) (vfs.Dir, error)
}

// Tx is a transaction to carry out.
type Tx struct {
	// Record is the log record of the transaction: kind, actor, request, key and operations. Run fills in the rest.
	Record  audit.Record
	Changes []Change
	// Texts is called when all is done. What it returns is stored beside the displaced files: the diff, and the answer
	// if the transaction has a key. Optional.
	Texts func(*Done) (diff, answer string)
	// RemoveDirs lists directories, as slash paths from the top, to remove when all else is done, if they are empty
	// then. A path that is not an empty directory, or that cannot be removed, stays without a note.
	RemoveDirs []string
	// MakeDirs lists directories, as slash paths from the top, to make where they are missing, together with those above them.
	MakeDirs []string
	// DirModes has the permissions of directories that are made, by their paths from the top. Others get what the system gives a new
	// directory. Optional.
	DirModes map[string]fs.FileMode
	// Refused words a refusal for the log. A refusal that is found while the lock is held is logged at once, and has
	// [fail.Error.Noted] set then; the caller logs others. Optional.
	Refused func(error) audit.Record
	// Check is called with the lock held, when every path was found to have what the plan saw. If it returns an error,
	// nothing is changed. It is for what a transaction in between can make untrue, beside the paths. Optional.
	Check func() error
	// Files is where the finished files of New.File are, on the mount of the store or elsewhere.
	Files Tree
	// Progress is told how many files are staged. Optional.
	Progress func(done, total int)
}

// Change is what happens to one path: the net effect of however many steps of the plan.
type Change struct {
	Path string // slash path from the top
	// Parent is the deepest directory on the way to Path that existed when the guard judged the path. Missing counts
	// the directories below it that do not exist.
	Parent  vfs.ID
	Missing int
	Old     *Old // what is at Path; nil for nothing
	New     *New // what is to be at Path; nil for nothing
	// Discard says that Old is not kept once the transaction is done. A directory never is.
	Discard bool
}

// Old is what was at a path when it was read.
type Old struct {
	vfs.Info
	Sum  string // sha256 of a regular file's content; the [vfs.DirSum] of a directory, which is one change with all that is in it
	Link string // target of a symbolic link
}

// New is what is to be at a path.
type New struct {
	Content, Sum string
	// From is the index of the change whose old file lends owner, mode and attributes; -1 for a new file.
	From int
	// Move says that the old file of change From is moved here as it is. That change has no New.
	Move bool
	Exec bool // a new file is executable
	// Mode makes a file that has its mode from another one executable, for everybody who may read it, or not executable.
	Mode patch.Mode
	// FromSlot is a slot of an earlier transaction. Its file comes back here as it is, with mode, owner, attributes and
	// links, and leaves the history. It may be a symbolic link. Sum is what the caller expects of it: the sha256 of the
	// content, or of the target of a link; "" accepts any. Content, From, Move and Exec do not count.
	FromSlot string
	// LikeSlot is a slot of an earlier transaction whose file lends owner, mode and attributes to a new file, if From
	// does not.
	LikeSlot string
	// File is a slash path in the Files of the transaction. Its file, or symbolic link, comes to the path as it is, with owner, mode, times,
	// attributes and hard links, and is never held in memory. Where a second name is possible, the very file does; else a copy.
	// Sum is what the caller expects of it, as with FromSlot. Content, From, Move and Exec do not count. When all is done its name in
	// Files is removed; if the transaction fails, it stays.
	File string
	// FileInfo is the file as the caller judged it; nil accepts any.
	FileInfo *vfs.Info
	// Dir is a slash path in the store. The directory there comes to the path as it is, with all that is in it, by one rename. Sum is
	// its [vfs.DirSum]. If a directory was at the path, that one is in its place in the store when all is done; if the transaction
	// fails, Dir stays. Nothing but Sum and FileInfo counts beside it.
	Dir string
	// TouchNow sets the modification time to now when all is done, for build tools. It is not promised to succeed.
	TouchNow bool
}

// Done is the result of a transaction.
type Done struct {
	Tx    string
	Head  audit.Head
	Slots []string // for each change, the slot that keeps the displaced file; "" if there is none
	Notes []string // one sentence each for what a person should know
	// Earlier is set if a transaction with the same key was committed before. Then nothing was done now.
	Earlier   *audit.Record
	Recovered *Outcome // what recovery did before the transaction
}

// Options configure a store.
type Options struct {
	NoSync bool // survive kill -9 but not a power cut
	// Links gives old and new contents second names, for file systems that can lose both names of a rename in a power
	// cut. NoSync promises nothing there, so with it there are none.
	Links  bool
	Holder string // text in the lock file that identifies the holder
	Now    func() time.Time
	// Patience is how long a commit waits for a program that has a file open for writing.
	Patience time.Duration
}

// secondNames reports whether old and new contents get second names.
func (o Options) secondNames() bool { return o.Links && !o.NoSync }

func (o Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func isLink(m fs.FileMode) bool { return m&fs.ModeSymlink != 0 }

// Outcome is what recovery found and did.
type Outcome = api.Recovery

// The ends of a transaction.
const (
	Complete  = api.Complete
	Finished  = api.Finished
	TakenBack = api.TakenBack
)

// RecoveryNotes words a recovery for a caller who asked for something else.
func RecoveryNotes(r *api.Recovery) []string {
	if r == nil || r.End == "" {
		return nil
	}
	var out []string
	for _, tx := range r.All() {
		out = append(out, fmt.Sprintf("Before this, the interrupted transaction %s was %s.", tx.Tx, tx.End))
	}
	return append(out, r.Notes...)
}
