package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/emend-dev/emend/internal/consent"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// call is one call that changes files by itself. It is settled as a plan and committed as a patch is: there is no other way
// to a user's file.
type call[T any] struct {
	tool    string
	key     string          // of idempotency; "" for none
	request any             // all that was asked for: a key that comes back with another request is refused
	named   []patch.Section // the paths that the request names, for the log and for a refusal
	plan    func(ctx context.Context, src *source.Reader) (*plan.Plan, error)
	record  func(*CommitRequest) // adds to the record and to the commit; optional
	data    func(*Report) T
	recall  func(recalled) T // makes the data from the log, when the first answer is lost
	say     func(T) string   // words the data for a model
}

// perform makes a call, once for each key.
func perform[T any](ctx context.Context, w *workspace.Workspace, c call[T]) (*api.Answer[T], error) {
	ctx = withTool(ctx, w, c.tool)
	rep, err := c.do(ctx, w)
	if err != nil {
		return nil, refuse(ctx, w, report.View{Patch: patch.Patch{Sections: c.named}, Atomic: true}, err)
	}
	return c.answer(rep), nil
}

// withTool names the tool for the log, unless the caller has.
func withTool(ctx context.Context, w *workspace.Workspace, tool string) context.Context {
	if w.Actor(ctx).Tool != "" {
		return ctx
	}
	return caller.WithActor(ctx, api.Actor{Tool: tool})
}

func (c *call[T]) do(ctx context.Context, w *workspace.Workspace) (*Report, error) {
	r := CommitRequest{Key: c.key, result: func(rep *Report) api.Result { return c.answer(rep).Result() }, recall: c.recalledResult}
	if c.key != "" {
		r.Request = requestSum(ctx, w, c.tool, c.request)
	}
	if c.record != nil {
		c.record(&r)
	}
	view := report.View{Atomic: true}
	return once(ctx, w, r, func(r CommitRequest) (*Report, error) {
		return settled(ctx, w, &view, r, func(ctx context.Context, src *source.Reader, _ *report.View, _ *CommitRequest) (*plan.Plan, error) {
			return c.plan(ctx, src)
		})
	})
}

// Run plans a change, commits it and answers, once for each key. With dryRun it only words what the plan would do. settle works out the
// plan; it may add to the view and to the request.
func Run(ctx context.Context, w *workspace.Workspace, tool string, request any, r CommitRequest, view report.View, settle settleFunc) (*Report, error) {
	ctx = withTool(ctx, w, tool)
	if r.Key != "" {
		r.Request = requestSum(ctx, w, tool, request)
	}
	rep, err := once(ctx, w, r, func(r CommitRequest) (*Report, error) { return settled(ctx, w, &view, r, settle) })
	switch {
	case err != nil && view.DryRun:
		return nil, &report.Refusal{View: view, List: fail.All(err)} // nothing would have changed: it is not noted in the log
	case err != nil:
		return nil, refuse(ctx, w, view, err)
	}
	return rep, nil
}

// settleFunc works out a plan from the files that src reads.
type settleFunc func(ctx context.Context, src *source.Reader, view *report.View, r *CommitRequest) (*plan.Plan, error)

// settled makes the plan and commits it, or words it in a dry run.
func settled(ctx context.Context, w *workspace.Workspace, view *report.View, r CommitRequest, settle settleFunc) (*Report, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	p, err := settle(ctx, src, view, &r)
	if err == nil {
		err = src.Batch.Recheck()
	}
	if err == nil {
		err = w.CheckPlan(p)
	}
	if err != nil {
		return nil, askBeforeTelling(ctx, w, src, err)
	}
	if view.DryRun {
		view.Notes = append(view.Notes, consent.PlanNotes(src.Asked.List())...)
		return &Report{View: *view, Plan: p}, askBeforeTelling(ctx, w, src, nil)
	}
	r.Asks = src.Asked.List()
	return commitPlan(ctx, w, *view, p, src.Sums(), r)
}

// once runs do, or returns the answer of the first call with the same key.
func once(ctx context.Context, w *workspace.Workspace, r CommitRequest, do func(CommitRequest) (*Report, error)) (*Report, error) {
	if r.Key != "" {
		if rep, err := earlier(ctx, w, r); rep != nil || err != nil {
			return rep, err
		}
	}
	rep, err := do(r)
	if err == nil {
		return rep, nil
	}
	if first := meanwhile(ctx, w, r); first != nil {
		return first, nil
	}
	return nil, err
}

