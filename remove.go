package emend

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// maxShown is how large a file may be for the diff of its deletion to show it.
const maxShown = 256 << 10

// Delete deletes a file, or a link itself. It goes to the trash, unless the caller wants nothing to be kept.
func (w *Workspace) Delete(ctx context.Context, r DeleteRequest) (*Answer[DeleteData], error) {
	return perform(ctx, w, call[DeleteData]{tool: "delete_file", key: r.IdempotencyKey, request: r,
		named:  []patch.Section{{Op: patch.Delete, Path: r.Path}},
		settle: func(ctx context.Context, src *reader) (*plan.Plan, error) { return r.settle(ctx, src) },
		record: func(rec *record) { rec.forget = r.Permanent },
		data: func(rep *Report) DeleteData {
			s := rep.step()
			d := DeleteData{Deleted: true, Path: s.Path, BeforeSha256: s.BeforeSum, SizeBytes: s.Source.Size, TrashedTo: rep.trashedTo()}
			if !r.Permanent {
				d.Diff = report.Diff(s) // else it would be kept, with the answer
			}
			return d
		},
		recall: func(l recalled) DeleteData {
			return DeleteData{Deleted: true, Path: l.Path, BeforeSha256: l.Before, SizeBytes: l.oldSize, TrashedTo: l.trashedTo}
		},
		say: func(d DeleteData) string {
			if d.TrashedTo == "" {
				return fmt.Sprintf("Deleted %s for good: it is not in the trash. What older entries of the log keep of it, emend purge --path removes.", report.Escape(d.Path))
			}
			words := fmt.Sprintf("Deleted %s. It is in the trash as %s; restore_file brings it back.", report.Escape(d.Path), d.TrashedTo)
			if d.SizeBytes > maxShown {
				words += fmt.Sprintf(" Its lines are left out of the diff: it has over %d KiB.", maxShown>>10)
			}
			return words
		}})
}

func (r *DeleteRequest) settle(ctx context.Context, src *reader) (*plan.Plan, error) {
	if err := hashArgument("expectedSha256", r.ExpectedSha256, false); err != nil {
		return nil, err
	}
	f, err := src.existing(ctx, r.Path, "delete")
	if err != nil {
		return nil, err
	}
	s := plan.Step{Op: patch.Delete, Path: f.Rel, Source: f}
	if s.BeforeSum, err = src.sum(ctx, f); err != nil {
		return nil, err
	}
	if err := sameSum(r.Path, r.ExpectedSha256, s.BeforeSum); err != nil {
		return nil, err
	}
	if f.Kind == plan.Regular && f.Size <= maxShown {
		s.Before, s.BeforeSum, err = src.Load(ctx, f)
	}
	return single(s), err
}

// sum is the sha256 of a file, or of what a link says, without holding it.
func (r *reader) sum(ctx context.Context, f plan.File) (string, error) {
	e := f.Handle.(guard.Entry)
	if f.Kind == plan.Link {
		return plan.Sum(f.Target), nil
	}
	if l, ok := r.loaded[e.Place]; ok {
		return l.sum, nil
	}
	sum, _, err := r.w.guard.Hash(ctx, e)
	if err == nil {
		r.loaded[e.Place] = loaded{sum: sum, only: true}
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
