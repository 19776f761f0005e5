package caller

import (
	"context"
	"fmt"

	"github.com/emend-dev/emend/fail"
)

type LeaveOutKey struct{}

// LeavingOut makes List, Search and Glob leave out the directories with these names, instead of what ignore files, .git
// and node_modules would have them leave out.
func LeavingOut(ctx context.Context, names ...string) context.Context {
	return context.WithValue(ctx, LeaveOutKey{}, append([]string{}, names...))
}

func BadField(field, got, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s cannot be %s", field, got), Hint: hint}
}
