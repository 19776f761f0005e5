package change

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// CommitRequest is what the log says of a call beside what it does.
type CommitRequest struct {
	Kind         audit.Kind
	Key, Request string
	Undoes       []string                  // the transactions that it takes back
	Prune        []string                  // directories to remove when nothing is left in them
	Forget       bool                      // keep nothing of what is deleted
	result       func(*Report) api.Result  // words the outcome, where it is not a patch's
	recall       func(recalled) api.Result // the same from the log, when the outcome is lost
	Progress     func(done, total int)
	Asks         []api.AskedPath // what a person is to be asked about
	given        *audit.Asked    // what they said yes to already
	before       *Report         // what the same call has done so far, section by section; it is part of the answer
}

// maxNoted is how many sections of a refused patch the log lists.
const maxNoted = 1000

// recalled is what the log has of a call that changed one file.
type recalled struct {
	audit.Op
	tx        string
	TrashedTo string
	OldSize   int64
}

// answer is what the call is told when rep, the last of it, is done.
func (r CommitRequest) answer(rep *Report) api.Result {
	if r.before != nil {
		rep = r.before.And(rep)
	}
	if r.result != nil {
		return r.result(rep)
	}
	return rep.Result()
}

func commitPlan(ctx context.Context, w *workspace.Workspace, view report.View, p *plan.Plan, sums map[guard.Identity]string, r CommitRequest) (*Report, error) {
	if p.Applied() {
		return nothing(ctx, w, view, p, sums, r)
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	asked, err := askForPlan(ctx, w, p, sums, r)
	if err != nil {
		return nil, err
	}
	n := netOf(p.Steps, w.Paths().Prefix, sums, r.Forget)
	rep := &Report{View: view, Plan: p}
	rep.View.Diffs = report.StartDiffs(p)
	tx := commit.Tx{Changes: n.changes, RemoveDirs: r.Prune, Progress: r.Progress, Record: audit.Record{Kind: cmp.Or(r.Kind, audit.Commit), Idem: r.Key, Request: r.Request,
		Actor: w.Actor(ctx), PolicyHash: w.Guard.PolicyHash(), Ops: n.ops(p.Steps), Undoes: r.Undoes, Asked: asked}}
	tx.Refused = func(err error) audit.Record {
		out := refusal(ctx, w, fail.All(err)[0], nil)
		for _, op := range tx.Record.Ops[:min(len(tx.Record.Ops), maxNoted)] {
			out.Ops = append(out.Ops, audit.Op{Operation: op.Operation, Path: op.Path, ToPath: op.ToPath})
		}
		return out
	}
	tx.Texts = func(d *commit.Done) (diff, answer string) {
		fill(rep, n, d)
		if r.Key != "" {
			answer = report.Encode(r.answer(rep))
		}
		if !r.Forget {
			diff = rep.View.Diffs.String()
		}
		return diff, answer
	}
	d, err := store.Run(ctx, tx)
	if err != nil {
		return nil, err
	}
	if d.Earlier != nil {
		first, answer, err := store.ByKey(r.Key)
		if err != nil {
			return nil, err
		}
		return repeated(w, store, first, answer, r)
	}
	return rep, nil
}

// nothing is the report of a plan that leaves nothing to do. There is no transaction, and no record: nothing was changed
// or refused. A person who is to be asked about reading is asked, for the answer says what the files have.
func nothing(ctx context.Context, w *workspace.Workspace, view report.View, p *plan.Plan, sums map[guard.Identity]string, r CommitRequest) (*Report, error) {
	read := slices.DeleteFunc(slices.Clone(r.Asks), func(a api.AskedPath) bool { return a.Write })
	if _, err := consent.Ask(ctx, w, read, "", consent.NewDigest(sums)); err != nil {
		return nil, err
	}
	rep := &Report{View: view, Plan: p}
	store, err := w.OpenStore()
	if err == nil && store != nil {
		rep.Done.Log = report.Head(store.Head())
		rep.View.Done = &rep.Done
	}
	return rep, nil
}

// fill completes a report by what the commit did.
func fill(r *Report, n *net, d *commit.Done) {
	r.Done = report.Done{Tx: d.Tx, Log: report.Head(d.Head), Notes: d.Notes, Trashed: n.trashed(r.Plan.Steps, d.Slots)}
	r.Done.Notes = append(commit.RecoveryNotes(d.Recovered), r.Done.Notes...)
	for i := range n.changes {
		c := &n.changes[i]
		if c.New == nil || c.New.Move || c.New.From < 0 {
			continue
		}
		if from := n.changes[c.New.From].Old; from != nil && from.Links > 1 {
			r.Done.Notes = append(r.Done.Notes, fmt.Sprintf("%s: it was one of %d hard links; the others keep the old content.", c.Path, from.Links))
		}
	}
	r.View.Done = &r.Done
}

// Commit makes a plan true, entirely or not at all. What the plan saw must still be so; a person whom the policy wants to be
// asked is asked now. The sections of a plan are committed together.
func Commit(ctx context.Context, w *workspace.Workspace, p *Plan) (*Report, error) {
	view := p.View
	ctx = withTool(ctx, w, "apply_patch")
	view.DryRun, view.Atomic, view.Notes = false, true, nil
	if p.workspace != w {
		return nil, &report.Refusal{View: view, List: fail.List{{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: "the plan was made by another workspace, whose rules may be others", Hint: "Plan the patch in the workspace that commits it."}}}
	}
	rep, err := commitPlan(ctx, w, view, p.Plan, p.sums, CommitRequest{Asks: p.asks})
	if err == nil {
		return rep, nil
	}
	return nil, refuse(ctx, w, view, err)
}

// Apply plans the text of a patch and commits it. With Sequential it does so section by section, each atomic, and stops at the
// first that fails.
func Apply(ctx context.Context, w *workspace.Workspace, p Patch) (*Report, error) {
	ctx = withTool(ctx, w, "apply_patch")
	ctx, err := w.WithBase(ctx, p.Base)
	if err != nil {
		return nil, refuse(ctx, w, report.View{Atomic: !p.Sequential}, err)
	}
	r := CommitRequest{Key: p.IdempotencyKey, Progress: p.Progress}
	if r.Key != "" {
		r.Request = requestSum(ctx, w, "apply_patch", text.Sum(p.Text))
		if rep, err := earlier(ctx, w, r); rep != nil || err != nil {
			return rep, refuse(ctx, w, report.View{Atomic: true}, err)
		}
	}
	if p.Sequential {
		return applyEach(ctx, w, p.Text, p.PatchOptions, r)
	}
	rep, view, err := applyAll(ctx, w, p.Text, p.PatchOptions, r)
	if err == nil {
		return rep, nil
	}
	if first := meanwhile(ctx, w, r); first != nil {
		return first, nil
	}
	return nil, refuse(ctx, w, view, err)
}

// applyAll plans and commits text in one.
func applyAll(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, r CommitRequest) (*Report, report.View, error) {
	src := source.NewReader(ctx, w)
	p, err := preview(ctx, w, text, o, src)
	src.Close()
	if refused, ok := errors.AsType[*report.Refusal](err); ok {
		refused.View.DryRun = false
		return nil, refused.View, refused.List
	}
	view := p.View
	view.DryRun, view.Notes, r.Asks = false, nil, p.asks
	rep, err := commitPlan(ctx, w, view, p.Plan, p.sums, r)
	return rep, view, err
}

// refuse makes a refusal of err, and notes it.
func refuse(ctx context.Context, w *workspace.Workspace, view report.View, err error) error {
	if err == nil {
		return nil
	}
	list := fail.All(err)
	note(ctx, w, &view, list)
	return &report.Refusal{View: view, List: list}
}

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

// note records a refusal, and gives it the head of the log. That it cannot be recorded is no reason to refuse
// differently.
func note(ctx context.Context, w *workspace.Workspace, v *report.View, list fail.List) {
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
		store.RecordRefusal(ctx, refusal(ctx, w, first, v.Patch.Sections), first.Kind != fail.Timeout)
	}
	var done report.Done
	if v.Done != nil {
		done = *v.Done // of the sections that were applied before
	}
	done.Log = report.Head(store.Head())
	v.Done = &done
}

