package change

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// call describes a tool that changes one file. It becomes a plan and is committed as a patch is. T is the type of its
// data.
type call[T any] struct {
	tool        string
	key         string          // idempotency key; "" for none
	request     any             // the whole request: its hash is stored with the key, and the key with another request is refused
	sections    []patch.Section // the paths that the request names, for the log and for a refusal
	plan        func(ctx context.Context, src *source.Reader) (*plan.Plan, error)
	adjust      func(*CommitRequest) // adds to the request before the plan is made; optional
	planned     func(*CommitRequest) // adds to the request what the plan found; optional
	data        func(*Report) T
	dataFromLog func(loggedChange) T // makes the data from the log if the first answer is lost
	describe    func(T) string       // words the data for a model
}

// perform runs a call, once for each idempotency key, and logs a refusal.
func perform[T any](ctx context.Context, w *workspace.Workspace, c call[T]) (*api.Answer[T], error) {
	ctx = withTool(ctx, w, c.tool)
	rep, err := c.run(ctx, w)
	if err != nil {
		return nil, refuse(ctx, w, report.View{Patch: patch.Patch{Sections: c.sections}, Atomic: true}, err)
	}
	return c.answer(rep), nil
}

func (c *call[T]) run(ctx context.Context, w *workspace.Workspace) (*Report, error) {
	r := CommitRequest{Key: c.key, resultOf: func(rep *Report) api.Result { return c.answer(rep).Result() }, resultFromLog: c.resultFromLog}
	if c.key != "" {
		r.Request = requestSum(ctx, w, c.tool, c.request)
	}
	if c.adjust != nil {
		c.adjust(&r)
	}
	view := report.View{Atomic: true}
	return oncePerKey(ctx, w, r, func(r CommitRequest) (*Report, error) {
		return planAndCommit(ctx, w, &view, r, func(ctx context.Context, src *source.Reader, _ *report.View, r *CommitRequest) (*plan.Plan, error) {
			p, err := c.plan(ctx, src)
			if err == nil {
				err = checkNotebooks(p)
			}
			if err == nil && c.planned != nil {
				c.planned(r)
			}
			return p, err
		})
	})
}

// answer returns the answer that belongs to a report.
func (c *call[T]) answer(rep *Report) *api.Answer[T] {
	if rep.Stored != nil {
		return api.NewAnswer(storedData[T](rep.Stored), rep.Done.Tx, nil, func() api.Result { return rep.Stored })
	}
	data, notes := c.data(rep), rep.Done.Notes
	return api.NewAnswer(data, rep.Done.Tx, notes, func() api.Result {
		var output strings.Builder
		output.WriteString(c.describe(data))
		for _, n := range notes {
			output.WriteString("\nNote: " + report.Escape(n))
		}
		return &report.Object{Ok: true, Output: output.String(), Data: data,
			Meta: &report.Meta{Tx: rep.Done.Tx, Log: &rep.Done.Log, Notes: notes}}
	})
}

// resultFromLog returns the result of a repeated call whose first answer is lost, from its log entry.
func (c *call[T]) resultFromLog(r loggedChange) api.Result {
	data := c.dataFromLog(r)
	return &report.Object{Ok: true, Output: c.describe(data) + "\nNote: This was done before, under the same key.", Data: data, Meta: &report.Meta{Tx: r.tx}}
}

// storedData decodes the data of a stored answer.
func storedData[T any](s *report.StoredResult) (data T) {
	var o struct{ Data *T }
	o.Data = &data
	json.Unmarshal(s.JSON, &o) //nolint:errcheck // emend wrote it; fields that cannot be decoded stay empty
	return data
}
