package caller

import (
	"cmp"
	"context"

	"github.com/emend-dev/emend/api"
)

type answeringKey struct{}

// WithAnsweredBy says by what means a person answers questions with the returned context: one of the Answered constants.
func WithAnsweredBy(ctx context.Context, means string) context.Context {
	return context.WithValue(ctx, answeringKey{}, means)
}

// Answering returns what [WithAnsweredBy] said. A program that did not say is a program.
func Answering(ctx context.Context) string {
	means, _ := ctx.Value(answeringKey{}).(string)
	return cmp.Or(means, api.AnsweredByProgram)
}