// refusal is what the log says of a call that was refused.
func refusal(ctx context.Context, w *workspace.Workspace, first *fail.Error, named []patch.Section) audit.Record {
	r := audit.Record{Kind: audit.Failed, Actor: w.Actor(ctx), PolicyHash: w.Guard.PolicyHash(),
		ErrorKind: string(first.Kind), Message: logbook.RefusalMessage(first)}
	if first.Kind == fail.PermissionDenied || first.Kind == fail.OutsideWorkspace {
		r.Kind = audit.Denied
	}
	for i := range named[:min(len(named), maxNoted)] {
		s := &named[i]
		r.Ops = append(r.Ops, audit.Op{Operation: s.Op.String(), Path: caller.ForLog(w.LogPath(ctx, s.Path)), ToPath: caller.ForLog(w.LogPath(ctx, s.To))})
	}
	return r
}

// earlier returns the answer that a call with this key was given before. A transaction that may not have come to its
// end is no answer: whoever is at work on it is waited for, or it is recovered.
func earlier(ctx context.Context, w *workspace.Workspace, r CommitRequest) (*Report, error) {
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return nil, err
	}
	first, answer, err := store.ByKey(r.Key)
	if err != nil || first == nil {
		return nil, err
	}
	if pending, err := store.Pending(); err != nil || pending != nil && pending.Tx == first.Tx {
		if _, err := store.Recover(ctx); err != nil {
			return nil, err
		}
		if first, answer, err = store.ByKey(r.Key); err != nil || first == nil {
			return nil, err
		}
	}
	return repeated(w, store, first, answer, r)
}

