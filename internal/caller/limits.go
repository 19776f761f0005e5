package caller

import (
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/patch"
)

func OrDefault(l api.Limits) api.Limits {
	d := api.DefaultLimits
	return api.Limits{PatchBytes: or(l.PatchBytes, d.PatchBytes), Files: or(l.Files, d.Files), FileBytes: or(l.FileBytes, d.FileBytes),
		TotalBytes: or(l.TotalBytes, d.TotalBytes), Depth: or(l.Depth, d.Depth)}
}

func or[T int | int64](a, b T) T {
	if a > 0 {
		return a
	}
	return b
}

func CheckText(l api.Limits, text string) error {
	if n := int64(len(text)); n > l.PatchBytes {
		return over("", fmt.Sprintf("the patch has %d bytes, and at most %d are allowed", n, l.PatchBytes), "--max-patch")
	}
	return nil
}

func CheckPatch(l api.Limits, p patch.Patch) error {
	if n := len(p.Sections); n > l.Files {
		return over("", fmt.Sprintf("the patch has %d sections, and at most %d are allowed", n, l.Files), "--max-files")
	}
	return nil
}

// CheckFile is asked before a file is read; so far is how many bytes were read already.
func CheckFile(l api.Limits, f plan.File, sofar int64) error {
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

// CheckPlan looks at what the files would become.
func CheckPlan(l api.Limits, p *plan.Plan) error {
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
