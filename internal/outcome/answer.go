package outcome

import (
	"encoding/json"
	"sync"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Answer is what a call on a workspace did, or found: its data, and the same as an agent reads it.
type Answer[T any] struct {
	Data    T
	Tx      string   // of a call that changed something: the transaction, by which the log and the history know it
	Notes   []string // what a person should know, one sentence each
	ResultX api.Result
	later   func() api.Result // makes the result when it is asked for, if it takes long
}

// Result is the answer in the shape that agents get.
func (a *Answer[T]) Result() api.Result {
	if a.later != nil {
		return a.later()
	}
	return a.ResultX
}

// Found is the answer of a call that only read: its data, and what a model reads of it.
func Found[T any](data T, output string) *Answer[T] {
	return &Answer[T]{Data: data, ResultX: &report.Object{Ok: true, Output: output, Data: data}}
}

// FoundMany is found for data that is long to put into words.
func FoundMany[T any](data T, output func() string) *Answer[T] {
	return &Answer[T]{Data: data, later: sync.OnceValue(func() api.Result {
		return &report.Object{Ok: true, Output: output(), Data: data}
	})}
}

// Cannot is the refusal of a call that only reads: nothing is noted in the log.
func Cannot(err error) error {
	if err == nil {
		return nil
	}
	return &Refusal{View: report.View{ReadOnly: true}, List: fail.All(err)}
}

// Answered reads the data of an answer that was given before.
func Answered[T any](s *report.StoredResult) (data T) {
	var o struct{ Data *T }
	o.Data = &data
	json.Unmarshal(s.JSON, &o) //nolint:errcheck // it was written by us; what cannot be read is empty
	return data
}
