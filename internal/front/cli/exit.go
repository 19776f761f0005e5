package cli

import (
	"errors"

	"github.com/emend-dev/emend/fail"
)

// The exit codes: done, refused with nothing changed, wrong usage, undecided.
const (
	exitDone = iota
	exitRefused
	exitUsage
	exitUndecided
)

// exitCodes is the one table from kinds of errors to exit codes.
var exitCodes = map[fail.Kind]int{
	fail.NotFound:         exitRefused,
	fail.AlreadyExists:    exitRefused,
	fail.PermissionDenied: exitRefused,
	fail.OutsideWorkspace: exitRefused,
	fail.BinaryFile:       exitRefused,
	fail.FileTooLarge:     exitRefused,
	fail.Stale:            exitRefused,
	fail.OldTextNotFound:  exitRefused,
	fail.MultipleMatches:  exitRefused,
	fail.Overlapping:      exitRefused,
	fail.PatchParse:       exitRefused,
	fail.PatchApply:       exitRefused,
	fail.CommandFailed:    exitRefused,
	fail.Timeout:          exitRefused,
	fail.Unknown:          exitRefused,
}

// errPrinted marks a refusal that is printed already.
var errPrinted = errors.New("refused")

// isPrinted reports whether there is nothing left to say about an error.
func isPrinted(err error) bool {
	_, ended := errors.AsType[exitError](err)
	return ended || errors.Is(err, errPrinted)
}

func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if _, ok := errors.AsType[*usageError](err); ok {
		return exitUsage
	}
	if e, ok := errors.AsType[exitError](err); ok {
		return int(e)
	}
	if e, ok := errors.AsType[*fail.Error](err); ok {
		if e.Kind == fail.CommandFailed && e.Reason == fail.Indeterminate {
			return exitUndecided
		}
		return exitCodes[e.Kind]
	}
	return exitRefused
}
