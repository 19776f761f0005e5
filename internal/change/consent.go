package change

import (
	"context"
	"fmt"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// askForPlan asks a person to approve the plan, if a rule says so. The question's digest covers all that the plan
// reads and changes: an approval counts for this plan only.
func askForPlan(ctx context.Context, w *workspace.Workspace, p *plan.Plan, sums map[guard.Identity]string, r CommitRequest) (*consent.Result, error) {
	if r.approved != nil || len(r.Asks) == 0 {
		return r.approved, nil
	}
	h := consent.NewDigest(sums)
	fmt.Fprintf(h, "%q %t %q %+v\n", r.Kind, r.Permanent, r.Undoes, r.Parts)
	for i := range p.Steps {
		s := &p.Steps[i]
		fmt.Fprintf(h, "%d %q %q %q %q %t %q %q %d %d\n", s.Op, s.Path, s.To, s.BeforeSum, s.AfterSum, s.Exec, s.FromHistory, s.ModeOfKept, s.Source.Kind, s.Mode)
	}
	return consent.Ask(ctx, w, r.Asks, questionText(ctx, w, p, r), h)
}

// askBeforeTelling asks a person before the caller learns anything from a file that may be read only with approval; a
// refusal quotes text as well. It returns the person's refusal, or else err.
func askBeforeTelling(ctx context.Context, w *workspace.Workspace, src *source.Reader, err error) error {
	read := slices.DeleteFunc(src.Asked.List(), func(a api.AskedPath) bool { return a.Write })
	if len(read) == 0 {
		return err
	}
	if _, refused := consent.Ask(ctx, w, read, "", consent.NewDigest(src.Sums())); refused != nil {
		return refused
	}
	return err
}
