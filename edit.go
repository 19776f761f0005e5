package emend

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Edit replaces parts of a file's text, if it is still what the caller has seen. All edits happen or none: each is
// placed in the text as it was read, whatever their order, and whatever is not in its one place refuses them all.
func (w *Workspace) Edit(ctx context.Context, r EditRequest) (*Answer[EditData], error) {
	var applied []plan.Applied
	return perform(ctx, w, call[EditData]{tool: "edit_file", key: r.IdempotencyKey, request: r,
		named: []patch.Section{{Op: patch.Update, Path: r.Path}},
		settle: func(ctx context.Context, src *reader) (*plan.Plan, error) {
			p, done, err := r.settle(ctx, src)
			applied = done
			return p, err
		},
		data:   func(rep *Report) EditData { return EditData{rewritten(rep), editsOf(applied)} },
		recall: func(l recalled) EditData { return EditData{l.rewritten(), []AppliedEdit{}} },
		say: func(d EditData) string {
			if len(d.AppliedEdits) == 0 {
				return fmt.Sprintf("Edited %s (sha256 %s).", report.Escape(d.Path), d.AfterSha256)
			}
			var out strings.Builder
			out.WriteString(fmt.Sprintf("Edited %s: %d edit(s), %s (sha256 %s).", report.Escape(d.Path), len(d.AppliedEdits), lines(d.AppliedEdits), d.AfterSha256))
			for _, e := range d.AppliedEdits {
				if e.Rung != patch.Exact.String() {
					out.WriteString(fmt.Sprintf("\nNote: edit %d matched on the rung %q, not exactly; check lines %s.", e.EditIndex+1, e.Rung, ranges(e.Lines)))
				}
			}
			return out.String()
		}})
}

func (r *EditRequest) settle(ctx context.Context, src *reader) (*plan.Plan, []plan.Applied, error) {
	tolerance, err := r.rung()
	if err != nil {
		return nil, nil, err
	}
	s, err := src.changing(ctx, r.Path, r.ExpectedSha256, "edit")
	if err != nil {
		return nil, nil, err
	}
	edits := make([]plan.TextEdit, len(r.Edits))
	for i, e := range r.Edits {
		edits[i] = plan.TextEdit{Old: e.OldText, New: e.NewText, Count: e.ExpectedOccurrences}
	}
	out, err := plan.Replace(s.Before, edits, plan.ReplaceOptions{Tolerance: tolerance})
	if err != nil {
		for _, e := range fail.All(err) {
			e.Path = r.Path
		}
		return nil, nil, err
	}
	s.After, s.AfterSum, s.Edits, s.Hunks = out.After, plan.Sum(out.After), out.Edits, placed(out.Applied)
	return single(s), out.Applied, nil
}

// placed is each occurrence of each edit.
func placed(done []plan.Applied) []plan.Placed {
	var out []plan.Placed
	for _, a := range done {
		for _, p := range a.Lines {
			out = append(out, plan.Placed{Line: p.First, Rung: a.Rung})
		}
	}
	return out
}

func (r *EditRequest) rung() (patch.Rung, error) {
	if r.Tolerance == "" {
		return patch.Exact, nil
	}
	for _, rung := range []patch.Rung{patch.Exact, patch.Trailing, patch.Whitespace, patch.Unicode} {
		if rung.String() == r.Tolerance {
			return rung, nil
		}
	}
	return 0, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
		Msg: "tolerance is " + fail.Quote(r.Tolerance), Hint: "Use one of exact, trailing, whitespace, unicode."}
}

func editsOf(done []plan.Applied) []AppliedEdit {
	out := make([]AppliedEdit, len(done))
	for i, a := range done {
		out[i] = AppliedEdit{EditIndex: i, Occurrences: a.Occurrences, Rung: a.Rung.String(), Lines: []LineRange{}}
		for _, p := range a.Lines {
			out[i].Lines = append(out[i].Lines, LineRange{p.First, p.Last})
		}
	}
	return out
}

// lines says where edits landed, as far as a person reads on.
func lines(edits []AppliedEdit) string {
	var all []LineRange
	for _, e := range edits {
		all = append(all, e.Lines...)
	}
	return "lines " + ranges(all)
}

func ranges(all []LineRange) string {
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
