package tool

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// purgeRequest holds the arguments of purge.
type purgeRequest struct {
	Entries   []string `json:"entries,omitempty" jsonschema:"these entries of the log"`
	Path      string   `json:"path,omitempty" jsonschema:"what touched this file, or something below this directory"`
	SessionID string   `json:"sessionId,omitempty" jsonschema:"what this session did"`
	Before    string   `json:"before,omitempty" jsonschema:"only what was done before this time, or longer ago: 90m, 12h, 30d, 2w"`
	DryRun    bool     `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
}

var purge = build(Tool{
	Name:  "purge",
	Title: "Purge history",
	Doc: "Permanently remove what the history keeps of entries, on record: how a secret leaves the store. " +
		"The log and the files stay. Refuses to purge everything: name entries, a path, a session or a time; what is named must all hold.",
	Example:    `{"entries":["20261121-131712-fzhwrn7lum"],"dryRun":true}`,
	PersonOnly: true, Mutates: true, Destructive: true, Idempotent: true,
	fields: map[string]field{"entries": {min: 1}},
	data:   api.Purged{},
	adapt:  checkPurge,
}, func(ctx context.Context, ws *emend.Workspace, _ Options, in purgeRequest) (api.Result, error) {
	before, err := parseBefore(in.Before, time.Now())
	if err != nil {
		return nil, err
	}
	do, did := ws.Purge, "Removed"
	if in.DryRun {
		do, did = ws.Host().Purgeable, "Would remove"
	}
	p, err := do(ctx, api.PurgeRequest{Entries: in.Entries, Path: in.Path, SessionID: in.SessionID, Before: before})
	if err != nil {
		return nil, err
	}
	return purgeResult(did, p), nil
})

// checkPurge refuses a call that names nothing, which would purge the whole history.
func checkPurge(v *value) error {
	if v.kind == "object" && !slices.ContainsFunc(v.members, func(m member) bool { return m.name != "dryRun" && (m.text != "" || m.items != nil) }) {
		return badArguments("name what to purge", "Send entries, path, sessionId or before.")
	}
	return checkBefore(v)
}

func purgeResult(did string, p *api.Purged) api.Result {
	words := fmt.Sprintf("%s what the history keeps of %s (%d bytes).", did, plural(len(p.Transactions), "change"), p.SizeBytes)
	if len(p.Transactions) == 0 {
		words = did + " nothing: the history keeps nothing of it."
	}
	for i := range p.Transactions {
		words += "\n  " + p.Transactions[i].Tx
	}
	for _, n := range p.Notes {
		words += "\nNote: " + report.Escape(n)
	}
	return &report.Object{Ok: true, Output: words, Data: p, Meta: logMeta(p.Log)}
}
