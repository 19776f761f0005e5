// Package caller holds what the caller of one call says about it in the context: who calls, whom to ask, where to report
// progress, which directories to leave out. It also words two refusals that every call may need.
//
// It touches no file and knows no workspace.
package caller

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// ForLog makes text that a caller wrote fit for the log: valid UTF-8, and not too long.
func ForLog(s string) string { return strings.ToValidUTF8(report.Shorten(s), "\uFFFD") }

// Cancelled returns the refusal of a call whose context has ended.
func Cancelled(ctx context.Context) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: context.Cause(ctx), Msg: "cancelled",
		Hint: "Nothing was changed; ask again."}
}

// BadField returns the refusal of a request whose field has the value got.
func BadField(field, got, hint string) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: fmt.Sprintf("%s cannot be %s", field, got), Hint: hint}
}
