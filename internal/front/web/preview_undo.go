package web

import (
	"maps"
	"net/url"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/front/web/diff"
	"github.com/emend-dev/emend/internal/report"
)

// previewFile shows what would happen to one file.
type previewFile struct {
	Did, Path, ToPath string
	Patch             string
	Diff              *diffView
	Omitted           int // how many lines of the diff are not shown
}

// previewUndo shows what an undo would do.
func (r *request) previewUndo(p *confirmPage, args url.Values) error {
	entry, session := args.Get("entry"), args.Get("sessionId")
	switch {
	case entry == "" && session == "":
		return &fail.Error{Kind: fail.NotFound, Msg: "no change is named", Hint: "Open a change or a session, and undo it there."}
	case session != "":
		p.Title, p.Cancel = "Undo a session", r.ws.SessionPage(session)
		p.Facts = append(p.Facts, fact{"Session", session, p.Cancel})
	default:
		p.Title, p.Cancel = "Undo "+entry, r.ws.EntryPage(entry)
		r.describeEntry(p, entry)
	}
	return r.previewUndoOf(p, "undo", args, entry)
}

// previewUndoOf shows the undo that a tool would do. Where it conflicts, the page links to what is in the way, and to the undo of all
// that does not conflict.
func (r *request) previewUndoOf(p *confirmPage, name string, args url.Values, entry string) error {
	o, err := r.dryRun(name, args)
	if err != nil {
		return err
	}
	if r.previewChanges(p, o); p.Obstacles == nil {
		p.Stays = r.staysOf(o)
		return nil
	}
	if p.Skip = r.undoSkippingConflicts(name, args); p.Skip != "" {
		p.Help = append(p.Help, link{"Undo everything else, and leave what conflicts", r.ws.Page("confirm") + "/" + p.Skip})
	}
	r.linkBlockingChanges(p, entry)
	r.linkHistories(p)
	return nil
}

// undoSkippingConflicts returns the tool and arguments of the same undo without what conflicts, as an address has them, or "" if nothing would be left of it. The tool undo,
// which agents have, cannot leave anything out; those for people can.
func (r *request) undoSkippingConflicts(name string, args url.Values) string {
	if args.Has("skipConflicts") || args.Has("entry") && args.Has("sessionId") {
		return ""
	}
	asked := maps.Clone(args)
	asked.Set("skipConflicts", "true")
	if name == "undo" {
		name = "undo_pieces"
		if asked.Get("entry") == "" {
			name = "undo_turn"
		}
	}
	if o, err := r.dryRun(name, asked); err != nil || !o.Ok {
		return ""
	}
	return name + "?" + asked.Encode()
}

// previewUndoTurn shows what an undo of a turn, or of a session, would do.
func (r *request) previewUndoTurn(p *confirmPage, args url.Values) error {
	session := args.Get("sessionId")
	p.Title, p.Cancel = "Undo a turn", r.ws.SessionPage(session)
	if args.Get("turn") == "" {
		p.Title, p.Button = "Undo a session", "Undo"
	}
	p.Facts = append(p.Facts, fact{"Session", session, p.Cancel})
	return r.previewUndoOf(p, "undo_turn", args, "")
}

// linkBlockingChanges links to the undo of each change that has to be undone first.
func (r *request) linkBlockingChanges(p *confirmPage, entry string) {
	for _, tx := range p.Obstacles.Txs {
		if tx == entry {
			continue
		}
		words := "Undo " + tx + " first"
		if a, err := r.ws.Show(r.Context(), tx); err == nil {
			words += ": " + sentenceOf(asCall(&a.Data)).String()
		}
		p.Help = append(p.Help, link{words, r.ws.Confirm("undo", "entry", tx)})
	}
}

// describeEntry fills in the title and facts of an entry.
func (r *request) describeEntry(p *confirmPage, entry string) {
	a, err := r.ws.Show(r.Context(), entry)
	if err != nil {
		return // the dry run reports the same error
	}
	d := a.Data
	p.Title = "Undo: " + sentenceOf(asCall(&d)).String()
	if d.Kind == "undo" {
		p.Title, p.Button = "Redo: undo "+d.Entry, "Redo"
	}
	p.Facts = append(p.Facts, fact{"Change", d.Entry, r.ws.EntryPage(d.Entry)})
	if d.UndoneBy != "" {
		p.Help = append(p.Help, link{"Undone already by " + d.UndoneBy + ": redo it there", r.ws.EntryPage(d.UndoneBy)})
	}
}

// previewChanges shows the changes of a dry run, or what stops it.
func (r *request) previewChanges(p *confirmPage, o *report.Object) {
	if p.Obstacles = r.obstaclesOf(o); p.Obstacles != nil {
		return
	}
	if o.Meta != nil {
		p.Notes = o.Meta.Notes
	}
	data, _ := o.Data.(*report.Data)
	if data == nil || len(data.ChangedFiles) == 0 {
		p.Empty = "Nothing to do: no file would change."
		return
	}
	p.Effect = effectHash(o)
	p.Summary = plural(len(data.ChangedFiles), "file") + " would change, all or none."
	for i := range data.ChangedFiles {
		if i == maxPageFiles {
			p.Omitted = len(data.ChangedFiles) - i
			break
		}
		p.Files = append(p.Files, r.previewFile(&data.ChangedFiles[i]))
	}
}

func (r *request) previewFile(f *report.ChangedFile) previewFile {
	out := previewFile{Did: operationVerbs[f.Operation][1], Path: f.Path, ToPath: f.ToPath, Patch: f.Diff}
	out.Diff, out.Omitted = r.previewDiff(f.Diff)
	return out
}

// maxPreviewRows limits the lines of the diff of one file.
const maxPreviewRows = 5000

// previewDiff shows a diff that is not stored. The rest of a long one cannot be fetched, and is only counted.
func (r *request) previewDiff(text string) (v *diffView, cut int) {
	if text == "" {
		return nil, 0
	}
	v = r.fillRows(&diffView{File: diff.Parse(text)}, 0, maxPreviewRows, "")
	cut, v.More = v.More, 0
	return v, cut
}

// linkHistories links to the histories of the files in the way.
func (r *request) linkHistories(p *confirmPage) {
	for _, path := range p.Obstacles.Paths() {
		p.Help = append(p.Help, link{"History of " + path, r.ws.FilePage(path)})
	}
}

// previewPutBack shows the file with the old version put back. The call replaces the content that the page shows, and no
// other.
func (r *request) previewPutBack(p *confirmPage, args url.Values) error {
	path := args.Get("path")
	h, err := r.ws.FileHistory(r.Context(), path, 1)
	if err != nil {
		return err
	}
	p.Title, p.Cancel = "Restore a version of "+h.Path, r.ws.FilePage(h.Path)
	args.Set("path", h.Path)
	args.Del("expectedSha256")
	if h.Exists {
		args.Set("expectedSha256", h.Sha256)
	}
	p.Facts = append(p.Facts, fact{"Version", args.Get("version"), r.ws.With("file", "path", h.Path, "version", args.Get("version"))})
	o, err := r.dryRun("put_back", args)
	if err != nil {
		return err
	}
	if r.previewChanges(p, o); p.Obstacles != nil {
		r.linkHistories(p)
	}
	return nil
}
