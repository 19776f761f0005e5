package change

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/logbook"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/workspace"
)

// once runs do, or returns the answer of the first call with the same key.
func oncePerKey(ctx context.Context, w *workspace.Workspace, r CommitRequest, do func(CommitRequest) (*Report, error)) (*Report, error) {
	if r.Key != "" {
		if rep, err := answerForKey(ctx, w, r); rep != nil || err != nil {
			return rep, err
		}
	}
	rep, err := do(r)
	if err == nil {
		return rep, nil
	}
	if first := answeredMeanwhile(ctx, w, r); first != nil {
		return first, nil
	}
	return nil, err
}

// earlier returns the answer that a call with this key was given before. A transaction that may not have come to its
// end is no answer: whoever is at work on it is waited for, or it is recovered.
func answerForKey(ctx context.Context, w *workspace.Workspace, r CommitRequest) (*Report, error) {
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
	return answerAgain(w, store, first, answer, r)
}

// meanwhile looks, when a call with a key has failed, whether the same call has been committed by somebody else since:
// then that is why it failed, and the answer is theirs. Who is committing it now is waited for.
func answeredMeanwhile(ctx context.Context, w *workspace.Workspace, r CommitRequest) *Report {
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
	rep, err := answerForKey(ctx, w, r)
	if err != nil {
		return nil
	}
	return rep
}

func answerAgain(w *workspace.Workspace, store *commit.Store, first *audit.Record, answer string, r CommitRequest) (*Report, error) {
	if first.Request != r.Request {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments,
			Msg:  fmt.Sprintf("the idempotency key %s was used for another patch", fail.Quote(r.Key)),
			Hint: "Use a new key for every patch, and the same one only to send the same patch again."}
	}
	rep := &Report{Stored: report.Decode(answer), Done: report.Done{Tx: first.Tx, Log: report.Head(store.Head())}}
	if rep.Stored == nil || !mayReadAll(w, first) {
		rep.Stored = answerFromLog(w, first, r)
	}
	return rep, nil
}

// fromLog is the answer to a repeated call whose first answer was lost: what the log has of it.
func answerFromLog(w *workspace.Workspace, first *audit.Record, r CommitRequest) *report.StoredResult {
	if r.resultFromLog != nil && len(first.Ops) == 1 {
		return report.Decode(report.Encode(r.resultFromLog(newLoggedChange(w, first))))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Applied before, as %s: %d file(s).", first.Tx, len(first.Ops))
	data := &report.Data{Atomic: true, ChangedFiles: []report.ChangedFile{}}
	o := report.Object{Ok: true, Data: data, Meta: &report.Meta{Tx: first.Tx}}
	for _, op := range first.Ops {
		trashed := logbook.SlotOf(first, op)
		op = visibleOp(w, op)
		text.WriteString("\n  " + report.Escape(op.Operation+" "+op.Path))
		data.ChangedFiles = append(data.ChangedFiles, report.ChangedFile{Path: op.Path, Operation: op.Operation,
			ToPath: op.ToPath, BeforeSha256: op.Before, AfterSha256: op.After, TrashedTo: trashed})
	}
	o.Output = text.String()
	return report.Decode(report.Encode(&o))
}

func newLoggedChange(w *workspace.Workspace, first *audit.Record) loggedChange {
	op := first.Ops[0]
	out := loggedChange{Op: visibleOp(w, op), tx: first.Tx, TrashedTo: logbook.SlotOf(first, op)}
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
func visibleOp(w *workspace.Workspace, op audit.Op) audit.Op {
	if !mayReadOp(w, op) {
		op.Before, op.After = "", ""
	}
	for _, p := range []*string{&op.Path, &op.ToPath} {
		if rel, ok := w.Paths().FromTop(*p); ok {
			*p = rel
		}
	}
	return op
}

// mayRead reports whether everything that a change touched may be read now: its answer has the text of it.
func mayReadAll(w *workspace.Workspace, r *audit.Record) bool {
	return !slices.ContainsFunc(r.Ops, func(op audit.Op) bool { return !mayReadOp(w, op) })
}

func mayReadOp(w *workspace.Workspace, op audit.Op) bool {
	for _, p := range []string{op.Path, op.ToPath} {
		if rel, ok := w.Paths().FromTop(p); p != "" && (!ok || w.Guard.CheckRead(rel) != nil) {
			return false
		}
	}
	return true
}
