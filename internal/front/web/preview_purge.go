package web

import (
	"net/url"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// maxRemoved limits the items that a page lists, and those that a form names one by one.
const maxRemoved = 500

// previewClear lists what would leave the trash. The form clears what is listed, and nothing that came into the trash since.
func (r *request) previewClear(p *confirmPage, args url.Values) error {
	p.Cancel = r.ws.Page("trash")
	if before := args.Get("before"); before != "" {
		if _, err := time.Parse(time.RFC3339Nano, before); err != nil {
			return &fail.Error{Kind: fail.NotFound, Msg: "not a time: " + before, Hint: "Choose an age on the page of the trash."}
		}
	}
	o, err := r.dryRun("clear_trash", args)
	if err != nil {
		return err
	}
	if p.Obstacles = r.obstaclesOf(o); p.Obstacles != nil {
		p.Help = append(p.Help, link{"Open the trash", p.Cancel})
		return nil
	}
	c, _ := o.Data.(*api.Cleared)
	if c == nil || len(c.Entries) == 0 {
		p.Empty = "Nothing to delete: the trash has no such file."
		return nil
	}
	p.Summary = plural(len(c.Entries), "file") + " (" + size(c.SizeBytes) + ") would be deleted permanently. Their content stays in the diffs of the history until you purge those."
	for i := range c.Entries {
		if i == maxRemoved {
			p.Omitted = len(c.Entries) - i
			break
		}
		t := &c.Entries[i]
		p.Removed = append(p.Removed, removedItem{[]link{{t.Path, r.ws.Page("trash", t.ID)}}, "deleted " + ago(t.DeletedAt, time.Now()), size(t.SizeBytes)})
	}
	if len(args["ids"]) == 0 && args.Get("before") == "" {
		args.Set("before", justAfterNewest(c.Entries).UTC().Format(time.RFC3339Nano))
	}
	return nil
}

// justAfterNewest returns a time just after the newest item came into the trash.
func justAfterNewest(list []api.Trashed) (at time.Time) {
	for i := range list {
		if t := list[i].DeletedAt; t.After(at) {
			at = t
		}
	}
	return at.Add(time.Nanosecond)
}

// previewPurge lists the changes whose contents the history would forget. The form names each of them; if there are too many
// for that, it has the hash of the list.
func (r *request) previewPurge(p *confirmPage, args url.Values) error {
	entries, path, session := args["entries"], args.Get("path"), args.Get("sessionId")
	switch {
	case path != "":
		p.Cancel = r.ws.FilePage(path)
	case session != "":
		p.Cancel = r.ws.SessionPage(session)
	case len(entries) > 0:
		p.Cancel = r.ws.EntryPage(entries[0])
	default:
		return &fail.Error{Kind: fail.NotFound, Msg: "no change is named", Hint: "Open a change, and purge its history there."}
	}
	o, err := r.dryRun("purge", args)
	if err != nil {
		return err
	}
	if p.Obstacles = r.obstaclesOf(o); p.Obstacles != nil {
		return nil
	}
	g, _ := o.Data.(*api.Purged)
	if g == nil || len(g.Transactions) == 0 {
		p.Empty = "Nothing to purge: the history keeps nothing of it."
		return nil
	}
	p.Notes = g.Notes
	p.Summary = "The diffs and old contents of " + plural(len(g.Transactions), "change") + " (" + size(g.SizeBytes) +
		") would be deleted permanently. These changes cannot be undone afterwards, and their files in the trash are gone. The log keeps their paths and hashes. The files of the workspace stay as they are."
	r.listPurged(p, g)
	if len(g.Transactions) <= maxRemoved {
		clear(args)
		for i := range g.Transactions {
			args.Add("entries", g.Transactions[i].Tx)
		}
	} else {
		p.Effect = effectHash(o)
	}
	return nil
}

func (r *request) listPurged(p *confirmPage, g *api.Purged) {
	for i := range g.Transactions {
		if i == maxRemoved {
			p.Omitted = len(g.Transactions) - i
			return
		}
		t := &g.Transactions[i]
		row := removedItem{[]link{{t.Tx, r.ws.EntryPage(t.Tx)}}, actorOf(t.AgentName, t.Client, t.ToolName).AtBegin() + ", " + ago(t.At, time.Now()), size(t.SizeBytes)}
		for k, path := range t.Paths {
			if k == 10 {
				row.What = append(row.What, link{Text: plural(len(t.Paths)-k, "more path")})
				break
			}
			row.What = append(row.What, link{path, r.ws.FilePage(path)})
		}
		p.Removed = append(p.Removed, row)
	}
}
