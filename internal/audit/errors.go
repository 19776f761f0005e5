package audit

import (
	"fmt"

	"github.com/emend-dev/emend/fail"
)

// Corrupt is a broken record with whole ones after it, or two that do not belong together: not what a crash leaves.
// It refuses writes; a person can go on in a new segment, with [Log.Restart].
type Corrupt struct {
	Segment string // the name of the file
	Line    int    // 1-based
	Seq     uint64 // of the last good record before it; 0 when there is none
	Why     string
}

func (e *Corrupt) Error() string {
	return fmt.Sprintf("the log is damaged: segment %s, line %d, after record %d: %s", e.Segment, e.Line, e.Seq, e.Why)
}

// Unwrap returns the refusal.
func (e *Corrupt) Unwrap() error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Msg: e.Error(),
		Hint: "Keep a copy of the log, find out what changed it, and go on in a new segment; the gap stays on record."}
}

// NotWritten says that a record was not written and never will be: the log is as it was before the call.
type NotWritten struct {
	Cause error
	// Voided: it was written, the sync failed, and the segment after it says that it does not count.
	Voided bool
}

func (e *NotWritten) Error() string { return fmt.Sprintf("the log could not be written: %v", e.Cause) }

// Unwrap returns the refusal, and through it the cause.
func (e *NotWritten) Unwrap() error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Msg: e.Error(), Cause: e.Cause,
		Hint: "Nothing was changed. See to the cause, which the operating system reported, and try again."}
}

// Undecided says that nobody can know whether a record will be in the log when the machine starts again. The log
// takes no more records until it is opened anew.
type Undecided struct{ Cause error }

func (e *Undecided) Error() string {
	return fmt.Sprintf("the log could not be written, nor the record be declared void: %v", e.Cause)
}

// Unwrap returns the refusal, and through it the cause.
func (e *Undecided) Unwrap() error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Msg: e.Error(), Cause: e.Cause,
		Hint: "See to the cause, which the operating system reported; the next call then finishes or reverts the change."}
}

// Unsupported says that a record is of a later version of the log.
type Unsupported struct {
	Seq     uint64
	Version int
}

func (e *Unsupported) Error() string {
	return fmt.Sprintf("record %d of the log is of version %d, and this emend reads version %d", e.Seq, e.Version, version)
}

// Unwrap returns the refusal.
func (e *Unsupported) Unwrap() error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Msg: e.Error(),
		Hint: "Use the emend that wrote the log, or a later one."}
}
