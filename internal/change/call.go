package change

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/outcome"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Call is one call that changes files by itself. What it wants is settled as a plan and committed as a patch is: there
// is no other way to a user's file.
type Call[T any] struct {
	Tool    string
	Key     string
	Request any             // all of it: a key that comes back with another request is refused
	Named   []patch.Section // what it names, for the log and for a refusal
	Settle  func(ctx context.Context, src *source.Reader) (*plan.Plan, error)
	Record  func(*Record) // what else the log is to say, and what the commit is to do; optional
	Data    func(*outcome.Report) T
	Recall  func(Recalled) T // the same, as far as the log has it, when the answer is lost
	Say     func(T) string   // what a model reads
}

// Perform makes a call, once for each key.
func Perform[T any](ctx context.Context, w *workspace.Workspace, c Call[T]) (*api.Answer[T], error) {
	if err := w.Enter(); err != nil {
		return nil, &outcome.Refusal{List: fail.All(err)}
	}
	defer w.Leave()
	ctx = Calling(ctx, w, c.Tool)
	rep, err := c.do(ctx, w)
	if err != nil {
		return nil, Refuse(ctx, w, report.View{Patch: patch.Patch{Sections: c.Named}, Atomic: true}, err)
	}
	return c.answer(rep), nil
}

// Calling names the tool for the log, unless the caller has.
func Calling(ctx context.Context, w *workspace.Workspace, tool string) context.Context {
	if w.Actor(ctx).Tool != "" {
		return ctx
	}
	return caller.WithActor(ctx, api.Actor{Tool: tool})
}

func (c *Call[T]) do(ctx context.Context, w *workspace.Workspace) (*outcome.Report, error) {
	r := Record{Key: c.Key, result: func(rep *outcome.Report) api.Result { return c.answer(rep).Result() }, recall: c.recalled}
	if c.Key != "" {
		r.Request = RequestSum(ctx, w, c.Tool, c.Request)
	}
	if c.Record != nil {
		c.Record(&r)
	}
	return Once(ctx, w, r, func(r Record) (*outcome.Report, error) { return settled(ctx, w, c.Settle, r) })
}

// Once does a thing, or returns the answer of the first time that it was done under the same key.
func Once(ctx context.Context, w *workspace.Workspace, r Record, do func(Record) (*outcome.Report, error)) (*outcome.Report, error) {
	if r.Key != "" {
		if rep, err := Earlier(ctx, w, r); rep != nil || err != nil {
			return rep, err
		}
	}
	rep, err := do(r)
	if err == nil {
		return rep, nil
	}
	if first := Meanwhile(ctx, w, r); first != nil {
		return first, nil
	}
	return nil, err
}

// settled commits what settle decides.
func settled(ctx context.Context, w *workspace.Workspace, settle func(context.Context, *source.Reader) (*plan.Plan, error), r Record) (*outcome.Report, error) {
	src := source.NewReader(ctx, w)
	p, err := settle(ctx, src)
	if err == nil {
		err = src.Batch.Recheck()
	}
	src.Close()
	if err == nil {
		err = w.CheckPlan(p)
	}
	if err != nil {
		return nil, Telling(ctx, w, src, err)
	}
	r.Asks = src.Asks.List()
	return Commit(ctx, w, report.View{Atomic: true}, p, src.Sums(), r)
}

// recalled words what the log has of the first time.
func (c *Call[T]) recalled(r Recalled) api.Result {
	data := c.Recall(r)
	return &report.Object{Ok: true, Output: c.Say(data) + "\nNote: This was done before, under the same key.", Data: data, Meta: &report.Meta{Tx: r.tx}}
}

// answer words a report.
func (c *Call[T]) answer(rep *outcome.Report) *api.Answer[T] {
	if rep.Stored != nil {
		return api.NewAnswer(outcome.Answered[T](rep.Stored), rep.Done.Tx, nil, func() api.Result { return rep.Stored })
	}
	data, notes := c.Data(rep), rep.Done.Notes
	return api.NewAnswer(data, rep.Done.Tx, notes, func() api.Result {
		var output strings.Builder
		output.WriteString(c.Say(data))
		for _, n := range notes {
			output.WriteString("\nNote: " + report.Escape(n))
		}
		return &report.Object{Ok: true, Output: output.String(), Data: data,
			Meta: &report.Meta{Tx: rep.Done.Tx, Log: &rep.Done.Log, Notes: notes}}
	})
}

// RequestSum tells requests under one key apart: by the tool, by all that is asked, and by the directory that its paths are
// relative to.
func RequestSum(ctx context.Context, w *workspace.Workspace, tool string, request any) string {
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
