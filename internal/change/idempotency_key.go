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

// oncePerKey runs do, or returns the answer of an earlier call with the same key.
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

// answerForKey returns the answer of an earlier call with the same key, or nil if there was none. If that call's
// transaction may be unfinished, it first waits for the process that commits it, or recovers it.
func answerForKey(ctx context.Context, w *workspace.Workspace, r CommitRequest) (*Report, error) {
	store, err := w.OpenStore()
	if err != nil || store == nil {
		return nil, err
	}
	first, answer, err := store.ByKey(r.Key)
	if err != nil || first == nil {
		return nil, err
	}
	pending, err := store.Pending()
	if err != nil || slices.ContainsFunc(pending, func(r *audit.Record) bool { return r.Tx == first.Tx }) {
		if _, err := store.Recover(ctx); err != nil {
			return nil, err
		}
		if first, answer, err = store.ByKey(r.Key); err != nil || first == nil {
			return nil, err
		}
	}
	return answerAgain(w, store, first, answer, r)
}

// answeredMeanwhile is for a call with a key that has failed. If the same call has been committed by somebody else
// since, that explains the failure, and answeredMeanwhile returns the answer of that call; else nil. It waits for a
// commit that is in progress.
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

// answerAgain returns the stored answer of the first call with the key. It builds one from the log if the answer is
// lost or has text that may not be read now. It refuses a key that was used for another request.
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

// answerFromLog builds the answer to a repeated call from the log.
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

// newLoggedChange reads the one operation of a log entry. TrashedTo stays empty if the content was purged.
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

// visibleOp returns a logged operation with paths relative to the root. It omits the hashes of files that may not be
// read: the content of a short file could be guessed and checked against its hash.
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

// mayReadAll reports whether every file of a log entry may be read now. The stored answer quotes their text.
func mayReadAll(w *workspace.Workspace, r *audit.Record) bool {
	return !slices.ContainsFunc(r.Ops, func(op audit.Op) bool { return !mayReadOp(w, op) })
}

// mayReadOp reports whether both paths of an operation may be read now.
func mayReadOp(w *workspace.Workspace, op audit.Op) bool {
	for _, p := range []string{op.Path, op.ToPath} {
		if rel, ok := w.Paths().FromTop(p); p != "" && (!ok || w.Guard.CheckRead(rel) != nil) {
			return false
		}
	}
	return true
}
