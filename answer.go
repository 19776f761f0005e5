package emend

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"

	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Answer is what a call on a workspace did, or found: its data, and the same as an agent reads it.
type Answer[T any] struct {
	Data   T
	Tx     string   // of a call that changed something: the transaction, by which the log and the history know it
	Notes  []string // what a person should know, one sentence each
	result Result
	later  func() Result // makes the result when it is asked for, if it takes long
}

// Result is the answer in the shape that agents get.
func (a *Answer[T]) Result() Result {
	if a.later != nil {
		return a.later()
	}
	return a.result
}

// found is the answer of a call that only read: its data, and what a model reads of it.
func found[T any](data T, output string) *Answer[T] {
	return &Answer[T]{Data: data, result: &report.Object{Ok: true, Output: output, Data: data}}
}

// foundMany is found for data that is long to put into words.
func foundMany[T any](data T, output func() string) *Answer[T] {
	return &Answer[T]{Data: data, later: sync.OnceValue(func() Result {
		return &report.Object{Ok: true, Output: output(), Data: data}
	})}
}

// cannot is the refusal of a call that only reads: nothing is noted in the log.
func cannot(err error) error {
	if err == nil {
		return nil
	}
	return &Refusal{view: report.View{Reads: true}, list: fail.All(err)}
}

// answered reads the data of an answer that was given before.
func answered[T any](s *report.Stored) (data T) {
	var o struct{ Data *T }
	o.Data = &data
	json.Unmarshal(s.JSON, &o) //nolint:errcheck // it was written by us; what cannot be read is empty
	return data
}

type actorKey struct{}

// As says who asks for what is called with the context that it returns. Fields that are empty are those of an earlier As,
// else those of [By].
func As(ctx context.Context, a Actor) context.Context {
	was, _ := ctx.Value(actorKey{}).(Actor)
	return context.WithValue(ctx, actorKey{}, Actor{Client: cmp.Or(a.Client, was.Client), Session: cmp.Or(a.Session, was.Session),
		Agent: cmp.Or(a.Agent, was.Agent), Tool: cmp.Or(a.Tool, was.Tool), Call: cmp.Or(a.Call, was.Call)})
}

// actor is who asks, for the log.
func (w *Workspace) actor(ctx context.Context) Actor {
	out := w.keeper.actor
	a, _ := ctx.Value(actorKey{}).(Actor)
	for to, text := range map[*string]string{&out.Client: a.Client, &out.Session: a.Session, &out.Agent: a.Agent, &out.Tool: a.Tool, &out.Call: a.Call} {
		if text != "" {
			*to = clean(text)
		}
	}
	return out
}
