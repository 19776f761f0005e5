package caller

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/guard"
)

type askerKey struct{}

// AskerFunc asks a person whether a call may go on. It returns where the person said yes, for the log, or an error for a no,
// which the caller is told.
type AskerFunc = func(context.Context, api.Question) (by string, err error)

// WithAsker has calls with the returned context ask f about paths with an ask rule. Without an asker, and where f returns
// [api.ErrNoPage], a rule of the policy refuses such paths, and a built-in one does what the policy says under unasked.
// A call asks at most once, when everything else about it is settled and nothing has happened yet: it has changed no file and
// returned nothing that it read. The files may change while a person thinks; the commit then refuses.
func WithAsker(ctx context.Context, f AskerFunc) context.Context {
	return context.WithValue(ctx, askerKey{}, f)
}

// Asker returns what [WithAsker] said, or nil.
func Asker(ctx context.Context) AskerFunc {
	f, _ := ctx.Value(askerKey{}).(AskerFunc)
	return f
}

// NewAskedPaths returns an empty collection of the paths that a call has to ask about.
func NewAskedPaths(ctx context.Context) *guard.AskedPaths {
	return &guard.AskedPaths{CanAsk: Asker(ctx) != nil}
}
