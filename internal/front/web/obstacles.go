package web

import (
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/hint"
	"github.com/emend-dev/emend/internal/report"
)

// obstacles says what stops a call, and what to do next.
type obstacles struct {
	List []obstacle
	Txs  []string // the transactions that the messages name
}

// maxHelpLinks limits the links to transactions, and those to files.
const maxHelpLinks = 8

type obstacle struct {
	Path  string
	Why   []link
	Next  []link
	Sides []fail.Side // of a conflict
}

// obstaclesOf returns the obstacles that a result names, or nil if it is no refusal.
func (r *request) obstaclesOf(res api.Result) *obstacles {
	o, ok := res.(*report.Object)
	if !ok || o == nil || o.Ok || o.Error == nil {
		return nil
	}
	list, _ := o.Error.Details["failures"].([]report.Failure)
	if len(list) == 0 {
		list = []report.Failure{*o.Error}
	}
	return r.obstaclesIn(list)
}

// staysOf returns what an undo leaves because it conflicts with later changes, or nil.
func (r *request) staysOf(o *report.Object) *obstacles {
	if o.Meta == nil || len(o.Meta.Stays) == 0 {
		return nil
	}
	return r.obstaclesIn(o.Meta.Stays)
}

func (r *request) obstaclesIn(list []report.Failure) *obstacles {
	out := &obstacles{}
	for i := range list {
		out.add(r, list[i].Path, list[i].Message, list[i].SuggestedNextAction)
		out.List[i].Sides, _ = list[i].Details["sides"].([]fail.Side)
	}
	return out
}

// obstaclesOfError returns the obstacles that an error names.
func (r *request) obstaclesOfError(err error) *obstacles {
	out := &obstacles{}
	for _, e := range fail.All(err) {
		out.add(r, e.Path, e.Error(), hint.Reader{}.Say(e.Hint))
	}
	return out
}

func (w *obstacles) add(r *request, path, why, next string) {
	w.List = append(w.List, obstacle{Path: path, Why: r.ws.Linked(why), Next: r.ws.Linked(next)})
	for _, tx := range transactionsIn(why + " " + next) {
		if len(w.Txs) < maxHelpLinks && !slices.Contains(w.Txs, tx) {
			w.Txs = append(w.Txs, tx)
		}
	}
}

// Paths returns the files that the obstacles name, each once.
func (w *obstacles) Paths() (out []string) {
	for i := range w.List {
		if p := w.List[i].Path; p != "" && !slices.Contains(out, p) && len(out) < maxHelpLinks {
			out = append(out, p)
		}
	}
	return out
}