// recalledResult words what the log has of the first time.
func (c *call[T]) recalledResult(r recalled) api.Result {
	data := c.recall(r)
	return &report.Object{Ok: true, Output: c.say(data) + "\nNote: This was done before, under the same key.", Data: data, Meta: &report.Meta{Tx: r.tx}}
}

// answer words a report.
func (c *call[T]) answer(rep *Report) *api.Answer[T] {
	if rep.Stored != nil {
		return api.NewAnswer(storedData[T](rep.Stored), rep.Done.Tx, nil, func() api.Result { return rep.Stored })
	}
	data, notes := c.data(rep), rep.Done.Notes
	return api.NewAnswer(data, rep.Done.Tx, notes, func() api.Result {
		var output strings.Builder
		output.WriteString(c.say(data))
		for _, n := range notes {
			output.WriteString("\nNote: " + report.Escape(n))
		}
		return &report.Object{Ok: true, Output: output.String(), Data: data,
			Meta: &report.Meta{Tx: rep.Done.Tx, Log: &rep.Done.Log, Notes: notes}}
	})
}

// storedData reads the data of an answer that was given before.
func storedData[T any](s *report.StoredResult) (data T) {
	var o struct{ Data *T }
	o.Data = &data
	json.Unmarshal(s.JSON, &o) //nolint:errcheck // emend wrote it; what cannot be read is empty
	return data
}

// requestSum tells requests under one key apart: by the tool, by all that is asked, and by the directory that its paths are
// relative to.
func requestSum(ctx context.Context, w *workspace.Workspace, tool string, request any) string {
	b, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%s %d %q %s", tool, w.Guard.RootID().Ino, path.Join(".", w.BaseDir(ctx)), b))
	return hex.EncodeToString(h[:])
}

// HashArgument checks that a field has the form of a sha256. Where it may be left out, empty is left out.
func HashArgument(field, value string, required bool) error {
	if value == "" && !required {
		return nil
	}
	ok := len(value) == 64 && strings.Trim(value, "0123456789abcdef") == ""
	if ok {
		return nil
	}
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
		Msg:  fmt.Sprintf("%s has to be a sha256 of 64 lower-case hex digits, and is %s", field, fail.Quote(value)),
		Hint: "Read the file first: read_file returns its sha256. Then send that as " + field + "."}
}

// Target is what stands at a path that a call wants to change.
func Target(ctx context.Context, r *source.Reader, p string) (plan.File, error) {
	return r.Look(ctx, p, false)
}

// existing is a target that has to be a file, or a link where those are acted on themselves.
func existing(ctx context.Context, r *source.Reader, p, verb string) (plan.File, error) {
	f, err := Target(ctx, r, p)
	if err != nil {
		return f, err
	}
	switch f.Kind {
	case plan.Missing:
		return f, &fail.Error{Kind: fail.NotFound, Path: p, Msg: "no such file to " + verb,
			Hint: "Check the path with list_directory or glob; create_file makes a new file."}
	case plan.Directory:
		return f, &fail.Error{Kind: fail.NotFound, Reason: fail.SpecialFile, Path: p, Msg: "is a directory, not a file",
			Hint: "List the directory and name a file in it."}
	case plan.Special:
		return f, &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: p,
			Msg: "is a FIFO, a socket or a device, which is never opened", Hint: "Name a regular file."}
	}
	return f, nil
}

// sameSum is the stale check.
func sameSum(p, want, have string) error {
	if want == "" || want == have {
		return nil
	}
	return &fail.Error{Kind: fail.Stale, Path: p, Want: want, Have: have, Msg: "the file changed since it was read",
		Hint: "Re-read the file to obtain the current sha256 and re-apply your edit."}
}

// roomFor checks that a new file can get its path: nothing has it, and its directory exists or may be made.
func roomFor(f plan.File, p string, parents bool, instead string) error {
	switch {
	case f.Kind == plan.Directory:
		return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: "is a directory", Hint: "Choose another path, or name a file in it."}
	case f.Kind != plan.Missing:
		return &fail.Error{Kind: fail.AlreadyExists, Path: p, Msg: "the path exists", Hint: instead}
	case !f.HasParent && !parents:
		return &fail.Error{Kind: fail.NotFound, Path: p, Msg: "its directory does not exist",
			Hint: "Send it again with createParentDirectories: true (--parents), or choose a directory that exists."}
	}
	return nil
}

func single(s plan.Step) *plan.Plan {
	s.Writes = s.Path
	if s.To != "" {
		s.Writes = s.To
	}
	return &plan.Plan{Steps: []plan.Step{s}}
}
