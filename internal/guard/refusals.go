package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/emend-dev/emend/fail"
)

// errNotDirectory is the kernel's error for a file where a directory should be.
const errNotDirectory = syscall.ENOTDIR

// asRefusal turns an error of the operating system into a refusal, and leaves a refusal as it is.
func asRefusal(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fail.Error](err); ok {
		return err
	}
	e := &fail.Error{Kind: fail.CommandFailed, Path: path, Msg: rootCause(err).Error(), Cause: err,
		Hint: "See to the cause, which the operating system reported, and try again."}
	for _, row := range systemErrors {
		if errors.Is(err, row.err) {
			e.Kind, e.Reason, e.Msg, e.Hint = row.kind, row.reason, row.msg, row.hint
			break
		}
	}
	return e
}

var systemErrors = []struct {
	err       error
	kind      fail.Kind
	reason    string
	msg, hint string
}{
	{fs.ErrNotExist, fail.NotFound, "", "no such file or directory",
		"Check the path, or list the directory that should have it."},
	{fs.ErrPermission, fail.PermissionDenied, "", "the operating system denies permission",
		"A person has to change the permissions of the file or of a directory above it."},
	{errMoved, fail.Stale, "", errMoved.Error(), "Try again when nothing else moves them."},
	{syscall.EAGAIN, fail.Stale, "", "another program has it open exclusively", "Try again when that has finished."},
	{errLink, fail.Stale, "", "a directory on the way became a link", "Look at the path again."},
	{errNotDirectory, fail.NotFound, "", "not a directory", "Name a path that goes through directories only."},
	{syscall.ENAMETOOLONG, fail.CommandFailed, fail.BadArguments, "the path is too long for the file system",
		"Use a shorter path."},
	{syscall.ELOOP, fail.CommandFailed, fail.BadArguments, "the links on the way lead in a circle",
		"Mend the links, or name the file without them."},
}

// rootCause returns the innermost error: the system's words without a path of ours.
func rootCause(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

func refuseArgument(path, msg, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: path, Msg: msg, Hint: hint}
}

func refuseOutside(path, msg string) error {
	return &fail.Error{Kind: fail.OutsideWorkspace, Path: path, Msg: msg,
		Hint: "Name a path inside the workspace; nothing outside it can be touched."}
}

func refuseNotDirectory(path, name string) error {
	return &fail.Error{Kind: fail.NotFound, Path: path, Msg: fmt.Sprintf("%s is not a directory", fail.Quote(name)),
		Hint: "Name a path that goes through directories only.", Cause: errNotDirectory}
}

// refuseUnreadable refuses to read a file that is not regular.
func refuseUnreadable(path string, is fileInfo, target string) error {
	switch is.kind() {
	case Directory:
		return &fail.Error{Kind: fail.NotFound, Path: path, Msg: fmt.Sprintf("%s is a directory", fail.Quote(path)),
			Hint: "List the directory, and name a file in it."}
	case Symlink:
		return refuseSpecial(path, fmt.Sprintf("is a symbolic link to %s", fail.Quote(target)),
			"Patch the target itself, by its own path.")
	}
	return refuseSpecial(path, "is a "+specialKind(is.mode)+", not a regular file", "Only regular files can be read and patched.")
}

func refuseSpecial(path, msg, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: path, Msg: msg, Hint: hint}
}

func specialKind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "FIFO"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	}
	return "special file"
}

func refuseCancelled(ctx context.Context, path string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Path: path, Msg: "the reading was cancelled",
		Hint: "Nothing was changed; ask again.", Cause: context.Cause(ctx)}
}

// refuseNewLink words the error for a name that was a regular file a moment before.
func refuseNewLink(path string, err error) error {
	if errors.Is(err, errLink) {
		return refuseSpecial(path, "became a symbolic link", "Look at the path again.")
	}
	return err
}
