package tool

import (
	"context"
	"fmt"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// clearTrashRequest holds the arguments of clear_trash.
type clearTrashRequest struct {
	IDs    []string `json:"ids,omitempty" jsonschema:"these; left out: all"`
	Before string   `json:"before,omitempty" jsonschema:"only what was deleted before this time, or longer ago: 90m, 12h, 30d, 2w"`
	DryRun bool     `json:"dryRun,omitempty" jsonschema:"only say what would be done"`
}

var clearTrash = build(Tool{
	Name:  "clear_trash",
	Title: "Empty the trash",
	Doc: "Permanently delete files from the trash, on record. They can not be restored afterwards. " +
		"Refuses an id that the trash does not have, and then removes nothing.",
	Example:    `{"ids":["20261121-131712-fzhwrn7lum.0"],"dryRun":true}`,
	PersonOnly: true, Mutates: true, Destructive: true, Idempotent: true,
	fields: map[string]field{"ids": {min: 1}},
	data:   api.Cleared{},
	adapt:  checkBefore,
}, func(ctx context.Context, ws *emend.Workspace, _ Options, in clearTrashRequest) (api.Result, error) {
	before, err := parseBefore(in.Before, time.Now())
	if err != nil {
		return nil, err
	}
	r := api.ClearRequest{IDs: in.IDs, Before: before}
	if in.DryRun {
		list, err := ws.Host().TrashClearable(ctx, r)
		if err != nil {
			return nil, err
		}
		c := &api.Cleared{Entries: list}
		for i := range list {
			c.SizeBytes += list[i].SizeBytes
		}
		return clearTrashResult("Would remove", c), nil
	}
	c, err := ws.TrashClear(ctx, r)
	if err != nil {
		return nil, err
	}
	return clearTrashResult("Removed", c), nil
})

func clearTrashResult(did string, c *api.Cleared) api.Result {
	words := fmt.Sprintf("%s %s (%d bytes) from the trash permanently.", did, plural(len(c.Entries), "file"), c.SizeBytes)
	if len(c.Entries) == 0 {
		words = did + " nothing: the trash has no such file."
	}
	for i := range c.Entries {
		words += "\n  " + report.Escape(c.Entries[i].ID+" "+c.Entries[i].Path)
	}
	return &report.Object{Ok: true, Output: words, Data: c, Meta: logMeta(c.Log)}
}

// logMeta returns the head of the log after a logged call.
func logMeta(head *api.Head) *report.Meta {
	if head == nil {
		return nil
	}
	return &report.Meta{Log: new(report.Head(*head))}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
