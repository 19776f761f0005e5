package caller

import (
	"context"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/guard"
)

type askingKey struct{}

// Asking has f asked, for what is called with the context that it returns, about paths for which a policy says "ask";
// without it they are refused. It is asked at most once in a call, when everything else about the call is settled and
// nothing has happened yet: no file is changed, and nothing that was read is returned. An error is a no, and the caller
// is told why; else f says by what the person was asked, for the log. What it was asked about may have changed by the
// time that it returns: then the commit refuses.
func Asking(ctx context.Context, f func(context.Context, api.Question) (by string, err error)) context.Context {
	return context.WithValue(ctx, askingKey{}, f)
}

func Asker(ctx context.Context) func(context.Context, api.Question) (string, error) {
	f, _ := ctx.Value(askingKey{}).(func(context.Context, api.Question) (string, error))
	return f
}

// AsksOf collects what a call has to ask about; nil when there is nobody to ask.
func AsksOf(ctx context.Context) *guard.AskedPaths {
	if Asker(ctx) == nil {
		return nil
	}
	return new(guard.AskedPaths)
}
