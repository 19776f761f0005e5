package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// callsPerPage is the number of calls on a page of the timeline.
const callsPerPage = 50

// timelineView is the data of the timeline.
type timelineView struct {
	*filter
	Chips      []chip
	Rows       []row
	Chart      *chart
	Counts     *logCounts // nil until the log has been counted once
	Counting   bool       // an open page asks again for the counts
	Outcomes   []api.Outcome
	All        string // the timeline without conditions
	Older      string // the next page, of older calls; "" on the last one
	Newest     string // the first page; "" on it
	SearchNote string // shown if the search stopped before the end of the log
	Empty      bool   // the log has no call at all
	Notes      []string
}

// row is a line of the list: the heading of a day, a session or a turn, or a call.
type row struct {
	Day     string
	Session *sessionHeading
	Turn    *turnHeading
	Call    *callView
}

// sessionHeading stands above the calls of a session.
type sessionHeading struct {
	Actor actor
	ID    string // "" for calls of no session
	Title string
	Href  string
}

// turnHeading stands above the calls of a turn.
type turnHeading struct {
	ID    string // "" for calls of no turn
	Began time.Time
	Undo  string // the page that undoes the turn; "" if none of the calls left anything to undo
}

// callView is a call in a list.
type callView struct {
	*api.LoggedCall
	Actor                         actor
	Sentence                      sentence
	Listing                       fileListing
	Href, SessionHref, UndoneHref string
	Undo                          string // the page that undoes it; "" if there is nothing to undo
	UndoLinks                     []link // the changes that the call undid
}

// fileListing is the sentence of a call with the names of its first files.
type fileListing struct {
	Did    string
	Paths  []string
	To     string // of a file that was moved
	More   int    // how many more files there are
	Clause string // how the call ended
}

// maxListedPaths limits the files that a row of the list names.
const maxListedPaths = 3

func listingOf(c *api.LoggedCall) fileListing {
	l := fileListing{Did: upperFirst(verbOf(c)), Clause: outcomeClause(c)}
	for i := range c.Files[:min(len(c.Files), maxListedPaths)] {
		if p := c.Files[i].Path; p != "" {
			l.Paths = append(l.Paths, p)
		}
	}
	if len(c.Files) == 1 {
		l.To = c.Files[0].ToPath
	}
	l.More = c.FileCount - len(l.Paths)
	if len(l.Paths) == 0 {
		l.Did, l.More = upperFirst(verbWithoutFile(c)), 0
		if c.ToolName != "" {
			l.Paths = []string{c.ToolName}
		}
	}
	return l
}

// Remark returns the message of a call that was not simply done.
func (v *callView) Remark() string {
	if v.Outcome == api.Done || v.Outcome == api.Undone {
		return ""
	}
	return v.Message
}

func (r *request) timeline() (page, error) {
	now := time.Now()
	f := parseFilter(r.URL.Query(), now)
	v := &timelineView{filter: f, Chips: f.chips(r.ws.Page()), All: r.ws.Page(), Counts: r.logCounts()}
	for _, o := range outcomes {
		v.Outcomes = append(v.Outcomes, o.Outcome)
	}
	v.fillChart(r, now)
	p := page{Name: "timeline", Title: "Timeline", Data: v}
	if len(f.Problems) > 0 {
		return p, nil
	}
	return p, v.fillCalls(r, now)
}

// fillCalls fills in the list.
func (v *timelineView) fillCalls(r *request, now time.Time) error {
	v.request.Limit, v.request.CountLines = callsPerPage, true
	t, err := r.ws.Timeline(r.Context(), v.request)
	if err != nil {
		return err
	}
	v.Rows, v.Notes = rowsBySession(r.ws, t.Calls, v.began(), now), t.Notes
	home := r.ws.Page()
	if t.Next > 0 {
		v.Older = v.address(home, "before", strconv.FormatUint(t.Next, 10))
		if len(t.Calls) < callsPerPage {
			v.SearchNote = fmt.Sprintf("%s in %s.", plural(len(t.Calls), "match"), plural(t.Looked, "record"))
		}
	}
	if v.request.Before > 0 {
		v.Newest = v.address(home)
	}
	v.Empty = len(v.Rows) == 0 && len(v.Query) == 0 && v.request.Before == 0 && t.Next == 0
	return nil
}

// began returns when sessions began, as far as that has been counted.
func (v *timelineView) began() map[string]time.Time {
	out := map[string]time.Time{}
	if v.Counts != nil {
		for i := range v.Counts.Sessions {
			out[v.Counts.Sessions[i].ID] = v.Counts.Sessions[i].First
		}
	}
	return out
}

