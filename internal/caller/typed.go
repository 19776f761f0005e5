package caller

import "context"

type typedKey struct{}

// WithTyped says that a person types the calls with the returned context, who sees what is wrong with them.
func WithTyped(ctx context.Context) context.Context { return context.WithValue(ctx, typedKey{}, true) }

// Typed reports whether [WithTyped] was said.
func Typed(ctx context.Context) bool { return ctx.Value(typedKey{}) != nil }
