package change

import (
	"context"
	"fmt"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// consent asks about a plan that stands.
func askForPlan(ctx context.Context, w *workspace.Workspace, p *plan.Plan, sums map[guard.Identity]string, r CommitRequest) (*audit.Asked, error) {
	if r.approved != nil || len(r.Asks) == 0 {
		return r.approved, nil
	}
	h := consent.NewDigest(sums)
	fmt.Fprintf(h, "%q %t %q\n", r.Kind, r.Permanent, r.Undoes)
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(h, "%d %q %q %q %q %t %q %q %d\n", s.Op, s.Path, s.To, s.BeforeSum, s.AfterSum, s.Exec, s.FromHistory, s.ModeOfKept, s.Source.Kind)
	}
	return consent.Ask(ctx, w, r.Asks, questionText(ctx, w, p, r), h)
}

// askBeforeTelling asks before anything is told that was learned from a file that may be read only when a person says so: a
// refusal quotes what is there. The refusal is then theirs.
func askBeforeTelling(ctx context.Context, w *workspace.Workspace, src *source.Reader, err error) error {
	read := slices.DeleteFunc(src.Asked.List(), func(a api.AskedPath) bool { return a.Write })
	if len(read) == 0 {
		return err
	}
	if _, no := consent.Ask(ctx, w, read, "", consent.NewDigest(src.Sums())); no != nil {
		return no
	}
	return err
}
