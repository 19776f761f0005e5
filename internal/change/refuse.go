package change

import (
	"context"
	"errors"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// maxLoggedSections limits the sections of a refused patch that the log lists.
const maxLoggedSections = 1000

// RefusedCall is a tool call that was refused before it reached the workspace. Paths holds the paths that could be read
// from its arguments.
type RefusedCall struct {
	Tool  string
	Op    patch.Op // what the tool does to the paths
	Paths []string
	Err   error
}

// View returns the call in the form in which refusals are reported: a section for each path.
func (c *RefusedCall) View() report.View {
	var sections []patch.Section
	for _, p := range c.Paths {
		sections = append(sections, patch.Section{Op: c.Op, Path: p})
	}
	return report.View{Patch: patch.Patch{Sections: sections}, Atomic: true}
}

// NoteRefused logs a refused call and returns the refusal. A log that cannot be written does not change the refusal.
func NoteRefused(ctx context.Context, w *workspace.Workspace, c RefusedCall) error {
	return refuse(withTool(ctx, w, c.Tool), w, c.View(), c.Err)
}

// refuse logs err as a refusal and returns it with its view. It returns nil for nil.
func refuse(ctx context.Context, w *workspace.Workspace, view report.View, err error) error {
	if err == nil {
		return nil
	}
	list := fail.All(err)
	noteRefusal(ctx, w, &view, list)
	return &report.Refusal{View: view, List: list}
}

// noteRefusal logs a refusal and puts the head of the log into the view. It does not log an unwritable store, a commit
// with an unknown outcome, a call that waits for a person, or a typo of one. If the log cannot be written, the refusal stays the same.
func noteRefusal(ctx context.Context, w *workspace.Workspace, v *report.View, list fail.List) {
	first := list[0]
	if first.Reason == fail.StoreUnwritable || first.Reason == fail.Indeterminate || errors.Is(first, api.ErrUnanswered) || caller.Typed(ctx) && isTypo(first) {
		return
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return
	}
	if !first.Noted {
		// A call that timed out, waiting for the lock, does not wait a second time.
		store.RecordAttempt(ctx, refusalRecord(ctx, w, first, *v), attemptOf(ctx, first), first.Kind != fail.Timeout)
	}
	var done report.Done
	if v.Done != nil {
		done = *v.Done // from the sections that were applied before
	}
	done.Log = report.Head(store.Head())
	v.Done = &done
}

// dialectName returns the name of the dialect of a patch, "" for other calls.
func dialectName(v report.View) string {
	if v.Dialect == nil {
		return ""
	}
	return v.Dialect.Name
}

// isTypo reports whether a refusal says only that what was typed does not fit the files. Who may not do something, or is late, is on
// record.
func isTypo(e *fail.Error) bool {
	switch e.Kind {
	case fail.NotFound, fail.AlreadyExists, fail.OldTextNotFound, fail.MultipleMatches:
		return true
	case fail.CommandFailed:
		return slices.Contains([]string{fail.BadArguments, fail.BadPattern, fail.SamePath, fail.AbsolutePath, fail.SpecialFile}, e.Reason)
	}
	return false
}

// refusalRecord returns the log entry of a refused call.
func refusalRecord(ctx context.Context, w *workspace.Workspace, first *fail.Error, v report.View) audit.Record {
	sections := v.Patch.Sections
	r := audit.Record{Kind: audit.Failed, Actor: w.Actor(ctx), PolicyHash: w.Guard.PolicyHash(), Dialect: dialectName(v),
		ErrorKind: string(first.Kind), Message: logbook.RefusalMessage(first)}
	if first.Kind == fail.PermissionDenied || first.Kind == fail.OutsideWorkspace {
		r.Kind = audit.Denied
	}
	for i := range sections[:min(len(sections), maxLoggedSections)] {
		s := &sections[i]
		r.Ops = append(r.Ops, audit.Op{Operation: s.Op.String(), Path: caller.ForLog(w.LogPath(ctx, s.Path)), ToPath: caller.ForLog(w.LogPath(ctx, s.To))})
	}
	return r
}
