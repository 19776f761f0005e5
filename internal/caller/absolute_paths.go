package caller

import "context"

type absolutePathsKey struct{}

// WithAbsolutePaths accepts absolute paths that lead into the root where a call names a file or a directory.
func WithAbsolutePaths(ctx context.Context) context.Context {
	return context.WithValue(ctx, absolutePathsKey{}, true)
}

// AbsolutePaths reports whether [WithAbsolutePaths] was said.
func AbsolutePaths(ctx context.Context) bool { return ctx.Value(absolutePathsKey{}) != nil }
