package web

import (
	"cmp"
	"net/url"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

// previewRestore shows a file of the trash, and whether its path is free. The tool has no dry run, since it never replaces
// anything.
func (r *request) previewRestore(p *confirmPage, args url.Values) error {
	id := args.Get("trashedPath")
	p.Cancel = r.ws.Page("trash")
	t, err := r.ws.Host().TrashShow(r.Context(), id)
	if err != nil {
		p.Obstacles = r.obstaclesOfError(err)
		p.Help = append(p.Help, link{"Open the trash", p.Cancel})
		return nil
	}
	to := cmp.Or(args.Get("targetPath"), t.Path)
	p.Title = "Restore " + t.Path
	p.Facts = restoreFacts(r, t)
	p.Input = &inputField{Name: "targetPath", Label: "Restore to", Hint: "Empty: " + t.Path}
	h, err := r.ws.FileHistory(r.Context(), to, 1)
	switch {
	case err != nil:
		p.Obstacles = r.obstaclesOfError(err)
	case h.Exists || r.isDirectory(to):
		p.Obstacles = r.obstaclesOfError(&fail.Error{Kind: fail.AlreadyExists, Path: to, Msg: "the path exists",
			Hint: "Restore it to another path, or move the existing file away first. Nothing is replaced."})
		p.Help = append(p.Help, link{"History of " + to, r.ws.FilePage(to)})
	default:
		p.Summary = "The file would be restored to " + to + ", with its mode, times and hard links."
	}
	if p.Obstacles != nil {
		p.Input.Required, p.Input.Hint = true, "A path that does not exist yet"
	}
	return nil
}

func restoreFacts(r *request, t *api.TrashedFile) []fact {
	out := []fact{{"File", t.Path, r.ws.Page("trash", t.ID)}, {"Size", size(t.SizeBytes), ""}}
	if t.Mode != "" {
		out = append(out, fact{"Permissions", t.Mode, ""})
	}
	if t.Link != "" {
		out = append(out, fact{"Link to", t.Link, ""})
	}
	return append(out, fact{"Deleted by", entryOfID(t.ID), r.ws.EntryPage(entryOfID(t.ID))})
}

// previewRecover shows what a crash left.
func (r *request) previewRecover(p *confirmPage, _ url.Values) error {
	p.Cancel = r.ws.Page("health")
	h, err := r.ws.Host().Doctor(r.Context())
	if err != nil {
		return err
	}
	if h.Locked != "" {
		p.Notes = append(p.Notes, "The store is in use by "+h.Locked+": recovery waits until it is free.")
	}
	switch {
	case h.Pending != "":
		p.Summary = "A crash interrupted the transaction " + h.Pending + ". Recovery finishes it, or rolls it back where it cannot be finished. Files that changed since are not overwritten."
		p.Facts = append(p.Facts, fact{"Transaction", h.Pending, r.ws.EntryPage(h.Pending)})
		r.pendingFiles(p, h.Pending)
	case len(h.Orphans) > 0:
		p.Summary = "Calls that a crash ended before they changed anything left " + plural(len(h.Orphans), "trace") + " in the store. Recovery removes them."
	default:
		p.Empty = "Nothing to recover: no call was interrupted."
	}
	return nil
}

// pendingFiles lists the files of an interrupted transaction.
func (r *request) pendingFiles(p *confirmPage, tx string) {
	a, err := r.ws.Show(r.Context(), tx)
	if err != nil {
		return
	}
	for i := range a.Data.Files {
		if i == maxPageFiles {
			p.Omitted = len(a.Data.Files) - i
			return
		}
		f := &a.Data.Files[i]
		d := previewFile{Did: operationVerbs[f.Operation][1], Path: f.Path, ToPath: f.ToPath}
		d.Diff, d.Omitted = r.previewDiff(f.Diff)
		p.Files = append(p.Files, d)
	}
}
