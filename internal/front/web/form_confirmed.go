package web

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
)

// confirmedField is the field of a form with the hash of the effect that the person was shown. It is sealed like an argument,
// and not passed to the tool.
const confirmedField = "shown"

// callAsConfirmed makes the call of a form if it still has the effect that the form's page showed. Without this, undoing a
// session would also undo what its agent did while the person was reading.
func (r *request) callAsConfirmed(name string, args url.Values) api.Result {
	shown := args.Get(confirmedField)
	delete(args, confirmedField)
	if shown == "" {
		return r.callTool(name, args)
	}
	o, err := r.dryRun(name, args)
	if err != nil {
		return report.New(report.View{}, nil, err)
	}
	if o.Ok && effectHash(o) != shown {
		return report.New(report.View{}, nil, &fail.Error{Kind: fail.Stale, Msg: "the result would differ from the preview",
			Hint: "Check the preview below, and confirm again."})
	}
	return r.callTool(name, args) // also if the dry run was refused: then the log has the refusal
}

// effectHash hashes the effect of a dry run: each file before and after, or each change that would be forgotten.
func effectHash(o *report.Object) string {
	h := sha256.New()
	switch data := o.Data.(type) {
	case *report.Data:
		for i := range data.ChangedFiles {
			f := &data.ChangedFiles[i]
			fmt.Fprintf(h, "%q %q %q %q %q\n", f.Operation, f.Path, f.ToPath, f.BeforeSha256, f.AfterSha256)
		}
	case *api.Purged:
		for i := range data.Transactions {
			fmt.Fprintf(h, "%q\n", data.Transactions[i].Tx)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
