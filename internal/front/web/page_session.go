package web

import (
	"net/url"
	"time"

	"github.com/emend-dev/emend"
)

// sessionsView lists who worked here.
type sessionsView struct {
	Counts *logCounts
	List   []sessionItem
	More   int // sessions that are not listed
	All    string
}

// sessionItem is one session in the list.
type sessionItem struct {
	emend.SessionCount
	Href string
	Took string // how long it lasted
}

// maxSessions is how many sessions the list has unless it is asked for all.
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

// durationText is how long something lasted; "" for no time at all.
func durationText(from, to time.Time) string {
	d := to.Sub(from)
	if d < time.Second {
		return ""
	}
	return duration(d)
}

// sessionView is one session: who, when, its calls, and all that it did to the files.
type sessionView struct {
	*emend.SessionChanges
	Who         *callView // the newest call, which says who it was
	First, Last time.Time
	Took        string
	Rows        []row
	MoreCalls   int
	AllCalls    string
	Undo        string // the address that takes the session back; "" when it left nothing
	Files       []sessionFile
	Index       fileIndex
	Same        []link // files that it left as they were before it
}

// sessionFile is one file that a session left different.
type sessionFile struct {
	emend.SessionFile
	ID       string // of its section
	FileHref string
	Did      string
	View     *diffView
	More     string // the address of a difference that is not on this page, which has many
	Entries  []link
}

// maxSessionRows is how many rows of differences a session's page begins with.
const maxSessionRows = 4000

func (r *request) session() (page, error) {
	id := r.URL.Query().Get("id")
	s, err := r.ws.SessionChanges(r.Context(), id)
	if err != nil {
		return page{}, err
	}
	v := &sessionView{SessionChanges: s, MoreCalls: s.CallCount - len(s.Calls), AllCalls: r.ws.Page() + "?session=" + url.QueryEscape(id)}
	v.Rows = rows(r.ws, s.Calls, time.Now())
	if len(s.Calls) > 0 {
		v.Who = newCallView(r.ws, &s.Calls[0])
		v.First, v.Last = s.Calls[len(s.Calls)-1].Timestamp, s.Calls[0].Timestamp
		v.Took = durationText(v.First, v.Last)
	}
	v.fillFiles(r)
	return page{Name: "session", Title: "Session " + id, Data: v}, nil
}

// fillFiles fills in what became of the files, with their differences as long as there is room for them.
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
