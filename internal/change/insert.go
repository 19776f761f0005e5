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
	var added int
	s.After, added = insertLines(was, s.Before, r.After, r.Text)
	s.AfterSum = text.Sum(s.After)
	s.Edits = []text.Change{{A0: r.After, A1: r.After, B0: r.After, B1: r.After + added}}
	if r.After == was.Len() && was.Open() { // that line gets a newline
		s.Edits[0].A0, s.Edits[0].B0 = r.After-1, r.After-1
	}
	return oneStepPlan(s), api.LineRange{StartLine: r.After + 1, EndLine: r.After + added}, nil
}

// insertLines returns the text before with lines after its line n, and how many these are. They get the line end of line n, at the
// top that of the line below. At the end of a text that does not end in a newline, the last of them has one if it was sent with one.
func insertLines(was *text.Lines, before string, n int, lines string) (after string, added int) {
	end, open := text.LF, was.Len() == 0 || n == was.Len() && was.Open()
	switch {
	case n > 0 && was.End(n-1) != text.None:
		end = was.End(n - 1)
	case n == 0 && was.Len() > 0 && was.End(0) != text.None:
		end = was.End(0)
	case n > 1:
		end = was.End(n - 2) // line n is the last, and has none
	}
	sent := text.Split(lines)
	all := sent.Strings(0, sent.Len())
	var b strings.Builder
	b.WriteString(before[:was.Offset(n)])
	if n > 0 && was.End(n-1) == text.None {
		b.WriteString(end)
	}
	b.WriteString(strings.Join(all, end))
	if !open || !sent.Open() {
		b.WriteString(end)
	}
	b.WriteString(before[was.Offset(n):])
	return b.String(), len(all)
}
