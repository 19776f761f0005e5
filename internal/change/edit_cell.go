package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/notebook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// EditCell replaces, inserts or deletes a cell of a notebook that has the expected hash.
func EditCell(ctx context.Context, w *workspace.Workspace, r api.EditCellRequest) (*api.Answer[api.EditCellData], error) {
	r.ExpectedSha256 = text.BareSum(r.ExpectedSha256)
	var cell notebook.Done
	return perform(ctx, w, call[api.EditCellData]{tool: "edit_cell", key: r.IdempotencyKey, request: r,
		sections: []patch.Section{{Op: patch.Update, Path: r.Path}},
		plan: func(ctx context.Context, src *source.Reader) (p *plan.Plan, err error) {
			p, cell, err = planCell(ctx, &r, src)
			return p, err
		},
		data: func(rep *Report) api.EditCellData {
			return api.EditCellData{WriteData: writeData(rep), Index: cell.Index, CellID: cell.ID, CellType: cell.CellType}
		},
		dataFromLog: func(l loggedChange) api.EditCellData {
			return api.EditCellData{WriteData: l.writeData(), Index: -1}
		},
		describe: func(d api.EditCellData) string {
			if d.Index < 0 {
				return fmt.Sprintf("Edited %s (sha256 %s).", report.OneLine(d.Path), d.AfterSha256)
			}
			did := map[string]string{notebook.Insert: "Inserted", notebook.Delete: "Deleted"}[r.Action]
			if did == "" {
				did = "Replaced the source of"
			}
			return fmt.Sprintf("%s cell %d of %s (%s, sha256 %s).", did, d.Index, report.OneLine(d.Path), d.CellType, d.AfterSha256)
		}})
}

func planCell(ctx context.Context, r *api.EditCellRequest, src *source.Reader) (*plan.Plan, notebook.Done, error) {
	s, err := beginUpdate(ctx, src, r.Path, r.ExpectedSha256, true, "edit")
	if err != nil {
		return nil, notebook.Done{}, err
	}
	after, done, err := notebook.Run(s.Before, notebook.Edit{Action: r.Action, Cell: r.Cell, Source: r.Source, CellType: r.CellType})
	if err != nil {
		if e, ok := errors.AsType[*fail.Error](err); ok {
			e.Path = r.Path
		}
		return nil, done, err
	}
	s.After, s.AfterSum, s.Edits = after, text.Sum(after), text.Between(s.Before, after)
	return oneStepPlan(s), done, nil
}

// checkNotebooks refuses edits of text that make a notebook something that is no JSON.
func checkNotebooks(p *plan.Plan) error {
	var errs fail.List
	for i := range p.Steps {
		s := &p.Steps[i]
		if e, ok := errors.AsType[*fail.Error](notebook.CheckEdit(s.Path, s.Before, s.After)); ok && s.Op == patch.Update {
			errs = append(errs, e)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}
