package emend

import (
	"fmt"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

// Limits bound what one patch may do. Each is refused clearly, before anything is changed.
type Limits struct {
	PatchBytes int64 // the text of the patch
	Files      int   // the sections of the patch
	FileBytes  int64 // one file, before and after
	TotalBytes int64 // all files, before and after
	Depth      int   // the names of a path
}

// DefaultLimits are those of a workspace that names none.
var DefaultLimits = Limits{PatchBytes: 1 << 30, Files: 200_000, FileBytes: 4 << 30, TotalBytes: 8 << 30, Depth: 128}

func (l Limits) orDefault() Limits {
	d := DefaultLimits
	return Limits{or(l.PatchBytes, d.PatchBytes), or(l.Files, d.Files), or(l.FileBytes, d.FileBytes),
		or(l.TotalBytes, d.TotalBytes), or(l.Depth, d.Depth)}
}

func or[T int | int64](a, b T) T {
	if a > 0 {
		return a
	}
	return b
}

func (l Limits) checkText(text string) error {
	if n := int64(len(text)); n > l.PatchBytes {
		return over("", fmt.Sprintf("the patch has %d bytes, and at most %d are allowed", n, l.PatchBytes), "--max-patch")
	}
	return nil
}

func (l Limits) checkPatch(p patch.Patch) error {
	if n := len(p.Sections); n > l.Files {
		return over("", fmt.Sprintf("the patch has %d sections, and at most %d are allowed", n, l.Files), "--max-files")
	}
	return nil
}

// checkFile is asked before a file is read; so far is how many bytes were read already.
func (l Limits) checkFile(f plan.File, sofar int64) error {
	if f.Size > l.FileBytes {
		e := over(f.Rel, fmt.Sprintf("the file has %d bytes, and at most %d are allowed", f.Size, l.FileBytes), "--max-file")
		e.Kind, e.Reason = fail.FileTooLarge, ""
		return e
	}
	if sofar+f.Size > l.TotalBytes {
		return over(f.Rel, fmt.Sprintf("the files of the patch have over %d bytes together", l.TotalBytes), "--max-total")
	}
	return nil
}

// checkPlan looks at what the files would become.
func (l Limits) checkPlan(p *plan.Plan) error {
	total := int64(0)
	for i := range p.Steps {
		s := &p.Steps[i]
		if n := int64(len(s.After)); n > l.FileBytes {
			e := over(s.Writes, fmt.Sprintf("the file would have %d bytes, and at most %d are allowed", n, l.FileBytes), "--max-file")
			e.Kind, e.Reason, e.Section = fail.FileTooLarge, "", s.Section+1
			return e
		}
		if total += int64(len(s.After)); total > l.TotalBytes {
			return over("", fmt.Sprintf("the patch would write over %d bytes", l.TotalBytes), "--max-total")
		}
	}
	return nil
}

func over(path, msg, flag string) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Path: path, Msg: msg,
		Hint: "Split the patch, or let a person raise the limit with " + flag + "."}
}