// rowsBySession groups calls by days, sessions and turns. The calls of one session stand together, even if another session
// worked at the same time; the session with the newest call comes first.
func rowsBySession(ws *Workspace, calls []api.LoggedCall, began map[string]time.Time, now time.Time) (out []row) {
	for len(calls) > 0 {
		day, n := dayHeading(calls[0].Timestamp, now), 1
		for n < len(calls) && dayHeading(calls[n].Timestamp, now) == day {
			n++
		}
		out = append(out, row{Day: day})
		for _, group := range groupBySession(calls[:n]) {
			out = append(out, row{Session: newSessionHeading(ws, group, began)})
			out = append(out, rowsOfTurns(ws, group)...)
		}
		calls = calls[n:]
	}
	return out
}

// groupBySession returns the calls of each session, in the order of their newest calls. Calls of no session are grouped by who
// made them.
func groupBySession(calls []api.LoggedCall) (out [][]*api.LoggedCall) {
	at := map[[3]string]int{}
	for i := range calls {
		c := &calls[i]
		key := [3]string{c.SessionID}
		if c.SessionID == "" {
			key = [3]string{"", c.AgentName, c.Client}
		}
		n, known := at[key]
		if !known {
			n = len(out)
			at[key], out = n, append(out, nil)
		}
		out[n] = append(out[n], c)
	}
	return out
}

func newSessionHeading(ws *Workspace, calls []*api.LoggedCall, began map[string]time.Time) *sessionHeading {
	c := calls[0]
	h := &sessionHeading{Actor: actorOf(c.AgentName, c.Client, c.ToolName), ID: c.SessionID}
	if h.ID == "" {
		return h
	}
	first, known := began[h.ID]
	if !known {
		first = calls[len(calls)-1].Timestamp
	}
	h.Title, h.Href = "session of "+clock(first, c.Timestamp), ws.SessionPage(h.ID)
	return h
}

// rowsOfTurns returns the rows of the calls of one session, with headings of turns if there are any.
func rowsOfTurns(ws *Workspace, calls []*api.LoggedCall) (out []row) {
	var current *turnHeading
	for _, c := range calls {
		if current == nil && c.Turn != "" || current != nil && current.ID != c.Turn {
			current = &turnHeading{ID: c.Turn}
			out = append(out, row{Turn: current})
		}
		v := newCallView(ws, c)
		if current != nil {
			current.Began = c.Timestamp
			if current.ID != "" && v.Undo != "" {
				current.Undo = ws.Confirm("undo_turn", "sessionId", c.SessionID, "turn", current.ID)
			}
		}
		out = append(out, row{Call: v})
	}
	return out
}

// rowsByTurn groups the calls of one session by days and turns.
func rowsByTurn(ws *Workspace, calls []api.LoggedCall, now time.Time) (out []row) {
	var of []*api.LoggedCall
	day := ""
	flush := func() {
		out = append(out, rowsOfTurns(ws, of)...)
		of = nil
	}
	for i := range calls {
		if d := dayHeading(calls[i].Timestamp, now); d != day {
			flush()
			day = d
			out = append(out, row{Day: d})
		}
		of = append(of, &calls[i])
	}
	flush()
	return out
}

// undoable reports whether the call changed files and was not undone.
func (v *callView) undoable() bool {
	return (v.Kind == "commit" || v.Kind == "undo") && (v.Outcome == api.Done || v.Outcome == api.Recovered)
}

// SeenText says that emend saw the change, on one line; "" if emend made it.
func (v *callView) SeenText() string {
	if v.Seen == nil {
		return ""
	}
	const most = 200
	text := strings.Join(strings.Fields(report.SeenText(v.Seen)), " ")
	if cut := []rune(text); len(cut) > most {
		text = string(cut[:most]) + "…"
	}
	return text
}

func newCallView(ws *Workspace, c *api.LoggedCall) *callView {
	v := &callView{LoggedCall: c, Actor: actorOf(c.AgentName, c.Client, c.ToolName), Sentence: sentenceOf(c), Listing: listingOf(c),
		Href: ws.EntryPage(c.Entry), SessionHref: ws.SessionPage(c.SessionID)}
	if v.undoable() && !ws.readOnly {
		v.Undo = ws.Confirm("undo", "entry", c.Entry)
	}
	if c.UndoneBy != "" {
		v.UndoneHref = ws.EntryPage(c.UndoneBy)
	}
	for _, tx := range c.Undoes[:min(len(c.Undoes), 3)] {
		v.UndoLinks = append(v.UndoLinks, link{shortHash(tx), ws.EntryPage(tx)})
	}
	if n := len(c.Undoes) - len(v.UndoLinks); n > 0 {
		v.UndoLinks = append(v.UndoLinks, link{plural(n, "more entry"), v.Href})
	}
	return v
}
