package web

import (
	"net/url"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/front/web/diff"
	"github.com/emend-dev/emend/internal/report"
)

// dryFile is what would become of one file.
type dryFile struct {
	Did, Path, ToPath string
	Before, After     string
	Diff              *diffView
	Cut               int // lines that are left out
}

// lookUndo shows what would be taken back.
func (r *request) lookUndo(p *confirmPage, args url.Values) error {
	entry, session := args.Get("entry"), args.Get("sessionId")
	switch {
	case entry == "" && session == "":
		return &emend.Error{Kind: emend.NotFound, Msg: "nothing is named that is to be taken back", Hint: "Open a change, or a session, and take it back there."}
	case session != "":
		p.Title, p.Cancel = "Undo the session "+session, r.space.SessionPage(session)
	default:
		p.Title, p.Cancel = "Undo "+entry, r.space.EntryPage(entry)
		r.nameEntry(p, entry)
	}
	o, err := r.dry("undo", args)
	if err != nil {
		return err
	}
	r.wouldChange(p, o)
	if p.InWay != nil {
		r.helpUndo(p, entry)
		r.helpPaths(p)
	}
	return nil
}

// helpUndo leads to where the changes that are in the way are taken back first.
func (r *request) helpUndo(p *confirmPage, entry string) {
	for _, tx := range p.InWay.Txs {
		if tx == entry {
			continue
		}
		words := "Undo " + tx + " first"
		if a, err := r.space.Show(r.Context(), tx); err == nil {
			words += ": " + deedOf(asCall(&a.Data)).String()
		}
		p.Help = append(p.Help, link{words, r.space.Confirm("undo", "entry", tx)})
	}
}

// nameEntry puts an entry into words.
func (r *request) nameEntry(p *confirmPage, entry string) {
	a, err := r.space.Show(r.Context(), entry)
	if err != nil {
		return // the dry run says the same
	}
	d := a.Data
	p.Title = "Undo: " + deedOf(asCall(&d)).String()
	if d.Kind == "undo" {
		p.Title = "Redo: take back the undo " + d.Entry
	}
	p.Facts = append(p.Facts, fact{"Change", d.Entry, r.space.EntryPage(d.Entry)})
	if d.UndoneBy != "" {
		p.Help = append(p.Help, link{"It was taken back by " + d.UndoneBy + ": redo it there", r.space.EntryPage(d.UndoneBy)})
	}
}

// wouldChange is a dry run that changes files, or what is in its way.
func (r *request) wouldChange(p *confirmPage, o *report.Object) {
	if p.InWay = r.inTheWay(o); p.InWay != nil {
		return
	}
	if o.Meta != nil {
		p.Notes = o.Meta.Notes
	}
	data, _ := o.Data.(*report.Data)
	if data == nil || len(data.ChangedFiles) == 0 {
		p.Empty = "No file would be changed: all of it is as it would be."
		return
	}
	p.Shown = shownOf(o)
	p.Said = plural(len(data.ChangedFiles), "file") + " would change: all of it is done, or nothing."
	for i := range data.ChangedFiles {
		if i == maxShown {
			p.More = len(data.ChangedFiles) - i
			break
		}
		p.Files = append(p.Files, r.dryFile(&data.ChangedFiles[i]))
	}
}

func (r *request) dryFile(f *report.ChangedFile) dryFile {
	out := dryFile{Did: verbs[f.Operation][1], Path: f.Path, ToPath: f.ToPath, Before: f.BeforeSha256, After: f.AfterSha256}
	out.Diff, out.Cut = r.dryDiff(f.Diff)
	return out
}

// dryRows is how many lines of one file are shown of what would happen.
const dryRows = 5000

// dryDiff is a diff of which nothing is kept yet, so that its rest cannot be fetched.
func (r *request) dryDiff(text string) (v *diffView, cut int) {
	if text == "" {
		return nil, 0
	}
	v = r.rowsFrom(&diffView{File: diff.Parse(text)}, 0, dryRows, "")
	cut, v.More = v.More, 0
	return v, cut
}

// helpPaths leads to the histories of the files that are in the way.
func (r *request) helpPaths(p *confirmPage) {
	for _, path := range p.InWay.Paths() {
		p.Help = append(p.Help, link{"What became of " + path, r.space.FilePage(path)})
	}
}

// lookPutBack shows what a file would be again. What the person sees there now is what is to be replaced, and nothing else.
func (r *request) lookPutBack(p *confirmPage, args url.Values) error {
	path := args.Get("path")
	h, err := r.space.FileHistory(r.Context(), path, 1)
	if err != nil {
		return err
	}
	p.Title, p.Cancel = "Put a version of "+h.Path+" back", r.space.FilePage(h.Path)
	args.Set("path", h.Path)
	args.Del("expectedSha256")
	if h.Exists {
		args.Set("expectedSha256", h.Sha256)
	}
	p.Facts = append(p.Facts, fact{"Version", args.Get("version"), r.space.With("file", "path", h.Path, "version", args.Get("version"))})
	o, err := r.dry("put_back", args)
	if err != nil {
		return err
	}
	if r.wouldChange(p, o); p.InWay != nil {
		r.helpPaths(p)
	}
	return nil
}
