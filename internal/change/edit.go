package change

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Edit replaces passages in the text of a file that has the expected hash, all of them or none.
func Edit(ctx context.Context, w *workspace.Workspace, r api.EditRequest) (*api.Answer[api.EditData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	ctx = withAttempt(ctx, func() *api.Attempt { return editAttempt(&r) })
	var applied []plan.Applied
	return perform(ctx, w, call[api.EditData]{tool: "edit_file", key: r.IdempotencyKey, request: r,
		sections: []patch.Section{{Op: patch.Update, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (*plan.Plan, error) {
			p, done, err := planEdit(ctx, &r, src)
			applied = done
			return p, err
		},
		data: func(rep *Report) api.EditData {
			return api.EditData{WriteData: writeData(rep), AppliedEdits: appliedEdits(applied)}
		},
		dataFromLog: func(l loggedChange) api.EditData {
			return api.EditData{WriteData: l.writeData(), AppliedEdits: []api.AppliedEdit{}}
		},
		describe: func(d api.EditData) string {
			if len(d.AppliedEdits) == 0 {
				return fmt.Sprintf("Edited %s (sha256 %s).", report.OneLine(d.Path), d.AfterSha256)
			}
			var out strings.Builder
			out.WriteString(fmt.Sprintf("Edited %s: %d edit(s), %s (sha256 %s).", report.OneLine(d.Path), len(d.AppliedEdits), editedLines(d.AppliedEdits), d.AfterSha256))
			for _, e := range d.AppliedEdits {
				if e.Rung != patch.Exact.String() {
					out.WriteString(fmt.Sprintf("\nNote: edit %d matched on the rung %q, not exactly; check lines %s.", e.EditIndex+1, e.Rung, lineRanges(e.Lines)))
				}
			}
			return out.String()
		}})
}

func planEdit(ctx context.Context, r *api.EditRequest, src *source.Reader) (*plan.Plan, []plan.Applied, error) {
	tolerance, err := rungFor(r.Tolerance)
	if err != nil {
		return nil, nil, err
	}
	s, err := beginUpdate(ctx, src, r.Path, r.ExpectedSha256, !r.Plain, "edit")
	if err != nil {
		return nil, nil, err
	}
	edits := make([]plan.TextEdit, len(r.Edits))
	for i, e := range r.Edits {
		edits[i] = plan.TextEdit{Old: e.OldText, New: e.NewText, Count: e.ExpectedOccurrences, Line: e.Line, EndLine: e.EndLine, After: e.After}
	}
	out, err := plan.Replace(s.Before, edits, plan.ReplaceOptions{Tolerance: tolerance})
	if err != nil {
		for _, e := range fail.All(err) {
			e.Path = r.Path
		}
		return nil, nil, err
	}
	s.After, s.AfterSum, s.Edits, s.Hunks = out.After, text.Sum(out.After), out.Edits, placedEdits(out.Applied)
	return oneStepPlan(s), out.Applied, nil
}

// placedEdits returns the place of each occurrence of each edit.
func placedEdits(done []plan.Applied) []plan.Placed {
	var out []plan.Placed
	for _, a := range done {
		for _, p := range a.Lines {
			out = append(out, plan.Placed{Line: p.First, Rung: a.Rung})
		}
	}
	return out
}

func appliedEdits(done []plan.Applied) []api.AppliedEdit {
	out := make([]api.AppliedEdit, len(done))
	for i, a := range done {
		out[i] = api.AppliedEdit{EditIndex: i, Occurrences: a.Occurrences, Rung: a.Rung.String(), Lines: []api.LineRange{}}
		for _, p := range a.Lines {
			out[i].Lines = append(out[i].Lines, api.LineRange{StartLine: p.First, EndLine: p.Last})
		}
	}
	return out
}

// editedLines lists the lines that the edits changed.
func editedLines(edits []api.AppliedEdit) string {
	var all []api.LineRange
	for _, e := range edits {
		all = append(all, e.Lines...)
	}
	return "lines " + lineRanges(all)
}

// lineRanges lists the first 20 ranges, and the number of the others.
func lineRanges(all []api.LineRange) string {
	const most = 20
	var out []string
	for _, r := range all[:min(len(all), most)] {
		s := fmt.Sprint(r.StartLine)
		if r.EndLine > r.StartLine {
			s += fmt.Sprintf("-%d", r.EndLine)
		}
		out = append(out, s)
	}
	if len(all) > most {
		out = append(out, fmt.Sprintf("and %d more", len(all)-most))
	}
	return strings.Join(out, ", ")
}

// rungFor parses a tolerance; an empty one is exact.
func rungFor(tolerance string) (patch.Rung, error) {
	if tolerance == "" {
		return patch.Exact, nil
	}
	for _, rung := range []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode} {
		if rung.String() == tolerance {
			return rung, nil
		}
	}
	return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
		Msg: "tolerance is " + fail.Quote(tolerance), Hint: "Use one of exact, trailing, whitespace, unicode."}
}
