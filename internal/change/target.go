package change

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
)

// Target is what stands at a path that a call wants to change.
func LookForWrite(ctx context.Context, r *source.Reader, p string) (plan.File, error) {
	return r.Look(ctx, p, false)
}

// existing is a target that has to be a file, or a link where those are acted on themselves.
func mustExist(ctx context.Context, r *source.Reader, p, verb string) (plan.File, error) {
	f, err := LookForWrite(ctx, r, p)
	if err != nil {
		return f, err
	}
	switch f.Kind {
	case plan.Missing:
		return f, &fail.Error{Kind: fail.NotFound, Path: p, Msg: "no such file to " + verb,
			Hint: "Check the path with list_directory or glob; create_file makes a new file."}
	case plan.Directory:
		return f, &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: p, Msg: "is a directory, not a file",
			Hint: "List the directory and name a file in it."}
	case plan.Special:
		return f, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: p,
			Msg: "is a FIFO, a socket or a device, which is never opened", Hint: "Name a regular file."}
	}
	return f, nil
}

// roomFor checks that a new file can get its path: nothing has it, and its directory exists or may be made.
func checkFree(f plan.File, p string, parents bool, instead string) error {
	switch {
	case f.Kind == plan.Directory:
		return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: "is a directory", Hint: "Choose another path, or name a file in it."}
	case f.Kind != plan.Missing:
		return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: "the path exists", Hint: instead}
	case !f.HasParent && !parents:
		return &fail.Error{Kind: fail.NotFound, Path: p, Msg: "its directory does not exist",
			Hint: "Send it again with createParentDirectories: true (--parents), or choose a directory that exists."}
	}
	return nil
}

// HashArgument checks that a field has the form of a sha256. Where it may be left out, empty is left out.
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
		Hint: "Read the file first: read_file returns its sha256. Then send that as " + field + "."}
}

// sameSum is the stale check.
func checkSum(p, want, have string) error {
	if want == "" || want == have {
		return nil
	}
	return &fail.Error{Kind: fail.Stale, Path: p, Want: want, Have: have, Msg: "the file changed since it was read",
		Hint: "Re-read the file to obtain the current sha256 and re-apply your edit."}
}

func changedSince(p string) error {
	return &fail.Error{Kind: fail.Stale, Path: p, Msg: "it changed since a person was asked about it",
		Hint: "Read the file again and send what is left of the patch; the person is asked anew."}
}

// MaxShown is how large a file may be for the diff of its deletion to show it.
const MaxShown = 256 << 10

func oneStepPlan(s plan.Step) *plan.Plan {
	s.Writes = s.Path
	if s.To != "" {
		s.Writes = s.To
	}
	return &plan.Plan{Steps: []plan.Step{s}}
}
