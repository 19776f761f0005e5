package emend

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// Write replaces the whole text of a file, if it is still what the caller has seen. The file keeps its newline style
// and its byte order mark.
func (w *Workspace) Write(ctx context.Context, r WriteRequest) (*Answer[WriteData], error) {
	return perform(ctx, w, call[WriteData]{tool: "write_file", key: r.IdempotencyKey, request: r,
		named:  []patch.Section{{Op: patch.Update, Path: r.Path}},
		settle: func(ctx context.Context, src *reader) (*plan.Plan, error) { return r.settle(ctx, src) },
		data:   rewritten,
		recall: recalled.rewritten,
		say: func(d WriteData) string {
			return fmt.Sprintf("Wrote %s (%d bytes, sha256 %s).", report.Escape(d.Path), d.SizeBytes, d.AfterSha256)
		}})
}

func (r *WriteRequest) settle(ctx context.Context, src *reader) (*plan.Plan, error) {
	s, err := src.changing(ctx, r.Path, r.ExpectedSha256, "write")
	if err != nil {
		return nil, err
	}
	s.After = text.Restyle(r.Content, s.Before)
	s.AfterSum = plan.Sum(s.After)
	s.Edits = plan.Between(s.Before, s.After)
	return single(s), nil
}

// changing begins the update of a text file that must still be what the caller has seen.
func (r *reader) changing(ctx context.Context, p, expected, verb string) (plan.Step, error) {
	s := plan.Step{Op: patch.Update}
	if err := hashArgument("expectedSha256", expected, true); err != nil {
		return s, err
	}
	f, err := r.existing(ctx, p, verb)
	if err != nil {
		return s, err
	}
	s.Path, s.Source = f.Rel, f
	if s.Before, s.BeforeSum, err = r.Load(ctx, f); err != nil {
		return s, err
	}
	if err := sameSum(p, expected, s.BeforeSum); err != nil {
		return s, err
	}
	if text.Binary(s.Before) {
		return s, &fail.Error{Kind: fail.BinaryFile, Path: p, Msg: "the file is binary, and text tools do not change it",
			Hint: "To replace it, delete it with delete_file and make a new one with create_file."}
	}
	return s, nil
}

func rewritten(rep *Report) WriteData {
	s := rep.step()
	return WriteData{Path: s.Path, BeforeSha256: s.BeforeSum, AfterSha256: s.AfterSum, SizeBytes: int64(len(s.After)), Diff: rep.diff()}
}

func (l recalled) rewritten() WriteData {
	return WriteData{Path: l.Path, BeforeSha256: l.Before, AfterSha256: l.After, SizeBytes: l.Size}
}
