package commit

import (
	"time"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// order is the order in which a transaction performs its acts: first those that can run out of space.
var order = []audit.Do{audit.DoMkdir, audit.DoPutDir, audit.DoPut, audit.DoMove, audit.DoTakeDir, audit.DoSwapDir, audit.DoSwap, audit.DoTake, audit.DoRmdir}

// act is one step of a transaction: its record, and what is known and held for it.
type act struct {
	audit.Act
	change int // index of its change; -1 for a directory

	oldInfo vfs.Info // the verified file at Path
	// linkedAt is the time of change of the old file after it got its second name; zero if it got none.
	linkedAt  time.Time
	staged    vfs.File // the new file, until it is on disk
	held      vfs.File // keeps the inode number of the verified file from being used again
	heldEarly bool     // held since it was staged
	// lease ends the lease, and reports whether somebody asked to write.
	lease      func() bool
	recent     bool     // the file changed so recently that its time may not show a later change
	stagedInfo vfs.Info // the file in the slot
	lostAttrs  []string // attributes that the file in the slot could not be given

	dirChanged bool // mkdir: this transaction made the directory; rmdir: it removed it
	undoable   bool // done, and can be undone
	certain    bool // after a crash: it was certainly done

	source vfs.Info // the file of the history that comes back, as it was staged
	done   bool     // done, now or before a crash
	placed bool     // put, swap: the new file is at Path
	// dirEmpty is for rmdir after a crash: the directory is empty.
	dirEmpty bool
}

// onDirectory reports whether the act makes or removes an empty directory. All others move a file, or a directory with what is in it.
func (a *act) onDirectory() bool { return a.Do == audit.DoMkdir || a.Do == audit.DoRmdir }

// releaseLease ends the lease and reports whether somebody asked to write meanwhile.
func (a *act) releaseLease() (asked bool) {
	if a.lease != nil {
		asked = a.lease()
		a.lease = nil
	}
	return asked
}

// recentChange is how old a change must be for its time to tell it from a later one: some file systems store whole
// seconds, or two.
const recentChange = 2100 * time.Millisecond

// recentTick is the same for the time of change, which the kernel sets from its own clock, on file systems that store
// fractions of a second. That clock ticks at least a hundred times a second.
const recentTick = 20 * time.Millisecond
