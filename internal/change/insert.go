package change

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Insert puts lines into a file, after the line with the given number. Every other byte of the file stays.
//
// If somebody else changed the file since the session was shown it, or changed it itself, the number is of another version: Insert
// refuses it where it does not stand between the same lines as in that version, and else notes the change. It knows of versions what
// [workspace.Workspace.Known] does.
func Insert(ctx context.Context, w *workspace.Workspace, r api.InsertRequest) (*api.Answer[api.InsertData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	var lines api.LineRange
	var notes []string
	return perform(ctx, w, call[api.InsertData]{tool: "edit_file", request: r,
		sections: []patch.Section{{Op: patch.Update, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (p *plan.Plan, err error) {
			p, lines, notes, err = planInsert(ctx, w, &r, src)
			return p, err
		},
		planned: func(c *CommitRequest) { c.notes = notes },
		data:    func(rep *Report) api.InsertData { return api.InsertData{WriteData: writeData(rep), Lines: lines} },
		describe: func(d api.InsertData) string {
			return fmt.Sprintf("Inserted lines %s of %s (sha256 %s).", lineRanges([]api.LineRange{d.Lines}), report.OneLine(d.Path), d.AfterSha256)
		}})
}

func planInsert(ctx context.Context, w *workspace.Workspace, r *api.InsertRequest, src *source.Reader) (_ *plan.Plan, at api.LineRange, notes []string, err error) {
	if r.Text == "" {
		return nil, at, nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: r.Path, Msg: "there is no text to insert",
			Hint: "Send the lines to insert; a newline alone is an empty line."}
	}
	s, err := beginUpdate(ctx, src, r.Path, r.ExpectedSha256, false, "edit")
	if err != nil {
		return nil, at, nil, err
	}
	was := text.Split(s.Before)
	if r.After < 0 || r.After > was.Len() {
		return nil, at, nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: r.Path, Line: r.After, Expected: fmt.Sprintf("[0, %d]", was.Len()),
			Msg:  fmt.Sprintf("there is no line %d to insert after: the file has %d", r.After, was.Len()),
			Hint: fmt.Sprintf("Send a number from 0, for the beginning of the file, to %d, for its end.", was.Len())}
	}
	if known := w.Known(caller.Actor(ctx).Session, s.Path); known != "" && known != s.BeforeSum && r.ExpectedSha256 == "" {
		if err := checkGap(ctx, r, &s, src, known); err != nil && r.After > 0 {
			return nil, at, nil, err
		}
		notes = []string{s.Path + " changed since it was shown, though not where the lines go."}
	}
	out, err := plan.Replace(s.Before, []plan.TextEdit{{After: text.Anchor(s.BeforeSum, r.After), New: r.Text}}, plan.ReplaceOptions{})
	if err != nil {
		for _, e := range fail.All(err) {
			e.Path = r.Path
		}
		return nil, at, nil, err
	}
	s.After, s.AfterSum, s.Edits = out.After, text.Sum(out.After), out.Edits
	return oneStepPlan(s), api.LineRange{StartLine: r.After + 1, EndLine: r.After + text.Split(r.Text).Len()}, notes, nil
}

// checkGap refuses an insert unless the lines around it stand, with the same numbers, where they stood in the version with the hash
// known. A version that is not kept shows nothing.
func checkGap(ctx context.Context, r *api.InsertRequest, s *plan.Step, src *source.Reader, known string) error {
	e := &fail.Error{Kind: fail.Stale, Path: r.Path, Line: max(r.After, 1), Want: known, Have: s.BeforeSum,
		Msg:  fmt.Sprintf("the file changed since it was shown, and line %d may be another one now", r.After),
		Hint: "View the file again, and send the number that the line has now."}
	for v := range src.Versions(ctx, s.Source, known) {
		now := r.After // how many lines stand above the place in the file as it is
		for _, c := range text.Between(v.Data, s.Before) {
			switch {
			case c.A1 < r.After:
				now += c.B1 - c.B0 - (c.A1 - c.A0)
			case c.A0 <= r.After: // it touches the place
				return e
			}
		}
		if now == r.After {
			return nil
		}
		e.Msg = fmt.Sprintf("the file changed since it was shown: what was line %d is line %d now", r.After, now)
		return e
	}
	return e
}
