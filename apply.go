package emend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/patch"
)

// Report is what a commit did.
type Report struct {
	view   report.View
	plan   *plan.Plan
	done   report.Done
	stored *report.Stored // the first answer, when the call was a repetition
}

// Result words the report in the shape of its dialect.
func (r *Report) Result() Result {
	if r.stored != nil {
		return r.stored
	}
	return report.Of(r.view, r.plan, nil)
}

// Summary says in a few lines what was done.
func (r *Report) Summary() string {
	if r.stored != nil {
		return r.stored.Text()
	}
	return report.Summary(r.view, r.plan)
}

// Files is what became of each file, in the order of the patch. It is empty for a repeated call.
func (r *Report) Files() []File {
	if r.plan == nil {
		return nil
	}
	return (&Plan{plan: r.plan}).Files()
}

// Tx names the transaction, by which the log and the history know it. Of sections applied one by one it is the last.
func (r *Report) Tx() string { return r.done.Tx }

// Head is the newest record of the log.
func (r *Report) Head() Head { return Head(r.done.Log) }

// Notes are what a person should know of the commit, one sentence each: what could not be kept of a file's
// attributes, for example.
func (r *Report) Notes() []string { return r.done.Notes }

// Repeated reports whether nothing was done now, since a call with the same idempotency key had been committed before.
func (r *Report) Repeated() bool { return r.stored != nil }

// Commit makes a plan true, entirely or not at all. It decides nothing: what the plan saw must still be so, or it
// refuses; a person whom the policy wants to be asked is asked now. An error is a *Refusal, and the tree is as it was, unless errors.Is finds its reason [fail.Indeterminate]:
// then [Workspace.Recover] has to finish it or take it back. Sections of a plan are committed together, whatever
// Options.Sequential said; [Workspace.Apply] does them one by one.
func (w *Workspace) Commit(ctx context.Context, p *Plan) (*Report, error) {
	view := p.view
	if err := w.enter(); err != nil {
		return nil, &Refusal{view: view, list: fail.All(err)}
	}
	defer w.calls.Done()
	ctx = w.calling(ctx, "apply_patch")
	view.DryRun, view.Atomic = false, true
	if p.of != w {
		return nil, &Refusal{view: view, list: fail.List{{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg: "the plan was made by another workspace, whose rules may be others", Hint: "Plan the patch in the workspace that commits it."}}}
	}
	view.Notes = nil
	rep, err := w.commit(ctx, view, p.plan, p.sums, record{asks: p.asks})
	if err == nil {
		return rep, nil
	}
	list := fail.All(err)
	w.note(ctx, &view, list)
	return nil, &Refusal{view: view, list: list}
}

// record is what the log says of a call beside what it does.
type record struct {
	kind         audit.Kind
	key, request string
	undoes       []string              // the transactions that it takes back
	prune        []string              // directories to remove when nothing is left in them
	forget       bool                  // keep nothing of what is deleted
	result       func(*Report) Result  // words the outcome, where it is not a patch's
	recall       func(recalled) Result // the same from the log, when the outcome is lost
	progress     func(done, total int)
	asks         []AskedPath  // what a person is to be asked about
	given        *audit.Asked // what they said yes to already
	before       *Report      // what the same call has done so far, section by section; it is part of the answer
}

// answer is what the call is told when rep, the last of it, is done.
func (r record) answer(rep *Report) Result {
	if r.before != nil {
		rep = r.before.and(rep)
	}
	if r.result != nil {
		return r.result(rep)
	}
	return rep.Result()
}

// and is the report of what both did.
func (r *Report) and(next *Report) *Report {
	if next.stored != nil {
		return next // somebody else finished the same call meanwhile
	}
	out := &Report{view: r.view, plan: &plan.Plan{Steps: slices.Concat(r.plan.Steps, next.plan.Steps),
		Skipped: slices.Concat(r.plan.Skipped, next.plan.Skipped)}}
	out.done.Add(r.done)
	out.done.Add(next.done)
	out.view.Done = &out.done
	return out
}

