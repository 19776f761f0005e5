package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// changePage is the data of the page of one entry of the log.
type changePage struct {
	api.EntryData
	Actor     actor
	Title     sentence
	Sentence  sentence // the title in lower case, within a sentence
	UndoLinks []link   // the entries that it undid
	Older     string   // the pages of the entries beside this one
	Newer     string
	Undo      string // the page that undoes it; "" if there is nothing to undo
	Forget    string
	Patch     string // the diffs as one patch; "" if there is none
	Options   diffOptions
	Selects   bool     // several pieces can be selected, and undone at once
	Attempt   *attempt // of a refused patch; nil if what it attempted is not kept
	Notes     []string
	Files     []entryFile
	Index     fileIndex // of the files on this page
	Omitted   int       // how many more files there are
	RestHref  string    // the page with these
	Fresh     bool      // the person has just made this change

	ws *Workspace
}

// SessionHref returns the page of the session.
func (p *changePage) SessionHref() string { return p.ws.SessionPage(p.SessionID) }

// PartlyUndone says which parts of the change undos in effect took back, PartlyUndoes of which changes it took back parts.
func (p *changePage) PartlyUndone() string { return report.PartWords(p.UndoneParts) }
func (p *changePage) PartlyUndoes() string { return report.PartWords(p.UndoesParts) }

// SeenText says that emend saw the change, and what is known of who made it; "" if emend made it.
func (p *changePage) SeenText() string {
	if p.Seen == nil {
		return ""
	}
	return report.SeenText(p.Seen)
}

func (r *request) change() (page, error) {
	a, err := r.ws.Show(r.Context(), entryName(r.PathValue("entry")))
	if err != nil {
		return page{}, err
	}
	d, q := a.Data, r.URL.Query()
	p := &changePage{EntryData: d, ws: r.ws, Notes: a.Notes, Fresh: q.Get("done") != "", Actor: actorOf(d.AgentName, d.Client, d.ToolName)}
	p.Title = sentenceOf(asCall(&d))
	p.Sentence = p.Title
	p.Title.Did = upperFirst(p.Title.Did)
	r.changeLinks(p)
	r.changeFiles(p, r.queryNumber("from", len(d.Files)))
	r.fillAttempt(p)
	p.Options = r.diffOptions(p.Index.Added+p.Index.Removed > 0)
	if slices.ContainsFunc(d.Files, func(f api.LogEntry) bool { return f.Diff != "" }) {
		p.Patch = r.ws.Page("patch", strings.TrimPrefix(d.Entry, "#")+".patch")
	}
	return page{Name: "change", Title: p.Title.String(), Data: p}, nil
}

// entryName returns the name of an entry in an address, where the number of a record stands without "#".
func entryName(entry string) string {
	if _, err := strconv.ParseUint(entry, 10, 64); err == nil {
		return "#" + entry
	}
	return entry
}

// asCall returns an entry as the timeline has it.
func asCall(d *api.EntryData) *api.LoggedCall {
	return &api.LoggedCall{Entry: d.Entry, Seq: d.Seq, Timestamp: d.Timestamp, Kind: d.Kind, SessionID: d.SessionID, Turn: d.Turn, Seen: d.Seen, AgentName: d.AgentName,
		Client: d.Client, ToolName: d.ToolName, Outcome: d.Outcome, ErrorKind: d.ErrorKind, Message: d.Message, AskedBy: d.AskedBy,
		Undoes: d.Undoes, UndoneBy: d.UndoneBy, Files: d.Files, FileCount: len(d.Files)}
}

// changesFiles reports whether an entry is a call that changed files, or began to.
func changesFiles(d *api.EntryData) bool { return d.Kind == "commit" || d.Kind == "undo" }

// changeLinks fills in the links to other pages.
func (r *request) changeLinks(p *changePage) {
	for _, tx := range p.Undoes {
		p.UndoLinks = append(p.UndoLinks, link{tx, r.ws.EntryPage(tx)})
	}
	if changesFiles(&p.EntryData) && p.OK {
		p.Forget = r.ws.Confirm("purge", "entries", p.Entry)
		if p.UndoneBy == "" {
			p.Undo = r.ws.Confirm("undo", "entry", p.Entry)
		}
	}
	p.Older, p.Newer = r.neighbours(p.Seq)
}

// neighbours returns the pages of the entries before and after a record. It looks at a window of records, since records that
// say how calls ended stand between entries.
func (r *request) neighbours(seq uint64) (older, newer string) {
	const window = 64
	t, err := r.ws.Timeline(r.Context(), api.TimelineRequest{Before: seq + window, Limit: window + 1})
	if err != nil {
		return "", ""
	}
	for i := range t.Calls {
		switch c := &t.Calls[i]; {
		case c.Seq > seq:
			newer = r.ws.EntryPage(c.Entry)
		case c.Seq < seq:
			return r.ws.EntryPage(c.Entry), newer
		}
	}
	return "", newer
}
