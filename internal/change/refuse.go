package change

import (
	"context"
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// maxNoted is how many sections of a refused patch the log lists.
const maxLoggedSections = 1000

// RefusedCall is a call of a tool that was refused before it came to the workspace. Paths are what it named, as far as that could be
// read.
type RefusedCall struct {
	Tool  string
	Op    patch.Op // what the tool does to the paths
	Paths []string
	Err   error
}

// View words the call as far as it was read.
func (c *RefusedCall) View() report.View {
	var named []patch.Section
	for _, p := range c.Paths {
		named = append(named, patch.Section{Op: c.Op, Path: p})
	}
	return report.View{Patch: patch.Patch{Sections: named}, Atomic: true}
}

// NoteRefused notes a refused call in the log and returns the refusal.
func NoteRefused(ctx context.Context, w *workspace.Workspace, c RefusedCall) error {
	return refuse(withTool(ctx, w, c.Tool), w, c.View(), c.Err)
}

// refuse makes a refusal of err, and notes it.
func refuse(ctx context.Context, w *workspace.Workspace, view report.View, err error) error {
	if err == nil {
		return nil
	}
	list := fail.All(err)
	noteRefusal(ctx, w, &view, list)
	return &report.Refusal{View: view, List: list}
}

// note records a refusal, and gives it the head of the log. That it cannot be recorded is no reason to refuse
// differently.
func noteRefusal(ctx context.Context, w *workspace.Workspace, v *report.View, list fail.List) {
	first := list[0]
	if first.Reason == fail.StoreUnwritable || first.Reason == fail.Indeterminate || errors.Is(first, api.ErrUnanswered) {
		return
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return
	}
	if !first.Noted {
		// Who has waited for the lock in vain does not wait again.
		store.RecordRefusal(ctx, refusalRecord(ctx, w, first, v.Patch.Sections), first.Kind != fail.Timeout)
	}
	var done report.Done
	if v.Done != nil {
		done = *v.Done // of the sections that were applied before
	}
	done.Log = report.Head(store.Head())
	v.Done = &done
}

// refusal is what the log says of a call that was refused.
func refusalRecord(ctx context.Context, w *workspace.Workspace, first *fail.Error, named []patch.Section) audit.Record {
	r := audit.Record{Kind: audit.Failed, Actor: w.Actor(ctx), PolicyHash: w.Guard.PolicyHash(),
		ErrorKind: string(first.Kind), Message: logbook.RefusalMessage(first)}
	if first.Kind == fail.PermissionDenied || first.Kind == fail.OutsideWorkspace {
		r.Kind = audit.Denied
	}
	for i := range named[:min(len(named), maxLoggedSections)] {
		s := &named[i]
		r.Ops = append(r.Ops, audit.Op{Operation: s.Op.String(), Path: caller.ForLog(w.LogPath(ctx, s.Path)), ToPath: caller.ForLog(w.LogPath(ctx, s.To))})
	}
	return r
}
