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

// Insert puts lines into a file, after the line with the given number. Every other byte of the file stays.
func Insert(ctx context.Context, w *workspace.Workspace, r api.InsertRequest) (*api.Answer[api.InsertData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	var lines api.LineRange
	return perform(ctx, w, call[api.InsertData]{tool: "edit_file", request: r,
		sections: []patch.Section{{Op: patch.Update, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (p *plan.Plan, err error) {
			p, lines, err = planInsert(ctx, &r, src)
			return p, err
		},
		data: func(rep *Report) api.InsertData { return api.InsertData{WriteData: writeData(rep), Lines: lines} },
		describe: func(d api.InsertData) string {
			return fmt.Sprintf("Inserted lines %s of %s (sha256 %s).", lineRanges([]api.LineRange{d.Lines}), report.Escape(d.Path), d.AfterSha256)
		}})
}

func planInsert(ctx context.Context, r *api.InsertRequest, src *source.Reader) (*plan.Plan, api.LineRange, error) {
	var none api.LineRange
	if r.Text == "" {
		return nil, none, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: r.Path, Msg: "there is no text to insert",
			Hint: "Send the lines to insert; a newline alone is an empty line."}
	}
	s, err := beginUpdate(ctx, src, r.Path, r.ExpectedSha256, false, "edit")
	if err != nil {
		return nil, none, err
	}
	was := text.Split(s.Before)
	if r.After < 0 || r.After > was.Len() {
		return nil, none, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: r.Path, Line: r.After, Expected: fmt.Sprintf("[0, %d]", was.Len()),
			Msg:  fmt.Sprintf("there is no line %d to insert after: the file has %d", r.After, was.Len()),
			Hint: fmt.Sprintf("Send a number from 0, for the beginning of the file, to %d, for its end.", was.Len())}
	}
	out, err := plan.Replace(s.Before, []plan.TextEdit{{After: text.Anchor(s.BeforeSum, r.After), New: r.Text}}, plan.ReplaceOptions{})
	if err != nil {
		for _, e := range fail.All(err) {
			e.Path = r.Path
		}
		return nil, none, err
	}
	s.After, s.AfterSum, s.Edits = out.After, text.Sum(out.After), out.Edits
	return oneStepPlan(s), api.LineRange{StartLine: r.After + 1, EndLine: r.After + text.Split(r.Text).Len()}, nil
}
