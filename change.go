package emend

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// call is one call that changes files by itself. What it wants is settled as a plan and committed as a patch is: there
// is no other way to a user's file.
type call[T any] struct {
	tool    string
	key     string
	request any             // all of it: a key that comes back with another request is refused
	named   []patch.Section // what it names, for the log and for a refusal
	settle  func(ctx context.Context, src *reader) (*plan.Plan, error)
	record  func(*record) // what else the log is to say, and what the commit is to do; optional
	data    func(*Report) T
	recall  func(recalled) T // the same, as far as the log has it, when the answer is lost
	say     func(T) string   // what a model reads
}

// perform makes a call, once for each key.
func perform[T any](ctx context.Context, w *Workspace, c call[T]) (*Answer[T], error) {
	if err := w.enter(); err != nil {
		return nil, &Refusal{list: fail.All(err)}
	}
	defer w.calls.Done()
	ctx = w.calling(ctx, c.tool)
	rep, err := c.do(ctx, w)
	if err != nil {
		return nil, w.refuse(ctx, report.View{Patch: patch.Patch{Sections: c.named}, Atomic: true}, err)
	}
	return c.answer(rep), nil
}

// calling names the tool for the log, unless the caller has.
func (w *Workspace) calling(ctx context.Context, tool string) context.Context {
	a, _ := ctx.Value(actorKey{}).(Actor)
	if a.Tool == "" && w.keeper.actor.Tool == "" {
		a.Tool = tool
	}
	return As(ctx, a)
}

func (c *call[T]) do(ctx context.Context, w *Workspace) (*Report, error) {
	r := record{key: c.key, result: func(rep *Report) Result { return c.answer(rep).result }, recall: c.recalled}
	if c.key != "" {
		r.request = w.requestSum(ctx, c.tool, c.request)
	}
	if c.record != nil {
		c.record(&r)
	}
	return w.once(ctx, r, func(r record) (*Report, error) { return w.settled(ctx, c.settle, r) })
}

// once does a thing, or returns the answer of the first time that it was done under the same key.
func (w *Workspace) once(ctx context.Context, r record, do func(record) (*Report, error)) (*Report, error) {
	if r.key != "" {
		if rep, err := w.earlier(ctx, r); rep != nil || err != nil {
			return rep, err
		}
	}
	rep, err := do(r)
	if err == nil {
		return rep, nil
	}
	if first := w.meanwhile(ctx, r); first != nil {
		return first, nil
	}
	return nil, err
}

// settled commits what settle decides.
func (w *Workspace) settled(ctx context.Context, settle func(context.Context, *reader) (*plan.Plan, error), r record) (*Report, error) {
	src := newReader(ctx, w)
	p, err := settle(ctx, src)
	if err == nil {
		err = src.visit.Again()
	}
	src.close()
	if err == nil {
		err = w.limits.checkPlan(p)
	}
	if err != nil {
		return nil, w.telling(ctx, src, err)
	}
	r.asks = src.asks.List()
	return w.commit(ctx, report.View{Atomic: true}, p, src.sums(), r)
}

// recalled words what the log has of the first time.
func (c *call[T]) recalled(r recalled) Result {
	data := c.recall(r)
	return &report.Object{Ok: true, Output: c.say(data) + "\nNote: This was done before, under the same key.", Data: data, Meta: &report.Meta{Tx: r.tx}}
}

// answer words a report.
func (c *call[T]) answer(rep *Report) *Answer[T] {
	if rep.stored != nil {
		return &Answer[T]{Data: answered[T](rep.stored), Tx: rep.done.Tx, result: rep.stored}
	}
	a := &Answer[T]{Data: c.data(rep), Tx: rep.done.Tx, Notes: rep.done.Notes}
	var output strings.Builder
	output.WriteString(c.say(a.Data))
	for _, n := range a.Notes {
		output.WriteString("\nNote: " + report.Escape(n))
	}
	a.result = &report.Object{Ok: true, Output: output.String(), Data: a.Data,
		Meta: &report.Meta{Tx: rep.done.Tx, Log: &rep.done.Log, Notes: rep.done.Notes}}
	return a
}

// Refused notes in the log that a call of a tool that changes files was refused before it came to the workspace, and
// words the refusal. Paths are what the call named, as far as that could be read.
func (w *Workspace) Refused(ctx context.Context, tool string, paths []string, err error) *Refusal {
	var named []patch.Section
	for _, p := range paths {
		named = append(named, patch.Section{Op: operations[tool], Path: p})
	}
	view := report.View{Patch: patch.Patch{Sections: named}, Atomic: true}
	if e := w.enter(); e != nil {
		return &Refusal{view: view, list: fail.All(err)}
	}
	defer w.calls.Done()
	refused, _ := errors.AsType[*Refusal](w.refuse(w.calling(ctx, tool), view, err))
	return refused
}

// operations are what tools do to the path that they name, for the log.
var operations = map[string]patch.Op{
	"create_file": patch.Add, "restore_file": patch.Add, "delete_file": patch.Delete, "move_file": patch.Move,
	"write_file": patch.Update, "edit_file": patch.Update, "apply_patch": patch.Update, "undo": patch.Update, "put_back": patch.Update,
}

// requestSum tells requests under one key apart: by the tool, by all that is asked, and by the directory that its paths are
// relative to.
func (w *Workspace) requestSum(ctx context.Context, tool string, request any) string {
	b, err := json.Marshal(request)
	if err != nil {
		return ""
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%s %d %q %s", tool, w.guard.Root().Ino, path.Join(".", w.at(ctx)), b))
	return hex.EncodeToString(h[:])
}

// hashArgument checks that a field has the form of a sha256. Where it may be left out, empty is left out.
func hashArgument(field, value string, required bool) error {
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

// target is what stands at a path that a call wants to change.
func (r *reader) target(ctx context.Context, p string) (plan.File, error) {
	return r.Look(ctx, p, false)
}

// existing is a target that has to be a file, or a link where those are acted on themselves.
func (r *reader) existing(ctx context.Context, p, verb string) (plan.File, error) {
	f, err := r.target(ctx, p)
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

func (r *Report) step() *plan.Step { return &r.plan.Steps[0] }

func (r *Report) diff() string { return r.view.Diffs.Step(r.plan, 0) }

func (r *Report) trashedTo() string {
	if len(r.done.Trashed) == 0 {
		return ""
	}
	return r.done.Trashed[0]
}
