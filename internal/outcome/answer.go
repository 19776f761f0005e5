package outcome

import (
	"encoding/json"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Found is the answer of a call that only read: its data, and what a model reads of it.
func Found[T any](data T, output string) *api.Answer[T] {
	return FoundMany(data, func() string { return output })
}

// FoundMany is Found for data that takes long to put into words.
func FoundMany[T any](data T, output func() string) *api.Answer[T] {
	return api.NewAnswer(data, "", nil, func() api.Result { return &report.Object{Ok: true, Output: output(), Data: data} })
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
