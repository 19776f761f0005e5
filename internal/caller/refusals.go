package caller

import (
	"context"

	"github.com/emend-dev/emend/fail"
)

func Cancelled(ctx context.Context) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: context.Cause(ctx), Msg: "cancelled",
		Hint: "Nothing was changed; ask again."}
}
