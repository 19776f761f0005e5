package report

import (
	"errors"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/hint"
)

// Refusal is the error of a call that was refused: every failing section and hunk of a patch, and what is needed to word
// them. errors.Is and errors.As look into each failure.
type Refusal struct {
	View View
	List fail.List
}

func (r *Refusal) Error() string { return r.List.Error() }

// Unwrap returns the failures.
func (r *Refusal) Unwrap() []error { return r.List.Unwrap() }

// Explain words the refusal for a person: every failure, what is really there, and the next step.
func (r *Refusal) Explain() string { return RefusalText(r.View, r.List) }

// Result words the refusal.
func (r *Refusal) Result() api.Result { return New(r.View, nil, r.List) }

// WithDialect returns the refusal in the shape of a dialect, if it was made before the dialect was known.
func (r *Refusal) WithDialect(name string) *Refusal {
	d, ok := dialect.Named(name)
	if !ok || r.View.Dialect != nil {
		return r
	}
	out := *r
	out.View.Dialect = d
	return &out
}

// Said returns the failures, with hints in the words of the reader.
func (r *Refusal) Said() fail.List {
	out := make(fail.List, len(r.List))
	for i, e := range r.List {
		said := *e
		said.Hint = r.View.Reader.Say(e.Hint)
		out[i] = &said
	}
	return out
}

// ToAgent returns the refusal in the words of an agent that has the tools and arguments which offers reports, as
// [hint.Agent] has it.
func (r *Refusal) ToAgent(offers func(tool, argument string) bool) *Refusal {
	out := *r
	out.View.Reader = hint.Agent(offers)
	return &out
}

// Refused makes err the refusal of a call that changes nothing, unless it is a refusal already.
func Refused(err error) error {
	if _, ok := errors.AsType[*Refusal](err); ok || err == nil {
		return err
	}
	return &Refusal{View: View{ReadOnly: true}, List: fail.All(err)}
}
