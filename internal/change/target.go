package change

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
)

// LookForWrite looks up a path that a call wants to change. It refuses a path that may not be written.
func LookForWrite(ctx context.Context, r *source.Reader, p string) (plan.File, error) {
	return r.Look(ctx, p, caller.AbsolutePaths(ctx))
}

// mustExist looks up a path for a call that needs a file or a symbolic link there. Links are not followed. verb names
// the operation in the refusal.
func mustExist(ctx context.Context, r *source.Reader, p, verb string) (plan.File, error) {
	f, err := LookForWrite(ctx, r, p)
	if err != nil {
		return f, err
	}
	switch f.Kind {
	case plan.Missing:
		return f, &fail.Error{Kind: fail.NotFound, Path: p, Msg: "no such file to " + verb,
			Hint: "Check the path with ‹list_directory›; ‹create_file› makes a new file."}
	case plan.Directory:
		return f, &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: p, Msg: "is a directory, not a file",
			Hint: "List the directory and name a file in it‹recursive:; {} takes all of it›."}
	case plan.Special:
		return f, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: p,
			Msg: "is a FIFO, a socket or a device, which is never opened", Hint: "Name a regular file."}
	}
	return f, nil
}

// checkFree checks that a new file can be made at path p: the path is free, and its directory exists or, with parents,
// may be made. instead is the hint for a path that is taken.
func checkFree(f plan.File, p string, parents bool, instead string) error {
	switch {
	case f.Kind == plan.Directory:
		return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: "is a directory", Hint: "Choose another path, or name a file in it."}
	case f.Kind != plan.Missing:
		return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: "the path exists", Hint: instead}
	case !f.HasParent && !parents:
		return &fail.Error{Kind: fail.NotFound, Path: p, Msg: "its directory does not exist",
			Hint: "Send it again with ‹createParentDirectories›, or choose a directory that exists."}
	}
	return nil
}

// CheckHashField checks that the value of a request's field is a lower-case sha256. An empty value passes unless it is
// required.
func CheckHashField(field, value string, required bool) error {
	if value == "" && !required {
		return nil
	}
	ok := len(value) == 64 && strings.Trim(value, "0123456789abcdef") == ""
	if ok {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
		Msg:  fmt.Sprintf("%s has to be a sha256 of 64 lower-case hex digits, and is %s", field, fail.Quote(value)),
		Hint: "Read the file with ‹read_file›, and send the sha256 that it says."}
}

// checkSum refuses a file whose hash is not the one that the caller expects. An empty want expects nothing.
func checkSum(p, want, have string) error {
	if want == "" || want == have {
		return nil
	}
	return &fail.Error{Kind: fail.Stale, Path: p, Want: want, Have: have, Msg: "the file changed since it was read",
		Hint: "Re-read the file to obtain the current sha256 and re-apply your edit."}
}

// changedSince refuses a file that changed after a person was asked about it.
func changedSince(p string) error {
	return &fail.Error{Kind: fail.Stale, Path: p, Msg: "it changed since a person was asked about it",
		Hint: "Read the file again and send what is left of the patch; the person is asked anew."}
}

// MaxShown is the size up to which a diff shows the content of a deleted file, in bytes.
const MaxShown = 256 << 10

// oneStepPlan returns a plan with the one step s.
func oneStepPlan(s plan.Step) *plan.Plan {
	s.Writes = s.Path
	if s.To != "" {
		s.Writes = s.To
	}
	return &plan.Plan{Steps: []plan.Step{s}}
}