func (w *Workspace) commit(ctx context.Context, view report.View, p *plan.Plan, sums map[guard.Identity]string, r record) (*Report, error) {
	if p.Applied() {
		return w.nothing(ctx, view, p, sums, r)
	}
	store, err := w.keeper.ensure()
	if err != nil {
		return nil, err
	}
	asked, err := w.consent(ctx, p, sums, r)
	if err != nil {
		return nil, err
	}
	n := netOf(p.Steps, w.keeper.prefix, sums, r.forget)
	rep := &Report{view: view, plan: p}
	rep.view.Diffs = report.DiffsOf(p)
	tx := commit.Tx{Changes: n.changes, Prune: r.prune, Progress: r.progress, Record: audit.Record{Kind: cmp.Or(r.kind, audit.Commit), Idem: r.key, Request: r.request,
		Actor: w.actor(ctx), PolicyHash: w.guard.PolicyHash(), Ops: n.ops(p.Steps), Undoes: r.undoes, Asked: asked}}
	tx.Refused = func(err error) audit.Record {
		out := w.refusal(ctx, fail.All(err)[0], nil)
		for _, op := range tx.Record.Ops[:min(len(tx.Record.Ops), maxNoted)] {
			out.Ops = append(out.Ops, audit.Op{Operation: op.Operation, Path: op.Path, ToPath: op.ToPath})
		}
		return out
	}
	tx.Keep = func(d *commit.Done) (diff, answer string) {
		rep.fill(n, d)
		if r.key != "" {
			answer = report.Store(r.answer(rep))
		}
		if !r.forget {
			diff = rep.view.Diffs.String()
		}
		return diff, answer
	}
	d, err := store.Run(ctx, tx)
	if err != nil {
		return nil, err
	}
	if d.First != nil {
		first, answer, err := store.ByKey(r.key)
		if err != nil {
			return nil, err
		}
		return w.repeated(store, first, answer, r)
	}
	return rep, nil
}

// nothing is the report of a plan that leaves nothing to do. There is no transaction, and no record: nothing was changed
// or refused. A person who is to be asked about reading is asked, for the answer says what the files have.
func (w *Workspace) nothing(ctx context.Context, view report.View, p *plan.Plan, sums map[guard.Identity]string, r record) (*Report, error) {
	read := slices.DeleteFunc(slices.Clone(r.asks), func(a AskedPath) bool { return a.Write })
	if _, err := w.ask(ctx, read, "", digestOf(sums)); err != nil {
		return nil, err
	}
	rep := &Report{view: view, plan: p}
	store, err := w.keeper.find()
	if err == nil && store != nil {
		rep.done.Log = report.Head(store.Head())
		rep.view.Done = &rep.done
	}
	return rep, nil
}

// fill completes a report by what the commit did.
func (r *Report) fill(n *net, d *commit.Done) {
	r.done = report.Done{Tx: d.Tx, Log: report.Head(d.Head), Notes: d.Notes, Trashed: n.trashed(r.plan.Steps, d.Slots)}
	r.done.Notes = append(d.Found.Words(), r.done.Notes...)
	for i := range n.changes {
		c := &n.changes[i]
		if c.New == nil || c.New.Whole || c.New.From < 0 {
			continue
		}
		if from := n.changes[c.New.From].Old; from != nil && from.Links > 1 {
			r.done.Notes = append(r.done.Notes, fmt.Sprintf("%s: it was one of %d hard links; the others keep the old content.", c.Path, from.Links))
		}
	}
	r.view.Done = &r.done
}

