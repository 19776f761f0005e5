package web

import (
	"net/url"
	"time"

	"github.com/emend-dev/emend"
)

// sessionsView lists who worked here.
type sessionsView struct {
	Tally *tally
	List  []sessionLine
	More  int // sessions that are not listed
	All   string
}

// sessionLine is one session in the list.
type sessionLine struct {
	emend.SessionCount
	Href string
	Took string // how long it lasted
}

// maxSessions is how many sessions the list has unless it is asked for all.
const maxSessions = 100

func (r *request) sessions() (page, error) {
	v := &sessionsView{Tally: r.tally(), All: r.space.Page("sessions") + "?all=1"}
	if v.Tally == nil {
		return page{Name: "sessions", Title: "Sessions", Data: v}, nil
	}
	list := v.Tally.Sessions
	if r.URL.Query().Get("all") == "" {
		list = list[:min(len(list), maxSessions)]
	}
	v.More = len(v.Tally.Sessions) - len(list)
	for _, s := range list {
		v.List = append(v.List, sessionLine{s, r.space.SessionPage(s.ID), took(s.First, s.Last)})
	}
	return page{Name: "sessions", Title: "Sessions", Data: v}, nil
}

// took is how long something lasted; "" for no time at all.
func took(from, to time.Time) string {
	d := to.Sub(from)
	if d < time.Second {
		return ""
	}
	return lasting(d)
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
	Deed     string
	View     *diffView
	More     string // the address of a difference that is not on this page, which has many
	Entries  []link
}

// maxRows is how many rows of differences a session's page begins with.
const maxRows = 4000

func (r *request) session() (page, error) {
	id := r.URL.Query().Get("id")
	s, err := r.space.SessionChanges(r.Context(), id)
	if err != nil {
		return page{}, err
	}
	v := &sessionView{SessionChanges: s, MoreCalls: s.CallCount - len(s.Calls), AllCalls: r.space.Page() + "?session=" + url.QueryEscape(id)}
	v.Rows = rows(r.space, s.Calls, time.Now())
	if len(s.Calls) > 0 {
		v.Who = viewOf(r.space, &s.Calls[0])
		v.First, v.Last = s.Calls[len(s.Calls)-1].Timestamp, s.Calls[0].Timestamp
		v.Took = took(v.First, v.Last)
	}
	v.files(r)
	return page{Name: "session", Title: "Session " + id, Data: v}, nil
}

// files fills in what became of the files, with their differences as long as there is room for them.
func (v *sessionView) files(r *request) {
	shown := 0
	for n, f := range v.SessionChanges.Files {
		if f.Operation == "" {
			v.Same = append(v.Same, link{f.Path, r.space.FilePage(f.Path)})
			continue
		}
		at := f.Path
		if f.ToPath != "" {
			at = f.ToPath
		}
		out := sessionFile{SessionFile: f, ID: fileID(n), FileHref: r.space.FilePage(at), Deed: verbs[f.Operation][0]}
		switch next := r.sessionDiffOf(v.SessionID, n); {
		case f.Diff != "" && shown < maxRows:
			out.View = r.diffView(f.Diff, next)
			out.View.History = out.FileHref
			shown += len(out.View.Rows)
		case f.Diff != "":
			out.More = next
		}
		for _, e := range f.Entries {
			out.Entries = append(out.Entries, link{short(e), r.space.EntryPage(e)})
		}
		v.Files = append(v.Files, out)
		v.Index.add(n, out.Deed, at, out.View)
	}
	if len(v.Files) > 0 {
		v.Undo = r.space.Page("confirm", "undo") + "?sessionId=" + url.QueryEscape(v.SessionID)
	}
}
