package workspace

import (
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// limitsOrDefault replaces limits that are not positive by the defaults.
func limitsOrDefault(l api.Limits) api.Limits {
	d := api.DefaultLimits
	return api.Limits{PatchBytes: positiveOr(l.PatchBytes, d.PatchBytes), Files: positiveOr(l.Files, d.Files),
		FileBytes: positiveOr(l.FileBytes, d.FileBytes), TotalBytes: positiveOr(l.TotalBytes, d.TotalBytes), Depth: positiveOr(l.Depth, d.Depth)}
}

func positiveOr[T int | int64](n, otherwise T) T {
	if n > 0 {
		return n
	}
	return otherwise
}

// CheckText refuses a text that is too long for a patch.
func (w *Workspace) CheckText(text string) error {
	if n := int64(len(text)); n > w.limits.PatchBytes {
		return limitError("", fmt.Sprintf("the patch has %d bytes, and at most %d are allowed", n, w.limits.PatchBytes), "max-patch")
	}
	return nil
}

// CheckPatch refuses a patch with too many sections.
func (w *Workspace) CheckPatch(p patch.Patch) error {
	if n := len(p.Sections); n > w.limits.Files {
		return limitError("", fmt.Sprintf("the patch has %d sections, and at most %d are allowed", n, w.limits.Files), "max-files")
	}
	return nil
}

// CheckFile refuses a file that is too large to be read, alone or after sofar bytes of other files. It is called before the
// file is read.
func (w *Workspace) CheckFile(f plan.File, sofar int64) error {
	if f.Size > w.limits.FileBytes {
		e := limitError(f.Rel, fmt.Sprintf("the file has %d bytes, and at most %d are allowed", f.Size, w.limits.FileBytes), "max-file")
		e.Kind, e.Reason = fail.FileTooLarge, ""
		return e
	}
	if sofar+f.Size > w.limits.TotalBytes {
		return limitError(f.Rel, fmt.Sprintf("the files of the patch have over %d bytes together", w.limits.TotalBytes), "max-total")
	}
	return nil
}

// CheckPlan refuses a plan that makes a file too large, or all files together, or a directory a repository.
func (w *Workspace) CheckPlan(p *plan.Plan) error {
	total := int64(0)
	for i := range p.Steps {
		s := &p.Steps[i]
		if n := int64(len(s.After)); n > w.limits.FileBytes {
			e := limitError(s.Writes, fmt.Sprintf("the file would have %d bytes, and at most %d are allowed", n, w.limits.FileBytes), "max-file")
			e.Kind, e.Reason, e.Section = fail.FileTooLarge, "", s.Section+1
			return e
		}
		if total += int64(len(s.After)); total > w.limits.TotalBytes {
			return limitError("", fmt.Sprintf("the patch would write over %d bytes", w.limits.TotalBytes), "max-total")
		}
	}
	return w.CheckRepositories(p)
}

func limitError(path, msg, option string) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Path: path, Msg: msg,
		Hint: fmt.Sprintf("Split the patch, or let a person raise the limit with ‹option %s›.", option)}
}