// Apply plans text and commits it. With Options.Sequential it does so section by section, each atomic, and stops at the
// first that fails: the *Refusal then lists what was done and stays. A call with an idempotency key that was committed
// before does nothing and returns the first answer. Refusals are noted in the log.
func (w *Workspace) Apply(ctx context.Context, text string, o Options) (*Report, error) {
	if err := w.enter(); err != nil {
		return nil, &Refusal{list: fail.All(err)}
	}
	defer w.calls.Done()
	ctx = w.calling(ctx, "apply_patch")
	ctx, err := w.from(ctx, o.Base)
	if err != nil {
		return nil, w.refuse(ctx, report.View{Atomic: !o.Sequential}, err)
	}
	r := record{key: o.IdempotencyKey, progress: o.Progress}
	if r.key != "" {
		r.request = w.requestSum(ctx, "apply_patch", sum(text))
		if rep, err := w.earlier(ctx, r); rep != nil || err != nil {
			return rep, w.refuse(ctx, report.View{Atomic: true}, err)
		}
	}
	if o.Sequential {
		return w.applyEach(ctx, text, o, r)
	}
	rep, view, err := w.applyAll(ctx, text, o, r)
	if err == nil {
		return rep, nil
	}
	if first := w.meanwhile(ctx, r); first != nil {
		return first, nil
	}
	return nil, w.refuse(ctx, view, err)
}

// applyAll plans and commits text in one.
func (w *Workspace) applyAll(ctx context.Context, text string, o Options, r record) (*Report, report.View, error) {
	src := newReader(ctx, w)
	p, err := w.preview(ctx, text, o, src)
	src.close()
	if refused, ok := errors.AsType[*Refusal](err); ok {
		refused.view.DryRun = false
		return nil, refused.view, refused.list
	}
	view := p.view
	view.DryRun, view.Notes, r.asks = false, nil, p.asks
	rep, err := w.commit(ctx, view, p.plan, p.sums, r)
	return rep, view, err
}

// refuse makes a refusal of err, and notes it.
func (w *Workspace) refuse(ctx context.Context, view report.View, err error) error {
	if err == nil {
		return nil
	}
	list := fail.All(err)
	w.note(ctx, &view, list)
	return &Refusal{view: view, list: list}
}

// note records a refusal, and gives it the head of the log. That it cannot be recorded is no reason to refuse
// differently.
func (w *Workspace) note(ctx context.Context, v *report.View, list fail.List) {
	first := list[0]
	if first.Reason == fail.StoreUnwritable || first.Reason == fail.Indeterminate || errors.Is(first, ErrUnanswered) {
		return
	}
	store, err := w.keeper.ensure()
	if err != nil {
		return
	}
	if !first.Noted {
		// Who has waited for the lock in vain does not wait again.
		store.Note(ctx, w.refusal(ctx, first, v.Patch.Sections), first.Kind != fail.Timeout)
	}
	var done report.Done
	if v.Done != nil {
		done = *v.Done // of the sections that were applied before
	}
	done.Log = report.Head(store.Head())
	v.Done = &done
}

// refusal is what the log says of a call that was refused.
func (w *Workspace) refusal(ctx context.Context, first *fail.Error, named []patch.Section) audit.Record {
	r := audit.Record{Kind: audit.Failed, Actor: w.actor(ctx), PolicyHash: w.guard.PolicyHash(),
		ErrorKind: string(first.Kind), Message: logged(first)}
	if first.Kind == fail.PermissionDenied || first.Kind == fail.OutsideWorkspace {
		r.Kind = audit.Denied
	}
	for i := range named[:min(len(named), maxNoted)] {
		s := &named[i]
		r.Ops = append(r.Ops, audit.Op{Operation: s.Op.String(), Path: clean(w.fromTop(ctx, s.Path)), ToPath: clean(w.fromTop(ctx, s.To))})
	}
	return r
}

// maxNoted is how many sections of a refused patch the log lists.
const maxNoted = 1000

// clean makes a path, as a caller wrote it, fit for the log.
func clean(p string) string { return strings.ToValidUTF8(report.Cut(p), "\uFFFD") }

// earlier returns the answer that a call with this key was given before. A transaction that may not have come to its
// end is no answer: whoever is at work on it is waited for, or it is recovered.
func (w *Workspace) earlier(ctx context.Context, r record) (*Report, error) {
	store, err := w.keeper.find()
	if err != nil || store == nil {
		return nil, err
	}
	first, answer, err := store.ByKey(r.key)
	if err != nil || first == nil {
		return nil, err
	}
	if pending, err := store.Pending(); err != nil || pending != nil && pending.Tx == first.Tx {
		if _, err := store.Recover(ctx); err != nil {
			return nil, err
		}
		if first, answer, err = store.ByKey(r.key); err != nil || first == nil {
			return nil, err
		}
	}
	return w.repeated(store, first, answer, r)
}

