package plant

// Bug is one way in which a commit could be wrong.
type Bug string

// The bugs.
const (
	NoStageSync    Bug = "no-stage-sync"    // staged files are not synced before the commit point
	NoDirSync      Bug = "no-dir-sync"      // neither the staging directory nor the touched ones are synced
	NoLink         Bug = "no-link"          // no second links where the file system has no journal
	LogAfterApply  Bug = "log-after-apply"  // the record is written when the files have been changed
	NoWalkBack     Bug = "no-walk-back"     // a failure in the middle leaves what was applied
	NoVerify       Bug = "no-verify"        // what was displaced is not compared with what was planned on
	NoUnlinkBack   Bug = "no-unlink-back"   // what was brought back stays in the history as well
	BackMovesEarly Bug = "back-moves-early" // what is to be brought back leaves the history before the commit point
)

// Bugs lists them all.
var Bugs = []Bug{NoStageSync, NoDirSync, NoLink, LogAfterApply, NoWalkBack, NoVerify, NoUnlinkBack, BackMovesEarly}
