package caller

import "context"

type withoutDirsKey struct{}

// WithoutDirs makes List, Search and Glob leave out the directories with these names, instead of those that ignore files
// name, .git and node_modules.
func WithoutDirs(ctx context.Context, names ...string) context.Context {
	return context.WithValue(ctx, withoutDirsKey{}, append([]string{}, names...))
}

// LeftOutDirs returns the names that [WithoutDirs] said. It returns nil if there was no WithoutDirs, and an empty slice if it
// named none.
func LeftOutDirs(ctx context.Context) []string {
	names, _ := ctx.Value(withoutDirsKey{}).([]string)
	return names
}
