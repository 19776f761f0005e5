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
	Outcomes   []api.Outcome
	All        string // the timeline without conditions
	Older      string // the next page, of older calls; "" on the last one
	Newest     string // the first page; "" on it
	SearchNote string // shown if the search stopped before the end of the log
	Empty      bool   // the log has no call at all
	Notes      []string
}

// row is a line of the list: the heading of a day or of a turn, or a call.
type row struct {
	Day  string
	Turn *turnHeading
	Call *callView
}

// turnHeading stands above the calls of a turn.
type turnHeading struct {
	ID   string // "" for calls of no turn
	Undo string // the page that undoes the turn; "" if none of the calls left anything to undo
}

// callView is a call in a list.
type callView struct {
	*api.LoggedCall
	Sentence                      sentence
	Href, SessionHref, UndoneHref string
	UndoLinks                     []link // the changes that the call undid
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
	if v.Counts != nil {
		v.Chart = v.Counts.chart(r.ws, f, r.URL.Query().Get("chart") == "month", now)
	}
	p := page{Name: "timeline", Title: "Timeline", Data: v}
	if len(f.Problems) > 0 {
		return p, nil
	}
	return p, v.fillCalls(r, now)
}

// fillCalls fills in the list.
func (v *timelineView) fillCalls(r *request, now time.Time) error {
	v.request.Limit = callsPerPage
	t, err := r.ws.Timeline(r.Context(), v.request)
	if err != nil {
		return err
	}
	v.Rows, v.Notes = rows(r.ws, t.Calls, now), t.Notes
	home := r.ws.Page()
	if t.Next > 0 {
		v.Older = v.address(home, "before", strconv.FormatUint(t.Next, 10))
		if len(t.Calls) < callsPerPage {
			v.SearchNote = fmt.Sprintf("Looked through %s and found %s.", plural(t.Looked, "record"), plural(len(t.Calls), "call"))
		}
	}
	if v.request.Before > 0 {
		v.Newest = v.address(home)
	}
	v.Empty = len(v.Rows) == 0 && len(v.Query) == 0 && v.request.Before == 0 && t.Next == 0
	return nil
}

// rows groups calls by days.
func rows(ws *Workspace, calls []api.LoggedCall, now time.Time) (out []row) {
	day := ""
	for i := range calls {
		if d := dayHeading(calls[i].Timestamp, now); d != day {
			day = d
			out = append(out, row{Day: d})
		}
		out = append(out, row{Call: newCallView(ws, &calls[i])})
	}
	return out
}

// rowsByTurn groups the calls of a session by days, and by turns if there are any.
func rowsByTurn(ws *Workspace, session string, calls []api.LoggedCall, now time.Time) (out []row) {
	var current *turnHeading
	for _, one := range rows(ws, calls, now) {
		if one.Call == nil { // the day
			current = nil
		} else if next := one.Call.Turn; current == nil && next != "" || current != nil && current.ID != next {
			current = &turnHeading{ID: next}
			out = append(out, row{Turn: current})
		}
		if current != nil && current.ID != "" && one.Call.undoable() {
			current.Undo = ws.Confirm("undo_turn", "sessionId", session, "turn", current.ID)
		}
		out = append(out, one)
	}
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
	v := &callView{LoggedCall: c, Sentence: sentenceOf(c), Href: ws.EntryPage(c.Entry), SessionHref: ws.SessionPage(c.SessionID)}
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