func repeated(w *workspace.Workspace, store *commit.Store, first *audit.Record, answer string, r CommitRequest) (*Report, error) {
	if first.Request != r.Request {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg:  fmt.Sprintf("the idempotency key %s was used for another patch", fail.Quote(r.Key)),
			Hint: "Use a new key for every patch, and the same one only to send the same patch again."}
	}
	rep := &Report{Stored: report.Decode(answer), Done: report.Done{Tx: first.Tx, Log: report.Head(store.Head())}}
	if rep.Stored == nil || !mayRead(w, first) {
		rep.Stored = fromLog(w, first, r)
	}
	return rep, nil
}

// mayRead reports whether everything that a change touched may be read now: its answer has the text of it.
func mayRead(w *workspace.Workspace, r *audit.Record) bool {
	return !slices.ContainsFunc(r.Ops, func(op audit.Op) bool { return !mayReadOf(w, op) })
}

func mayReadOf(w *workspace.Workspace, op audit.Op) bool {
	for _, p := range []string{op.Path, op.ToPath} {
		if rel, ok := w.Paths().FromTop(p); p != "" && (!ok || w.Guard.CheckRead(rel) != nil) {
			return false
		}
	}
	return true
}

// meanwhile looks, when a call with a key has failed, whether the same call has been committed by somebody else since:
// then that is why it failed, and the answer is theirs. Who is committing it now is waited for.
func meanwhile(ctx context.Context, w *workspace.Workspace, r CommitRequest) *Report {
	if r.Key == "" {
		return nil
	}
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return nil
	}
	if _, err := store.Recover(ctx); err != nil {
		return nil
	}
	rep, err := earlier(ctx, w, r)
	if err != nil {
		return nil
	}
	return rep
}

// applyEach applies the sections one after the other.
func applyEach(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, r CommitRequest) (*Report, error) {
	view, d, err := parse(w, text, o)
	view.Atomic, view.DryRun = false, false
	if err != nil {
		return nil, refuse(ctx, w, view, err)
	}
	if rep, err := allApplied(ctx, w, text, o, r); rep != nil || err != nil {
		return rep, refuse(ctx, w, view, err)
	}
	whole := &Report{View: view, Plan: &plan.Plan{}}
	leave, err := askEach(ctx, w, text, view, d, o)
	if err != nil {
		return nil, refuse(ctx, w, view, err)
	}
	for i := range view.Patch.Sections {
		rep, err := applyOnce(ctx, w, whole, d, i, o, r, leave)
		if err != nil {
			for _, e := range fail.All(err) {
				e.Section = i + 1
			}
			view.Done, view.Partial = whole.View.Done, whole.Plan
			return nil, refuse(ctx, w, view, err)
		}
		whole = whole.And(rep)
		o.Expect = beyond(&view.Patch.Sections[i], o.Expect)
	}
	return whole, nil
}

// allApplied is the report of a patch of which all sections are already applied, else nil: what one of them leaves open
// the others may prove.
func allApplied(ctx context.Context, w *workspace.Workspace, text string, o api.PatchOptions, r CommitRequest) (*Report, error) {
	if !o.Idempotent {
		return nil, nil
	}
	src := source.NewReader(ctx, w)
	defer src.Close()
	view, p, err := planPatch(ctx, w, text, o, src)
	if err != nil || !p.Applied() {
		return nil, nil // section by section it turns out why
	}
	view.DryRun, r.Asks = false, src.Asked.List()
	return nothing(ctx, w, view, p, src.Sums(), r)
}

// beyond is what is expected of later sections: a hash is of what the first section finds that names the path, and what
// that one leaves needs none, as in a patch that is applied whole.
func beyond(s *patch.Section, expect map[string]string) map[string]string {
	out := maps.Clone(expect)
	delete(out, s.Path)
	delete(out, s.To)
	return out
}

