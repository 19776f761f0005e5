package tool

import (
	"context"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

var recoverTree = build(Tool{
	Name:  "recover",
	Title: "Recover",
	Doc: "Finish, or roll back, what a crash or a power cut interrupted, and say what was done. " +
		"It waits for whoever is at work. Refuses nothing, and never overwrites what somebody changed since.",
	Example:    `{}`,
	PersonOnly: true, Mutates: true, Idempotent: true,
	data: api.Recovery{},
}, func(ctx context.Context, ws *emend.Workspace, _ Options, _ struct{}) (api.Result, error) {
	r, err := ws.Recover(ctx)
	if err != nil {
		return nil, err
	}
	return &report.Object{Ok: true, Output: RecoveryText(r), Data: r}, nil
})

// RecoveryEndText words how a recovery ended a transaction.
func RecoveryEndText(end api.RecoveryEnd) string {
	if end == api.TakenBack {
		return "rolled back"
	}
	return string(end)
}

// RecoveryText describes a recovery.
func RecoveryText(r *api.Recovery) string {
	if r.Nothing() {
		return "Nothing to recover."
	}
	var out []string
	for _, tx := range r.All() {
		out = append(out, fmt.Sprintf("Transaction %s was interrupted; it is %s now (%d file(s)).", tx.Tx, RecoveryEndText(tx.End), len(tx.Files)))
		for _, f := range tx.Files {
			out = append(out, "  "+report.Escape(f))
		}
	}
	for _, n := range r.Notes {
		out = append(out, "Note: "+report.Escape(n))
	}
	if r.Torn != nil {
		out = append(out, fmt.Sprintf("The log ended in an incomplete record; %d bytes were set aside as %s.", r.Torn.Size, r.Torn.Name))
	}
	if n := len(r.Swept); n > 0 {
		out = append(out, fmt.Sprintf("Removed from the store what %d transaction(s) left that were interrupted before their commit.", n))
	}
	return strings.Join(out, "\n")
}