func (w *Workspace) repeated(store *commit.Store, first *audit.Record, answer string, r record) (*Report, error) {
	if first.Request != r.request {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg:  fmt.Sprintf("the idempotency key %s was used for another patch", fail.Quote(r.key)),
			Hint: "Use a new key for every patch, and the same one only to send the same patch again."}
	}
	rep := &Report{stored: report.Restore(answer), done: report.Done{Tx: first.Tx, Log: report.Head(store.Head())}}
	if rep.stored == nil || !w.mayRead(first) {
		rep.stored = w.fromLog(first, r)
	}
	return rep, nil
}

// mayRead reports whether everything that a change touched may be read now: its answer has the text of it.
func (w *Workspace) mayRead(r *audit.Record) bool {
	return !slices.ContainsFunc(r.Ops, func(op audit.Op) bool { return !w.mayReadOf(op) })
}

func (w *Workspace) mayReadOf(op audit.Op) bool {
	for _, p := range []string{op.Path, op.ToPath} {
		if rel, ok := w.below(p); p != "" && (!ok || w.guard.Readable(rel) != nil) {
			return false
		}
	}
	return true
}

// meanwhile looks, when a call with a key has failed, whether the same call has been committed by somebody else since:
// then that is why it failed, and the answer is theirs. Who is committing it now is waited for.
func (w *Workspace) meanwhile(ctx context.Context, r record) *Report {
	if r.key == "" {
		return nil
	}
	store, err := w.keeper.find()
	if err != nil || store == nil {
		return nil
	}
	if _, err := store.Recover(ctx); err != nil {
		return nil
	}
	rep, err := w.earlier(ctx, r)
	if err != nil {
		return nil
	}
	return rep
}

// applyEach applies the sections one after the other.
func (w *Workspace) applyEach(ctx context.Context, text string, o Options, r record) (*Report, error) {
	view, d, err := w.parse(text, o)
	view.Atomic, view.DryRun = false, false
	if err != nil {
		return nil, w.refuse(ctx, view, err)
	}
	if rep, err := w.allApplied(ctx, text, o, r); rep != nil || err != nil {
		return rep, w.refuse(ctx, view, err)
	}
	whole := &Report{view: view, plan: &plan.Plan{}}
	leave, err := w.askEach(ctx, text, view, d, o)
	if err != nil {
		return nil, w.refuse(ctx, view, err)
	}
	for i := range view.Patch.Sections {
		rep, err := w.applyOnce(ctx, whole, d, i, o, r, leave)
		if err != nil {
			for _, e := range fail.All(err) {
				e.Section = i + 1
			}
			view.Done, view.Partial = whole.view.Done, whole.plan
			return nil, w.refuse(ctx, view, err)
		}
		whole = whole.and(rep)
		o.Expect = beyond(&view.Patch.Sections[i], o.Expect)
	}
	return whole, nil
}

