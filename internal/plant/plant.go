// Package plant keeps known bugs alive, so that the tests that claim to catch them can be seen to fail. In a build with the
// tag planted, the variable EMEND_PLANT names the bug that the program has. In every other build it has none.
package plant

// Bug is one way in which a commit could be wrong.
type Bug string

// The bugs.
const (
	NoStageSync    Bug = "no-stage-sync"    // staged files are not synced before the commit point
	NoDirSync      Bug = "no-dir-sync"      // neither the directory of the slots nor the touched directories are synced
	NoLink         Bug = "no-link"          // no second names where the file system has no journal
	LogAfterApply  Bug = "log-after-apply"  // the record is written after the files were changed
	NoWalkBack     Bug = "no-walk-back"     // a failure in the middle leaves what was applied
	NoVerify       Bug = "no-verify"        // displaced files are not compared with the plan
	NoUnlinkBack   Bug = "no-unlink-back"   // a file that came back stays in the history as well
	BackMovesEarly Bug = "back-moves-early" // a file that comes back leaves the history before the commit point
)

// Bugs lists them all.
var Bugs = []Bug{NoStageSync, NoDirSync, NoLink, LogAfterApply, NoWalkBack, NoVerify, NoUnlinkBack, BackMovesEarly}
