package web

import (
	"strconv"

	"github.com/emend-dev/emend"
)

// changePage is one record of the log, and what became of it since.
type changePage struct {
	emend.EntryData
	Deed   deed
	Said   deed   // the same, within a sentence
	Takes  []link // the entries that it took back
	Older  string // the pages of the entries before and after it
	Newer  string
	Undo   string // where it is taken back; "" when there is nothing to take back
	Forget string
	Notes  []string
	Files  []touched
	Index  fileIndex // of the files that are shown
	Left   int       // how many files this page leaves out
	Rest   string    // where they are
	Fresh  bool      // the person has just made it

	by *Workspace
}

// SessionHref is the page of the session.
func (p *changePage) SessionHref() string { return p.by.SessionPage(p.SessionID) }

func (r *request) change() (page, error) {
	a, err := r.space.Show(r.Context(), named(r.PathValue("entry")))
	if err != nil {
		return page{}, err
	}
	d, q := a.Data, r.URL.Query()
	p := &changePage{EntryData: d, by: r.space, Notes: a.Notes, Fresh: q.Get("done") != ""}
	p.Deed = deedOf(asCall(&d))
	p.Said = p.Deed
	p.Deed.Did = upperFirst(p.Deed.Did)
	r.changeLinks(p)
	r.changeFiles(p, r.number("from", len(d.Files)))
	return page{Name: "change", Title: p.Deed.String(), Data: p}, nil
}

// named is an entry as an address has it: there the number of a record stands without its mark.
func named(entry string) string {
	if _, err := strconv.ParseUint(entry, 10, 64); err == nil {
		return "#" + entry
	}
	return entry
}

// asCall is an entry as the timeline has it.
func asCall(d *emend.EntryData) *emend.LoggedCall {
	return &emend.LoggedCall{Entry: d.Entry, Seq: d.Seq, Timestamp: d.Timestamp, Kind: d.Kind, SessionID: d.SessionID, AgentName: d.AgentName,
		Client: d.Client, ToolName: d.ToolName, Outcome: d.Outcome, ErrorKind: d.ErrorKind, Message: d.Message, AskedBy: d.AskedBy,
		Undoes: d.Undoes, UndoneBy: d.UndoneBy, Files: d.Files, FileCount: len(d.Files)}
}

// decided reports whether an entry is of a call that changed files, or began to.
func decided(d *emend.EntryData) bool { return d.Kind == "commit" || d.Kind == "undo" }

// changeLinks is where the page leads.
func (r *request) changeLinks(p *changePage) {
	for _, tx := range p.Undoes {
		p.Takes = append(p.Takes, link{tx, r.space.EntryPage(tx)})
	}
	if decided(&p.EntryData) && p.OK {
		p.Forget = r.space.Confirm("purge", "entries", p.Entry)
		if p.UndoneBy == "" {
			p.Undo = r.space.Confirm("undo", "entry", p.Entry)
		}
	}
	p.Older, p.Newer = r.beside(p.Seq)
}

// beside is the pages of the entries next to a record. Between it and the next few other records stand, which say how calls ended.
func (r *request) beside(seq uint64) (older, newer string) {
	const window = 64
	t, err := r.space.Timeline(r.Context(), emend.TimelineRequest{Before: seq + window, Limit: window + 1})
	if err != nil {
		return "", ""
	}
	for i := range t.Calls {
		switch c := &t.Calls[i]; {
		case c.Seq > seq:
			newer = r.space.EntryPage(c.Entry)
		case c.Seq < seq:
			return r.space.EntryPage(c.Entry), newer
		}
	}
	return "", newer
}