// applyOnce applies section i, unless the same call did so before it was cut short.
func applyOnce(ctx context.Context, w *workspace.Workspace, whole *Report, d *dialect.Dialect, i int, o api.PatchOptions, r CommitRequest, leave *leave) (*Report, error) {
	last := i == len(whole.View.Patch.Sections)-1
	if r.Key != "" && !last {
		r.Key = fmt.Sprintf("%s, section %d", r.Key, i+1)
		done, err := earlier(ctx, w, r)
		if err != nil {
			return nil, err
		}
		if done != nil {
			return done.Section(whole.View, i), nil
		}
	}
	rep, err := applyOne(ctx, w, whole, d, i, o, r, leave)
	if err != nil {
		if done := meanwhile(ctx, w, r); done != nil {
			rep, err = done, nil
		}
	}
	if err == nil && rep.Stored != nil && !last {
		rep = rep.Section(whole.View, i)
	}
	return rep, err
}

// applyOne plans and commits section i, after those that are in whole. The key goes with the last section: until that
// is done the call is not; the others have keys of their own.
func applyOne(ctx context.Context, w *workspace.Workspace, whole *Report, d *dialect.Dialect, i int, o api.PatchOptions, r CommitRequest, leave *leave) (*Report, error) {
	src := source.NewReader(ctx, w)
	defer src.Close()
	sections := whole.View.Patch.Sections
	p, err := plan.Build(ctx, patch.Patch{Sections: sections[i : i+1]}, d.Rules(parseOptions(o)), src, planOptions(o, d))
	if err == nil {
		err = src.Batch.Recheck()
	}
	if err == nil {
		err = w.CheckPlan(p)
	}
	switch {
	case leave.covers(src):
		if err == nil {
			err = leave.holds(p, src)
		}
		r.given = leave.given(src)
	case err != nil:
		err = askBeforeTelling(ctx, w, src, err)
	default:
		r.Asks = src.Asked.List()
	}
	if err != nil {
		return nil, err
	}
	if i == len(sections)-1 {
		r.before = whole
	}
	for k := range p.Steps {
		p.Steps[k].Section = i
	}
	for k := range p.Skipped {
		p.Skipped[k].Section = i
	}
	rep, err := commitPlan(ctx, w, whole.View, p, src.Sums(), r)
	if err == nil {
		leave.follow(p)
	}
	return rep, err
}

func recalls(w *workspace.Workspace, first *audit.Record) recalled {
	op := first.Ops[0]
	out := recalled{Op: seen(w, op), tx: first.Tx, TrashedTo: logbook.SlotOf(first, op)}
	for _, a := range first.Acts {
		if a.Path == op.Path && a.Old != nil {
			out.OldSize = a.Old.Size
		}
		if a.Gone {
			out.TrashedTo = ""
		}
	}
	return out
}

// seen is an entry of the log with paths from the root, and without the hashes of what may not be read: what is short can
// be guessed, and the hash says when it is right.
func seen(w *workspace.Workspace, op audit.Op) audit.Op {
	if !mayReadOf(w, op) {
		op.Before, op.After = "", ""
	}
	for _, p := range []*string{&op.Path, &op.ToPath} {
		if rel, ok := w.Paths().FromTop(*p); ok {
			*p = rel
		}
	}
	return op
}

// fromLog is the answer to a repeated call whose first answer was lost: what the log has of it.
func fromLog(w *workspace.Workspace, first *audit.Record, r CommitRequest) *report.StoredResult {
	if r.recall != nil && len(first.Ops) == 1 {
		return report.Decode(report.Encode(r.recall(recalls(w, first))))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Applied before, as %s: %d file(s).", first.Tx, len(first.Ops))
	data := &report.Data{Atomic: true, ChangedFiles: []report.ChangedFile{}}
	o := report.Object{Ok: true, Data: data, Meta: &report.Meta{Tx: first.Tx}}
	for _, op := range first.Ops {
		trashed := logbook.SlotOf(first, op)
		op = seen(w, op)
		text.WriteString("\n  " + report.Escape(op.Operation+" "+op.Path))
		data.ChangedFiles = append(data.ChangedFiles, report.ChangedFile{Path: op.Path, Operation: op.Operation,
			ToPath: op.ToPath, BeforeSha256: op.Before, AfterSha256: op.After, TrashedTo: trashed})
	}
	o.Output = text.String()
	return report.Decode(report.Encode(&o))
}
