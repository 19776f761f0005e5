package change

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Commit applies a plan of [Preview], entirely or not at all, all sections in one transaction. It refuses if a file
// that the plan read has changed since, or if another workspace made the plan. It asks a person first where a policy
// says so.
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

// commitPlan asks for consent, commits the plan and returns the report. A plan without anything to do makes no
// transaction. sums holds the hashes of the files that the plan read.
func commitPlan(ctx context.Context, w *workspace.Workspace, view report.View, p *plan.Plan, sums map[guard.Identity]string, r CommitRequest) (*Report, error) {
	if p.Applied() {
		return reportNothingToDo(ctx, w, view, p, sums, r)
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	asked, err := askForPlan(ctx, w, p, sums, r)
	if err != nil {
		return nil, err
	}
	n := newNetEffect(p.Steps, w.Paths().Prefix, sums, r.Permanent)
	rep := &Report{View: view, Plan: p}
	rep.View.Diffs = report.StartDiffs(p)
	tx := commit.Tx{Changes: append(n.changes, r.Dirs...), RemoveDirs: r.RemoveEmptyDirs, MakeDirs: r.MakeDirs, DirModes: r.DirModes, Progress: r.Progress,
		Check: func() error { return checkLocked(w, p, r) }, Record: audit.Record{Kind: cmp.Or(r.Kind, audit.Commit), Idem: r.Key, Request: r.Request, Dialect: dialectName(view),
			Actor: w.Actor(ctx), PolicyHash: w.Guard.PolicyHash(), Ops: n.ops(p.Steps), Undoes: r.Undoes, Parts: r.Parts}}
	tx.Record.Ops = append(tx.Record.Ops, r.DirOps...)
	if asked != nil {
		tx.Record.Asked = asked.Asked
		markUnasked(tx.Record.Ops, p.Steps, asked.Unasked)
	}
	keys := markKeys(tx.Record.Ops, p.Steps)
	tx.Refused = func(err error) audit.Record {
		out := refusalRecord(ctx, w, fail.All(err)[0], report.View{Dialect: view.Dialect})
		for _, op := range tx.Record.Ops[:min(len(tx.Record.Ops), maxLoggedSections)] {
			out.Ops = append(out.Ops, audit.Op{Operation: op.Operation, Path: op.Path, ToPath: op.ToPath})
		}
		return out
	}
	tx.Texts = func(d *commit.Done) (diff, answer string) {
		completeReport(rep, n, d)
		rep.Done.Notes = append(append(rep.Done.Notes, keys...), r.notes...)
		if r.Key != "" {
			answer = report.Encode(r.answer(rep))
		}
		if !r.Permanent {
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
		return answerAgain(w, store, first, answer, r)
	}
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Op == patch.Update || s.Op == patch.Add {
			w.NoteKnown(caller.Actor(ctx).Session, s.Path, s.AfterSum)
		}
	}
	return rep, nil
}

// checkLocked checks, with the lock held, what a transaction in between can have made untrue.
func checkLocked(w *workspace.Workspace, p *plan.Plan, r CommitRequest) error {
	if r.Check != nil {
		if err := r.Check(); err != nil {
			return err
		}
	}
	return w.CheckRepositories(p)
}

// reportNothingToDo returns the report of a plan that changes nothing. It makes no transaction and no log entry. It
// still asks a person about files that may be read only with approval, because the answer tells what they contain.
func reportNothingToDo(ctx context.Context, w *workspace.Workspace, view report.View, p *plan.Plan, sums map[guard.Identity]string, r CommitRequest) (*Report, error) {
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

// completeReport adds to the report what the commit did: the transaction, the trashed files, and notes on recovery and
// hard links.
func completeReport(r *Report, n *netEffect, d *commit.Done) {
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
