package tool

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
)

// purging is what purge takes.
type purging struct {
	Entries   []string `json:"entries,omitempty" jsonschema:"these entries of the log"`
	Path      string   `json:"path,omitempty" jsonschema:"what touched this file, or something below this directory"`
	SessionID string   `json:"sessionId,omitempty" jsonschema:"what this session did"`
	Before    string   `json:"before,omitempty" jsonschema:"only what was done before this time, or longer ago: 90m, 12h, 30d, 2w"`
	DryRun    bool     `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
}

var purge = build("purge", words{
	title: "Forget contents",
	doc: "Remove from the history all that it keeps of entries, for good and on record: how a secret leaves the store. " +
		"The log and the files stay. Refuses to forget everything: name entries, a path, a session or a time; what is named must all hold.",
	example: `{"entries":["20261121-131712-fzhwrn7lum"],"dryRun":true}`,
	person:  true, mutates: true, destructive: true, idempotent: true,
	fields: map[string]field{"entries": {min: 1}},
	output: emend.Purged{},
	adapt:  named,
}, func(ctx context.Context, ws *emend.Workspace, _ Options, in purging) (emend.Result, error) {
	before, err := before(in.Before, time.Now())
	if err != nil {
		return nil, err
	}
	do, did := ws.Purge, "Removed"
	if in.DryRun {
		do, did = ws.Purgeable, "Would remove"
	}
	p, err := do(ctx, emend.PurgeRequest{Entries: in.Entries, Path: in.Path, SessionID: in.SessionID, Before: before})
	if err != nil {
		return nil, err
	}
	return purged(did, p), nil
})

// named refuses to forget everything: that would be a slip.
func named(v *value) error {
	if v.kind == "object" && !slices.ContainsFunc(v.members, func(m member) bool { return m.name != "dryRun" && (m.text != "" || m.items != nil) }) {
		return bad("nothing is named that the history is to forget", "Send entries, path, sessionId or before.")
	}
	return timed(v)
}

func purged(did string, p *emend.Purged) emend.Result {
	words := fmt.Sprintf("%s what the history keeps of %s (%d bytes).", did, count(len(p.Transactions), "change"), p.SizeBytes)
	if len(p.Transactions) == 0 {
		words = did + " nothing: the history has nothing of it."
	}
	for i := range p.Transactions {
		words += "\n  " + p.Transactions[i].Tx
	}
	for _, n := range p.Notes {
		words += "\nNote: " + report.Escape(n)
	}
	return &report.Object{Ok: true, Output: words, Data: p, Meta: logged(p.Log)}
}
