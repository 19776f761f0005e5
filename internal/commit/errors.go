package commit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/vfs"
)

// stale reports that a path no longer has what the plan saw.
func stale(path, msg, want, have string) *fail.Error {
	return &fail.Error{Kind: fail.Stale, Path: path, Msg: msg, Want: want, Have: have,
		Hint: "Re-read the file to obtain the current sha256 and re-apply your edit."}
}

// reachError words an error in reaching what the plan saw. A path that is missing now, or of another kind, has changed.
func reachError(path string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*fail.Error](err); ok && e.Kind != fail.NotFound {
		return err
	}
	for _, gone := range []error{fail.NotFound, fs.ErrNotExist, fs.ErrExist, syscall.ENOTDIR, syscall.EISDIR, syscall.ELOOP, vfs.ErrNotRegular} {
		if errors.Is(err, gone) {
			e := stale(path, "it changed since it was read: "+cause(err).Error(), "", "")
			e.Cause = err
			return e
		}
	}
	return diskError(path, err)
}

// diskError words a refusal of the disk.
func diskError(path string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fail.Error](err); ok {
		return err
	}
	e := &fail.Error{Kind: fail.CommandFailed, Path: path, Disk: true, Msg: cause(err).Error(), Cause: err,
		Hint: "See to the cause, which the operating system reported, and send the patch again."}
	if busy, ok := errors.AsType[*vfs.InUseError](err); ok {
		e.Msg, e.Hint = busy.Error(), "Wait until it has finished, or close the file there, and send the patch again."
		return e
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		e.Hint = "Make room on the disk, and send the patch again."
	case errors.Is(err, syscall.EROFS):
		e.Hint = "The file system is read-only; a person has to mount it for writing."
	case errors.Is(err, fs.ErrPermission):
		e.Kind = fail.PermissionDenied
		e.Hint = "A person has to change the permissions or attributes of the file or of its directory."
	case errors.Is(err, syscall.EXDEV):
		e.Reason = fail.MountPoint
		e.Hint = "The path and the store are on different mounts; open the mount as a workspace of its own."
	case errors.Is(err, syscall.EBUSY):
		e.Reason = fail.MountPoint
		e.Hint = "The path is a mount point or in use by the system; it cannot be replaced."
	}
	return e
}

// storeError words a failure to write the store.
func storeError(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fail.Error](err); ok {
		return err
	}
	if errors.Is(err, history.ErrDamaged) {
		return DamagedPack(err)
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err,
		Msg:  "the store cannot be written: " + cause(err).Error(),
		Hint: "Nothing was changed. ‹Run doctor›: it says where the store is and what is wrong with it."}
}

// DamagedPack words that a pack of the history is damaged that may have what is to be read or removed.
func DamagedPack(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err,
		Msg: "a part of the history cannot be read: " + err.Error(),
		Hint: "Nothing was changed, since nobody can say what that file of the store has. A person can bring it back from a backup, or remove it; " +
			"what it has of the history is lost then."}
}

func cannotKeep(path string, err error) error {
	return &fail.Error{Kind: fail.PermissionDenied, Path: path, Cause: err,
		Msg:  fmt.Sprintf("its owner or permissions cannot be kept: %v", cause(err)),
		Hint: "A person has to run emend as the owner of the file, or change the owner first."}
}

// indeterminate reports that nobody can say before recovery how the transaction ends.
func indeterminate(err error) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Disk: true, Cause: err,
		Msg:  fmt.Sprintf("the disk failed in the middle of the commit, and it is undecided whether the patch is applied: %v", cause(err)),
		Hint: "See to the disk, then ‹run recover›: it finishes the patch or takes it back. Until then nothing else is written."}
}

// defect reports a panic in a transaction. The cause has its stack.
func (t *transaction) defect(p *panics.Value) error {
	if !t.committed {
		return &fail.Error{Kind: fail.Unknown, Cause: p, Msg: p.Error(), Hint: "Nothing was changed. Please report it."}
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Indeterminate, Cause: p,
		Msg:  fmt.Sprintf("%v; it stopped the commit in the middle, and it is undecided whether the patch is applied", p),
		Hint: "‹Run recover›: it finishes the patch or takes it back; so does the next call that writes. Please report it."}
}

// cause returns the innermost error, that of the system.
func cause(err error) error {
	for {
		switch u := err.(type) {
		case interface{ Unwrap() []error }:
			all := u.Unwrap()
			if len(all) == 0 {
				return err
			}
			err = all[0]
		case interface{ Unwrap() error }:
			next := u.Unwrap()
			if next == nil {
				return err
			}
			err = next
		default:
			return err
		}
	}
}

func notKept(path, slot string) *fail.Error {
	return &fail.Error{Kind: fail.NotFound, Path: path,
		Msg:  fmt.Sprintf("nothing is kept as %s any more: it was restored or cleared since", fail.Quote(slot)),
		Hint: "Nothing was changed. List the trash to see what it has now."}
}

func keptChanged(path, slot, want, have string) *fail.Error {
	e := stale(path, fmt.Sprintf("what is kept as %s has been written to since it was put there", slot), want, have)
	e.Hint = "Nothing was changed. List the trash to see what it has now, and ask for it once more."
	return e
}

func alreadyInPlace(path, slot string) *fail.Error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: path,
		Msg:  fmt.Sprintf("the very file that is kept as %s stands here under another of its names", slot),
		Hint: "Nothing was changed, and nothing has to be: restore it to another path if you need it there too."}
}

func cannotLinkKept(path, slot string, err error) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem, Path: path, Cause: err,
		Msg:  fmt.Sprintf("the symbolic link kept as %s cannot be given a second name here: %v", slot, cause(err)),
		Hint: "Nothing was changed. Make the link anew; what it says is in the trash."}
}

func cancelled(ctx context.Context) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: context.Cause(ctx),
		Msg: "cancelled before anything was changed", Hint: "Nothing was changed; send the patch again."}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Kind, e.Reason, e.Msg = fail.Timeout, "", "the time ran out before anything was changed"
	}
	return e
}

// pathChanged reports whether err says that a path does not lead where it did: somebody moved or replaced a directory.
func pathChanged(err error) bool {
	for _, why := range []error{fail.NotFound, fail.Stale, fs.ErrNotExist, syscall.ENOTDIR, syscall.ELOOP} {
		if errors.Is(err, why) {
			return true
		}
	}
	e, ok := errors.AsType[*fail.Error](err)
	return ok && e.Reason == fail.MountPoint
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func ignore(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

// ignoreNoLink ignores that a file cannot have a second name: some file systems have none, and a kernel may deny one
// for a file of somebody else. There a power cut can lose a name.
func ignoreNoLink(err error) error {
	for _, no := range []error{vfs.ErrUnsupported, fs.ErrPermission, syscall.EMLINK} {
		if errors.Is(err, no) {
			return nil
		}
	}
	return err
}
