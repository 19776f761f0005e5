package plan

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/fail"
)

func stale(p, want, have, msg string) *fail.Error {
	return &fail.Error{Kind: fail.Stale, Path: p, Want: want, Have: have, Msg: msg,
		Hint: "Re-read the file to obtain the current sha256 and re-apply your edit."}
}

// changedSince refuses a file that is not what the caller expects.
func changedSince(p, want, have string) *fail.Error {
	return stale(p, want, have, "the file changed since it was read")
}

func exists(p, msg, hint string) error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: msg, Hint: hint}
}

func isDirectory(p string) error {
	return &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: p, Msg: "is a directory, not a file",
		Hint: "List the directory and name a file in it."}
}

// cancelled is the refusal of a plan whose context has ended.
func cancelled(err error) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: err,
		Msg: "cancelled while planning", Hint: "Nothing was changed; send the patch again."}
	if errors.Is(err, context.DeadlineExceeded) {
		e.Kind, e.Reason, e.Msg = fail.Timeout, "", "the time ran out while planning"
	}
	return e
}
