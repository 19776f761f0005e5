package change

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/patch"
)

// MaxShown is how large a file may be for the diff of its deletion to show it.
const MaxShown = 256 << 10

func SettleDeleteRequest(ctx context.Context, r *api.DeleteRequest, src *source.Reader) (*plan.Plan, error) {
	if err := HashArgument("expectedSha256", r.ExpectedSha256, false); err != nil {
		return nil, err
	}
	f, err := existing(ctx, src, r.Path, "delete")
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Delete, Path: f.Rel, Source: f}
	if s.BeforeSum, err = Sum(ctx, src, f); err != nil {
		return nil, err
	}
	if err := sameSum(r.Path, r.ExpectedSha256, s.BeforeSum); err != nil {
		return nil, err
	}
	if f.Kind == plan.Regular && f.Size <= MaxShown {
		s.Before, s.BeforeSum, err = src.Load(ctx, f)
	}
	return single(s), err
}

// Sum is the sha256 of a file, or of what a link says, without holding it.
func Sum(ctx context.Context, r *source.Reader, f plan.File) (string, error) {
	e := f.Handle.(guard.Entry)
	if f.Kind == plan.Link {
		return text.Sum(f.Target), nil
	}
	if l, ok := r.Loaded[e.Place]; ok {
		return l.Sum, nil
	}
	sum, _, err := r.W.Guard.Hash(ctx, e)
	if err == nil {
		r.Loaded[e.Place] = source.Loaded{Sum: sum, Only: true}
	}
	return sum, err
}

// linkHint completes the refusal of a link by the hash that it has.
func linkHint(err error, f plan.File) error {
	if e, ok := err.(*fail.Error); ok && f.Kind == plan.Link {
		e.Msg = "the path is a symbolic link to " + fail.Quote(f.Target) + ", whose hash is that of what it says"
		e.Hint = "Send expectedSha256 " + e.Have + ", which is the link's own."
	}
	return err
}
