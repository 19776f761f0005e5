package suggest

// The search for near places costs no more than placing did. It walks the file twice for all failing hunks
// together: once to see whether their outcome is there already, once to let every line of a hunk vote for where
// the hunk begins. Only the first refusal.MaxExplained hunks of at most maxLines lines take part; a line of the file that
// more than maxVotes others equal does not vote; and hunks without any vote compare their longest line with at
// most maxScan bytes of the file. A hunk is aligned with at most maxAlignments places, at each of them no further than
// maxSlack lines from where the votes put it. A last walk proves the corrected hunks.
const (
	maxLines      = 2000
	maxVotes      = 32
	maxScan       = 4 << 20
	maxAlignments = 6
	maxSlack      = 24
	maxParts      = 50       // of a hunk, with an ellipsis between any two
	maxCosts      = 5000     // about how many lines of a long part, times its slack, are compared
	maxOmitted    = 400      // lines of the file that an ellipsis stands for
	maxCorrected  = 64 << 10 // bytes of a corrected hunk: a longer one would hardly be sent back
)
