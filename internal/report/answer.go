package report

import "github.com/emend-dev/emend/api"

// Found makes the answer of a call that only read. text words data for a model; it is called when the result is asked for.
func Found[T any](data T, notes []string, text func() string) *api.Answer[T] {
	return api.NewAnswer(data, "", notes, func() api.Result { return &Object{Ok: true, Output: text(), Data: data} })
}
