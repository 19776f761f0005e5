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
	Actor actor
	Title string // what it did
	Href  string
	Took  string         // its duration, in words
	Lines *api.LineCount // of its changes that were not undone; nil if not all of them are counted
	Paths []string       // the files that it changed or tried to, as far as the newest calls of the log tell
	More  int            // how many of them are not named
	Undo  string         // the page that undoes it; "" if no call left anything to undo
}

const (
	maxSessions     = 30   // on a page, unless the address asks for all
	maxSessionCalls = 1000 // the newest calls of the log, whose files are named in the list of sessions
)

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
	t, err := r.ws.Timeline(r.Context(), api.TimelineRequest{Limit: maxSessionCalls, Look: 2 * maxSessionCalls, CountLines: true})
	if err != nil {
		return page{}, err
	}
	calls := map[string][]api.LoggedCall{}
	for i := range t.Calls {
		calls[t.Calls[i].SessionID] = append(calls[t.Calls[i].SessionID], t.Calls[i])
	}
	for i := range list {
		v.List = append(v.List, r.sessionItem(&list[i], calls[list[i].ID]))
	}
	return page{Name: "sessions", Title: "Sessions", Data: v}, nil
}

func (r *request) sessionItem(s *api.SessionCount, calls []api.LoggedCall) sessionItem {
	const named = 4
	all := pathsOf(calls)
	out := sessionItem{SessionCount: *s, Actor: actorOf(s.Agent, s.Client, ""), Href: r.ws.SessionPage(s.ID), Took: durationText(s.First, s.Last)}
	out.Title, out.Paths, out.Lines = sessionTitle(calls), all[:min(len(all), named)], linesOf(calls, s)
	out.More = len(all) - len(out.Paths)
	if s.Done > 0 {
		out.Undo = r.ws.Confirm("undo", "sessionId", s.ID)
	}
	return out
}

// linesOf counts the lines that the calls of a session added and removed, but for those that were undone. It returns nil if some of the
// session's calls or of their diffs are not there.
func linesOf(calls []api.LoggedCall, s *api.SessionCount) *api.LineCount {
	if len(calls) < s.Done+s.Refused+s.Undone {
		return nil
	}
	sum := &api.LineCount{}
	for i := range calls {
		c := &calls[i]
		if c.Outcome != api.Done && c.Outcome != api.Recovered || c.Kind == "undo" {
			continue
		}
		if c.Lines == nil {
			return nil
		}
		sum.Added += c.Lines.Added
		sum.Removed += c.Lines.Removed
	}
	return sum
}

// pathsOf returns the files of calls, which are the newest first, each once, in the order in which the calls touched them.
func pathsOf(calls []api.LoggedCall) (out []string) {
	seen := map[string]bool{}
	for i := len(calls) - 1; i >= 0; i-- {
		for _, f := range calls[i].Files {
			if f.Path != "" && !seen[f.Path] {
				seen[f.Path] = true
				out = append(out, f.Path)
			}
		}
	}
	return out
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
	Actor       actor
	Title       string
	Options     diffOptions
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
	v.Rows = rowsByTurn(r.ws, s.Calls, time.Now())
	if len(s.Calls) > 0 {
		c := &s.Calls[0]
		v.Actor = actorOf(c.AgentName, c.Client, c.ToolName)
		v.First, v.Last = s.Calls[len(s.Calls)-1].Timestamp, s.Calls[0].Timestamp
		v.Took = durationText(v.First, v.Last)
	}
	v.Title = sessionTitle(s.Calls)
	v.fillFiles(r)
	v.Options = r.diffOptions(v.Index.Added+v.Index.Removed > 0)
	return page{Name: "session", Title: v.Title + " · " + v.Actor.AtBegin(), Data: v}, nil
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
			out.View = r.diffView(f.Diff, next, r.textOfSession(&f))
			out.View.Anchor, out.View.History, out.View.Editor = lineAnchor(n), out.FileHref, r.editorAddress(out.View)
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
