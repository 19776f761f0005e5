package web

import (
	"net/url"
	"time"

	"github.com/emend-dev/emend/api"
)

// sessionsView is the data of the list of sessions.
type sessionsView struct {
	Counts *logCounts
	List   []sessionItem
	More   int // how many sessions are not listed
	All    string
}

// sessionItem is one session of the list.
type sessionItem struct {
	api.SessionCount
	Href string
	Took string // its duration, in words
}

// maxSessions limits the list of sessions, unless the address asks for all.
const maxSessions = 100

func (r *request) sessions() (page, error) {
	v := &sessionsView{Counts: r.logCounts(), All: r.ws.Page("sessions") + "?all=1"}
	if v.Counts == nil {
		return page{Name: "sessions", Title: "Sessions", Data: v}, nil
	}
	list := v.Counts.Sessions
	if r.URL.Query().Get("all") == "" {
		list = list[:min(len(list), maxSessions)]
	}
	v.More = len(v.Counts.Sessions) - len(list)
	for _, s := range list {
		v.List = append(v.List, sessionItem{s, r.ws.SessionPage(s.ID), durationText(s.First, s.Last)})
	}
	return page{Name: "sessions", Title: "Sessions", Data: v}, nil
}

// durationText returns a duration in words, or "" if it is below a second.
func durationText(from, to time.Time) string {
	d := to.Sub(from)
	if d < time.Second {
		return ""
	}
	return duration(d)
}

// sessionView is the data of the page of one session.
type sessionView struct {
	*api.SessionChanges
	Who         *callView // the newest call, for its actor
	First, Last time.Time
	Took        string
	Rows        []row
	MoreCalls   int
	AllCalls    string
	Undo        string // the page that undoes the session; "" if it left nothing to undo
	Files       []sessionFile
	Index       fileIndex
	Same        []link // files that are as before the session
}

// sessionFile is a file that a session left different.
type sessionFile struct {
	api.SessionFile
	ID       string // of its section of the page
	FileHref string
	Did      string
	View     *diffView
	More     string // the page of its diff, if this page has no room for it
	Entries  []link
}

// maxSessionRows limits the rows of diffs that a session's page has at first.
const maxSessionRows = 4000

func (r *request) session() (page, error) {
	id := r.URL.Query().Get("id")
	s, err := r.ws.SessionChanges(r.Context(), id)
	if err != nil {
		return page{}, err
	}
	v := &sessionView{SessionChanges: s, MoreCalls: s.CallCount - len(s.Calls), AllCalls: r.ws.Page() + "?session=" + url.QueryEscape(id)}
	v.Rows = rowsByTurn(r.ws, id, s.Calls, time.Now())
	if len(s.Calls) > 0 {
		v.Who = newCallView(r.ws, &s.Calls[0])
		v.First, v.Last = s.Calls[len(s.Calls)-1].Timestamp, s.Calls[0].Timestamp
		v.Took = durationText(v.First, v.Last)
	}
	v.fillFiles(r)
	return page{Name: "session", Title: "Session " + id, Data: v}, nil
}

// fillFiles fills in the files, with diffs as long as there is room.
func (v *sessionView) fillFiles(r *request) {
	shown := 0
	for n, f := range v.SessionChanges.Files {
		if f.Operation == "" {
			v.Same = append(v.Same, link{f.Path, r.ws.FilePage(f.Path)})
			continue
		}
		at := f.Path
		if f.ToPath != "" {
			at = f.ToPath
		}
		out := sessionFile{SessionFile: f, ID: fileID(n), FileHref: r.ws.FilePage(at), Did: operationVerbs[f.Operation][0]}
		switch next := r.sessionDiffAddress(v.SessionID, n); {
		case f.Diff != "" && shown < maxSessionRows:
			out.View = r.diffView(f.Diff, next)
			out.View.History = out.FileHref
			shown += len(out.View.Rows)
		case f.Diff != "":
			out.More = next
		}
		for _, e := range f.Entries {
			out.Entries = append(out.Entries, link{shortHash(e), r.ws.EntryPage(e)})
		}
		v.Files = append(v.Files, out)
		v.Index.add(n, out.Did, at, out.View)
	}
	if len(v.Files) > 0 {
		v.Undo = r.ws.Page("confirm", "undo") + "?sessionId=" + url.QueryEscape(v.SessionID)
	}
}
