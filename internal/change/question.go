package change

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// questionText returns the diff of a plan for the person who approves it. The files that need approval come first,
// because a long text is cut at its end.
func questionText(ctx context.Context, w *workspace.Workspace, p *plan.Plan, r CommitRequest) string {
	var first, rest strings.Builder
	for i := range p.Steps {
		s := &p.Steps[i]
		if slices.ContainsFunc(r.Asks, func(a api.AskedPath) bool { return a.Path == s.Path || a.Path == s.To }) {
			first.WriteString(stepForPerson(ctx, w, s, r.Permanent))
		} else {
			rest.WriteString(report.Diff(s))
		}
	}
	return first.String() + rest.String()
}

// stepForPerson returns the diff of a step, and what the diff does not show: that a deletion is permanent, that a file
// is replaced, and text that the step brings from another place.
func stepForPerson(ctx context.Context, w *workspace.Workspace, s *plan.Step, forget bool) string {
	var b strings.Builder
	note := func(format string, args ...any) {
		fmt.Fprintf(&b, "# %s\n", report.OneLine(fmt.Sprintf(format, args...)))
	}
	switch {
	case s.Op == patch.Delete && forget:
		note("%s is deleted permanently: it does not go to the trash", s.Path)
	case s.Op == patch.Move && s.Replaces != nil:
		note("what is at %s is replaced", s.To)
	case s.Exec, s.Mode == patch.Executable:
		note("%s is made executable", s.Path)
	}
	b.WriteString(report.Diff(s))
	text, ok, err := incomingText(ctx, w, s)
	switch {
	case err != nil:
		note("what comes to stand there is not shown: %v", err)
	case ok:
		note("what comes to stand there:")
		at := s.Path
		if s.Op == patch.Move {
			at = s.To
		}
		b.WriteString(report.Diff(&plan.Step{Op: patch.Add, Path: at, After: text}))
	}
	return b.String()
}

// incomingText returns the text that a step brings from another path or from the history. ok is false if it brings
// none.
func incomingText(ctx context.Context, w *workspace.Workspace, s *plan.Step) (text string, ok bool, err error) {
	switch {
	case s.Op == patch.Move && s.After != "":
		return s.After, true, nil
	case s.Op == patch.Move && s.Source.Kind == plan.Regular:
		text, err = movedText(ctx, w, s)
		return text, true, err
	case s.Op == patch.Move && s.Source.Kind == plan.Link:
		return "", false, errLink(s.Source.Target)
	case s.FromHistory != "" && s.After == "":
		text, err = textInSlot(w, s.FromHistory)
		return text, true, err
	}
	return "", false, nil
}

// movedText returns the content of the file that a step moves. It refuses a large file, and one that changed since the
// plan.
func movedText(ctx context.Context, w *workspace.Workspace, s *plan.Step) (string, error) {
	if s.Source.Size > MaxShown {
		return "", errTooLong(s.Source.Size)
	}
	text, sum, err := w.Guard.Load(ctx, s.Source.Handle.(guard.Entry))
	if err == nil && sum != s.BeforeSum {
		err = changedSince(s.Path)
	}
	return text, err
}

// textInSlot returns the content that a slot of the history keeps. It refuses a large file and a symbolic link.
func textInSlot(w *workspace.Workspace, slot string) (string, error) {
	store, err := w.OpenStore()
	if err != nil {
		return "", err
	}
	f, is, err := kept.Of(store.History()).Open(slot)
	if err != nil {
		return "", workspace.StoreError(err)
	}
	defer f.Close()
	link := is.Mode&fs.ModeSymlink != 0
	if !link && is.Size > MaxShown {
		return "", errTooLong(is.Size)
	}
	b, err := io.ReadAll(io.LimitReader(f, MaxShown))
	if link && err == nil {
		return "", errLink(string(b))
	}
	return string(b), err
}

func errLink(target string) error {
	return fmt.Errorf("it is a symbolic link to %s", fail.Quote(target))
}

func errTooLong(size int64) error { return fmt.Errorf("it has %d bytes", size) }
