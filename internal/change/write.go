package change

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Write replaces the whole text of a file that has the expected hash. It keeps the file's line ends.
func Write(ctx context.Context, w *workspace.Workspace, r api.WriteRequest) (*api.Answer[api.WriteData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	return perform(ctx, w, call[api.WriteData]{tool: "write_file", key: r.IdempotencyKey, request: r,
		sections: []patch.Section{{Op: patch.Update, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			return planWrite(ctx, &r, src)
		},
		data:        writeData,
		dataFromLog: loggedChange.writeData,
		describe: func(d api.WriteData) string {
			return fmt.Sprintf("Wrote %s (%d bytes, sha256 %s).", report.OneLine(d.Path), d.SizeBytes, d.AfterSha256)
		}})
}

func planWrite(ctx context.Context, r *api.WriteRequest, src *source.Reader) (*plan.Plan, error) {
	s, err := beginUpdate(ctx, src, r.Path, r.ExpectedSha256, true, "write")
	if err != nil {
		return nil, err
	}
	s.After = text.Restyle(r.Content, s.Before)
	s.AfterSum = text.Sum(s.After)
	s.Edits = text.Between(s.Before, s.After)
	return oneStepPlan(s), nil
}

// beginUpdate returns a step that updates a text file, with the file's present content. It refuses a binary file, and a
// file whose hash is not the expected one, which may be empty if it is not required.
func beginUpdate(ctx context.Context, r *source.Reader, p, expected string, required bool, verb string) (plan.Step, error) {
	s := plan.Step{Op: patch.Update}
	if err := CheckHashField("expectedSha256", expected, required); err != nil {
		return s, err
	}
	f, err := mustExist(ctx, r, p, verb)
	if err != nil {
		return s, err
	}
	s.Path, s.Source = f.Rel, f
	if s.Before, s.BeforeSum, err = r.Load(ctx, f); err != nil {
		return s, err
	}
	if err := checkSum(p, expected, s.BeforeSum); err != nil {
		return s, err
	}
	if text.Binary(s.Before) {
		return s, &fail.Error{Kind: fail.BinaryFile, Path: p, Msg: "the file is binary, and text tools do not change it",
			Hint: "To replace it, delete it with ‹delete_file› and make a new one with ‹create_file›."}
	}
	return s, nil
}

func writeData(rep *Report) api.WriteData {
	s := rep.firstStep()
	return api.WriteData{Path: s.Path, BeforeSha256: s.BeforeSum, AfterSha256: s.AfterSum, SizeBytes: int64(len(s.After)), Diff: rep.firstDiff()}
}

func (l loggedChange) writeData() api.WriteData {
	return api.WriteData{Path: l.Path, BeforeSha256: l.Before, AfterSha256: l.After, SizeBytes: l.Size}
}
