package audit

import (
	"errors"
	"fmt"

	"github.com/emend-dev/emend/fail"
)

// Corrupt reports a bad record with good ones after it, or two records that do not belong together. A crash does not
// leave this. It refuses writes; a person can continue in a new segment with [Log.Restart].
type Corrupt struct {
	Segment string // file name
	Line    int    // 1-based
	Seq     uint64 // number of the last good record before it; 0 if there is none
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

// NotWritten reports that a record was not written and never will be. The log is as it was before the call.
type NotWritten struct {
	Cause error
	// Voided is set if the record was written but its sync failed, and the next segment declares it void.
	Voided bool
}

func (e *NotWritten) Error() string { return fmt.Sprintf("the log could not be written: %v", e.Cause) }

// Unwrap returns the refusal, and through it the cause.
func (e *NotWritten) Unwrap() error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Msg: e.Error(), Cause: e.Cause,
		Hint: "Nothing was changed. See to the cause, which the operating system reported, and try again."}
}

// Undecided reports that nobody can know whether a record will be in the log after a restart of the machine. The log
// accepts no more records until it is opened again.
type Undecided struct{ Cause error }

func (e *Undecided) Error() string {
	return fmt.Sprintf("the log could not be written, nor the record be declared void: %v", e.Cause)
}

// Unwrap returns the refusal, and through it the cause.
func (e *Undecided) Unwrap() error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Msg: e.Error(), Cause: e.Cause,
		Hint: "See to the cause, which the operating system reported; the next call then finishes or reverts the change."}
}

// Unsupported reports a record of a later version of the log.
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

// asCorrupt separates a damage from an error of reading.
func asCorrupt(err error) (*Corrupt, error) {
	if c, ok := errors.AsType[*Corrupt](err); ok {
		return c, nil
	}
	return nil, err
}

var (
	errOtherWriter  = errors.New("the log was written by somebody else meanwhile")
	errReservedKind = errors.New("only the log itself begins segments")
)