// allApplied is the report of a patch of which all sections are already applied, else nil: what one of them leaves open
// the others may prove.
func (w *Workspace) allApplied(ctx context.Context, text string, o Options, r record) (*Report, error) {
	if !o.Idempotent {
		return nil, nil
	}
	src := newReader(ctx, w)
	defer src.close()
	view, p, err := w.plan(ctx, text, o, src)
	if err != nil || !p.Applied() {
		return nil, nil // section by section it turns out why
	}
	view.DryRun, r.asks = false, src.asks.List()
	return w.nothing(ctx, view, p, src.sums(), r)
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
func (w *Workspace) applyOnce(ctx context.Context, whole *Report, d *dialect.Dialect, i int, o Options, r record, leave *leave) (*Report, error) {
	last := i == len(whole.view.Patch.Sections)-1
	if r.key != "" && !last {
		r.key = fmt.Sprintf("%s, section %d", r.key, i+1)
		done, err := w.earlier(ctx, r)
		if err != nil {
			return nil, err
		}
		if done != nil {
			return done.section(whole.view, i), nil
		}
	}
	rep, err := w.applyOne(ctx, whole, d, i, o, r, leave)
	if err != nil {
		if done := w.meanwhile(ctx, r); done != nil {
			rep, err = done, nil
		}
	}
	if err == nil && rep.stored != nil && !last {
		rep = rep.section(whole.view, i)
	}
	return rep, err
}

// section is what is said of a section that the same call, or its twin, had applied before.
func (r *Report) section(view report.View, i int) *Report {
	note := fmt.Sprintf("Section %d had been applied before, under the same key.", i+1)
	return &Report{view: view, plan: &plan.Plan{}, done: report.Done{Tx: r.done.Tx, Log: r.done.Log, Notes: []string{note}}}
}

// applyOne plans and commits section i, after those that are in whole. The key goes with the last section: until that
// is done the call is not; the others have keys of their own.
func (w *Workspace) applyOne(ctx context.Context, whole *Report, d *dialect.Dialect, i int, o Options, r record, leave *leave) (*Report, error) {
	src := newReader(ctx, w)
	defer src.close()
	sections := whole.view.Patch.Sections
	p, err := plan.Build(ctx, patch.Patch{Sections: sections[i : i+1]}, d.Rules(o.dialect()), src, o.planned(d))
	if err == nil {
		err = src.visit.Again()
	}
	if err == nil {
		err = w.limits.checkPlan(p)
	}
	switch {
	case leave.covers(src):
		if err == nil {
			err = leave.holds(p, src)
		}
		r.given = leave.given(src)
	case err != nil:
		err = w.telling(ctx, src, err)
	default:
		r.asks = src.asks.List()
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
	rep, err := w.commit(ctx, whole.view, p, src.sums(), r)
	if err == nil {
		leave.follow(p)
	}
	return rep, err
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// recalled is what the log has of a call that changed one file.
type recalled struct {
	audit.Op
	tx        string
	trashedTo string
	oldSize   int64
}

func (w *Workspace) recalls(first *audit.Record) recalled {
	op := first.Ops[0]
	out := recalled{Op: w.seen(op), tx: first.Tx, trashedTo: displaced(first, op)}
	for _, a := range first.Acts {
		if a.Path == op.Path && a.Old != nil {
			out.oldSize = a.Old.Size
		}
		if a.Gone {
			out.trashedTo = ""
		}
	}
	return out
}

// seen is an entry of the log with paths from the root, and without the hashes of what may not be read: what is short can
// be guessed, and the hash says when it is right.
func (w *Workspace) seen(op audit.Op) audit.Op {
	if !w.mayReadOf(op) {
		op.Before, op.After = "", ""
	}
	for _, p := range []*string{&op.Path, &op.ToPath} {
		if rel, ok := w.below(*p); ok {
			*p = rel
		}
	}
	return op
}

// fromLog is the answer to a repeated call whose first answer was lost: what the log has of it.
func (w *Workspace) fromLog(first *audit.Record, r record) *report.Stored {
	if r.recall != nil && len(first.Ops) == 1 {
		return report.Restore(report.Store(r.recall(w.recalls(first))))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Applied before, as %s: %d file(s).", first.Tx, len(first.Ops))
	data := &report.Data{Atomic: true, ChangedFiles: []report.ChangedFile{}}
	o := report.Object{Ok: true, Data: data, Meta: &report.Meta{Tx: first.Tx}}
	for _, op := range first.Ops {
		trashed := displaced(first, op)
		op = w.seen(op)
		text.WriteString("\n  " + report.Escape(op.Operation+" "+op.Path))
		data.ChangedFiles = append(data.ChangedFiles, report.ChangedFile{Path: op.Path, Operation: op.Operation,
			ToPath: op.ToPath, BeforeSha256: op.Before, AfterSha256: op.After, TrashedTo: trashed})
	}
	o.Output = text.String()
	return report.Restore(report.Store(&o))
}
