package pages

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/web"

	"github.com/emend-dev/emend/hub/control"
	"github.com/emend-dev/emend/hub/index"
	"github.com/emend-dev/emend/hub/wire"
)

// callRow is a row of a list of calls: a call, or the heading of a day.
type callRow struct {
	Day           string
	ID            string
	Href          string
	Listing       any
	Outcome       api.Outcome
	At            time.Time
	Workspace     string
	WorkspaceHref string
	Agent, Client string
	Tool          string
	Session       string
	SessionHref   string
	Message       string
	Marks         []string
	UndoneBy      string
	UndoneHref    string
	Undo          string // the page that previews the undo; "" if there is nothing to undo
	Entry         *index.Entry
}

var markTexts = map[string]string{index.MarkUnasked: "Nobody was asked", index.MarkKey: "A line looks like a key", index.MarkSeen: "Seen, not made", index.MarkWithheld: "Withheld by the workspace"}

// marksOf returns the marks of a record.
func marksOf(r *api.Record) (out []string) {
	add := func(is bool, mark string) {
		if is && !slices.Contains(out, mark) {
			out = append(out, mark)
		}
	}
	add(r.Withheld, index.MarkWithheld)
	add(r.Command != "", index.MarkSeen)
	for _, f := range r.Files {
		add(f.Unasked, index.MarkUnasked)
		add(f.Keys > 0, index.MarkKey)
	}
	return out
}

// calledOf returns an entry as the front of emend words it.
func calledOf(e *index.Entry) *api.LoggedCall {
	c := &api.LoggedCall{Entry: e.Name(), Seq: e.Record.Seq, Timestamp: e.Record.At, Kind: e.Record.Kind, SessionID: e.Record.Actor.Session, Turn: e.Record.Actor.Turn,
		AgentName: e.Record.Actor.Agent, Client: e.Record.Actor.Client, ToolName: e.Record.Actor.Tool, Outcome: e.Outcome, ErrorKind: e.Record.ErrorKind,
		Message: e.Record.Message, Undoes: e.Record.Undoes, UndoneBy: e.UndoneBy, FileCount: len(e.Record.Files)}
	for _, f := range e.Record.Files[:min(len(e.Record.Files), 20)] {
		c.Files = append(c.Files, api.LogEntry{Operation: f.Operation, Path: f.Path, ToPath: f.ToPath})
	}
	return c
}

// row makes the row of an entry.
func (r *request) row(e *index.Entry) callRow {
	a := e.Record.Actor
	out := callRow{ID: strconv.FormatInt(e.Number, 10), Listing: web.ListingOf(calledOf(e)), Outcome: e.Outcome, At: e.At, Agent: a.Agent, Client: a.Client, Tool: a.Tool,
		Session: a.Session, Href: r.entryHref(e.Workspace, e.Name()), Workspace: e.Workspace, WorkspaceHref: r.workspaceHref(e.Workspace), UndoneBy: e.UndoneBy, Entry: e}
	if sp := r.f.byID[e.Workspace]; sp != nil {
		out.Workspace = sp.Name
	}
	if a.Session != "" {
		out.SessionHref = r.sessionHref(e.Workspace, a.Session)
	}
	for _, m := range marksOf(e.Record) {
		out.Marks = append(out.Marks, markTexts[m])
	}
	if e.Outcome != api.Done && e.Outcome != api.Undone {
		out.Message = e.Record.Message
	}
	if e.UndoneBy != "" {
		out.UndoneHref = r.entryHref(e.Workspace, e.UndoneBy)
	}
	if r.who.May(control.Approver) && e.Record.Tx != "" && e.Record.Kind != "purge" && (e.Outcome == api.Done || e.Outcome == api.Recovered) && !e.Void {
		out.Undo = r.to("confirm/undo", "workspace", e.Workspace, "entry", e.Record.Tx)
	}
	return out
}

// calls finds entries, with headings of days.
func (r *request) calls(q index.Query) ([]callRow, *index.Page, error) {
	found, err := r.site.Index.Find(r.Context(), q)
	if err != nil {
		return nil, nil, err
	}
	var out []callRow
	day, now := "", time.Now()
	for i := range found.Entries {
		e := &found.Entries[i]
		if d := web.DayHeading(e.At, now); d != day {
			day = d
			out = append(out, callRow{Day: d})
		}
		out = append(out, r.row(e))
	}
	return out, found, nil
}

// filterFields are the fields of the filter, in the order of the page.
var filterFields = []struct{ Name, Label string }{{"q", "Text"}, {"workspace", "Workspace"}, {"label", "Label"}, {"repository", "Clones like"}, {"path", "File or directory"}, {"session", "Session"},
	{"client", "Program"}, {"agent", "Agent"}, {"tool", "Tool"}, {"kind", "Kind"}, {"mark", "Mark"}, {"since", "Since"}, {"until", "Until"}}

// kinds are the values of the filter by kind.
var kinds = []option{{"", "any"}, {"commit", "changes"}, {"undo", "undos"}, {"refused", "refused"}, {"denied", "denied"}, {"purge", "purges"}}

var marks = []option{{"", "any"}, {index.MarkUnasked, "nobody was asked"}, {index.MarkKey, "looks like a key"}, {index.MarkSeen, "seen, not made"}, {index.MarkWithheld, "withheld"}}

type option struct{ Value, Text string }

// filterOf makes a query of the values of an address.
func (r *request) filterOf(v url.Values) (q index.Query, problems map[string]string) {
	problems = map[string]string{}
	q = index.Query{Text: v.Get("q"), Path: v.Get("path"), Session: v.Get("session"), Client: v.Get("client"), Agent: v.Get("agent"), Tool: v.Get("tool"), Kind: v.Get("kind"), Mark: v.Get("mark")}
	var conditions []func(*space) bool
	if name := v.Get("workspace"); name != "" {
		conditions = append(conditions, func(s *space) bool { return s.ID == name || s.Name == name })
	}
	if label := v.Get("label"); label != "" {
		conditions = append(conditions, func(s *space) bool { return slices.Contains(s.Labels, label) })
	}
	if like := v.Get("repository"); like != "" {
		sp := r.f.byID[like]
		conditions = append(conditions, func(s *space) bool {
			return sp != nil && (s == sp || sp.Index.Repository != "" && s.Index.Repository == sp.Index.Repository)
		})
	}
	q.Workspaces = r.f.names(nil)
	if conditions != nil {
		q.Workspaces = r.f.names(func(s *space) bool {
			return !slices.ContainsFunc(conditions, func(c func(*space) bool) bool { return !c(s) })
		})
	}
	for name, to := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		var err error
		if *to, err = parseTime(v.Get(name), time.Now()); err != nil {
			problems[name] = err.Error()
		}
	}
	q.Before, _ = strconv.ParseInt(v.Get("before"), 10, 64)
	return q, problems
}

// parseTime reads a time, a date (UTC) or an age.
func parseTime(s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	age := s
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil {
			age = strconv.Itoa(24*n) + "h"
		}
	}
	if d, err := time.ParseDuration(age); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, errors.New("not a time: write 2h, 7d, 2026-01-31 or 2026-01-31T12:00:00Z")
}

// chip is a condition of the filter that is set, with the address without it.
type chip struct{ Label, Value, Href string }

// timelineView is the data of the page "timeline".
type timelineView struct {
	Query    url.Values
	Problems map[string]string
	Rows     []callRow
	Chips    []chip
	All      string
	Older    string
	Newest   string
	Looked   string // how far the search went, if it did not go to the end
	Labels   []string
	Spaces   []*space
	Kinds    []option
	Marks    []option
	Choices  map[string][]index.Choice
	Empty    bool
	Chart    *chart
}

// Get returns a value of the filter.
func (v *timelineView) Get(name string) string { return v.Query.Get(name) }

func (r *request) timelinePage() (page, error) {
	q := r.URL.Query()
	v := &timelineView{Query: q, All: r.to("timeline"), Labels: r.f.labels(), Kinds: kinds, Marks: marks, Choices: map[string][]index.Choice{}}
	if len(r.f.spaces) <= 500 {
		v.Spaces = r.f.spaces
	}
	query, problems := r.filterOf(q)
	v.Problems = problems
	for _, f := range filterFields {
		if value := q.Get(f.Name); value != "" {
			shown := value
			if sp := r.f.byID[value]; sp != nil {
				shown = sp.Name
			}
			v.Chips = append(v.Chips, chip{f.Label, shown, web.WithQuery(r.URL.RequestURI(), f.Name, "", "before", "", "done", "")})
		}
	}
	for _, what := range []string{"client", "agent", "tool"} {
		var err error
		if v.Choices[what], err = r.site.Index.Choices(r.Context(), what, 50); err != nil {
			return page{}, err
		}
	}
	if len(problems) > 0 {
		return page{Name: "timeline", Title: "Timeline", Data: v}, nil
	}
	rows, found, err := r.calls(query)
	if err != nil {
		return page{}, err
	}
	v.Rows, v.Empty = rows, len(rows) == 0 && len(v.Chips) == 0
	if found.Next > 0 {
		v.Older = web.WithQuery(r.URL.RequestURI(), "before", strconv.FormatInt(found.Next, 10), "done", "")
		if len(found.Entries) < 50 {
			v.Looked = "Looked through " + web.Plural(found.Looked, "call") + "."
		}
	}
	if query.Before > 0 {
		v.Newest = web.WithQuery(r.URL.RequestURI(), "before", "")
	}
	if v.Chart, err = r.chart(query.Workspaces, len(v.Chips) == 0 || onlyWorkspaces(q)); err != nil {
		return page{}, err
	}
	return page{Name: "timeline", Title: "Timeline", Data: v}, nil
}

// onlyWorkspaces reports whether a filter has no condition but on workspaces.
func onlyWorkspaces(q url.Values) bool {
	for _, f := range filterFields {
		if f.Name != "workspace" && f.Name != "label" && f.Name != "repository" && q.Get(f.Name) != "" {
			return false
		}
	}
	return true
}

// chart is a bar chart of the calls of the last day, by hours.
type chart struct {
	Bars                []chartBar
	Width, Height, Step int
	Most, Done, Refused int
}

type chartBar struct {
	Label         string
	Href          string
	Done, Refused int
	X, W          int
	DoneY, DoneH  int
	RefY, RefH    int
}

// chart makes the chart; nil if the list has conditions that are not counted.
func (r *request) chart(workspaces []string, counted bool) (*chart, error) {
	if !counted {
		return nil, nil
	}
	now := time.Now()
	first := now.Truncate(time.Hour).Add(-23 * time.Hour)
	hours, err := r.site.Index.Hours(r.Context(), workspaces, first)
	if err != nil {
		return nil, err
	}
	c := &chart{Width: 240, Height: 48, Step: 10}
	for i := range 24 {
		at := first.Add(time.Duration(i) * time.Hour)
		b := chartBar{Label: at.Local().Format("15:04"), X: i*c.Step + 1, W: c.Step - 2,
			Href: web.WithQuery(r.URL.RequestURI(), "since", at.UTC().Format(time.RFC3339), "until", at.Add(time.Hour).UTC().Format(time.RFC3339), "before", "", "done", "")}
		for _, h := range hours {
			if h.At.Equal(at) {
				b.Done, b.Refused = h.Done, h.Refused
			}
		}
		c.Most = max(c.Most, b.Done+b.Refused)
		c.Done, c.Refused = c.Done+b.Done, c.Refused+b.Refused
		c.Bars = append(c.Bars, b)
	}
	for i := range c.Bars {
		b := &c.Bars[i]
		height := func(n int) int {
			if n == 0 {
				return 0
			}
			return max(2, n*(c.Height-6)/c.Most)
		}
		b.DoneH, b.RefH = height(b.Done), height(b.Refused)
		b.DoneY = c.Height - b.DoneH
		b.RefY = b.DoneY - b.RefH
	}
	return c, nil
}

// entryView is the data of the page "entry".
type entryView struct {
	callRow
	Title    any
	Record   *api.Record
	Space    *space
	Undoes   []link
	Files    []entryFile
	Diffs    []any
	NotShown string
	Arrived  time.Time
	Epoch    int
	Void     bool
	Line     string
}

type entryFile struct {
	api.RecordedFile
	Href string
}

func (r *request) entryPage() (page, error) {
	sp, err := r.member(r.PathValue("ws"))
	if err != nil {
		return page{}, err
	}
	name := r.PathValue("entry")
	if !strings.Contains(name, "-") {
		name = "#" + name
	}
	e, err := r.site.Index.Entry(r.Context(), sp.ID, name)
	if err != nil {
		return page{}, err
	}
	if e == nil {
		return page{}, errNotFound
	}
	v := &entryView{callRow: r.row(e), Title: web.SentenceOf(calledOf(e)), Record: e.Record, Space: sp, Arrived: e.Arrived, Epoch: e.Epoch, Void: e.Void, Line: string(e.Record.Line)}
	for _, u := range e.Record.Undoes {
		v.Undoes = append(v.Undoes, link{u, r.entryHref(sp.ID, u)})
	}
	for _, f := range e.Record.Files[:min(len(e.Record.Files), 200)] {
		v.Files = append(v.Files, entryFile{f, r.to("file", "repository", sp.ID, "path", f.Path)})
	}
	diffs, err := r.site.Broker.Diffs(r.Context(), sp.ID, e.Record.Seq)
	switch {
	case err != nil || diffs == nil || diffs.H != e.Record.H: // of another record with this number, in a log that was rewritten
		v.NotShown = "This workspace did not send the diff."
	default:
		v.Diffs = r.diffs(diffs.Files)
	}
	return page{Name: "entry", Title: "Entry", Data: v}, nil
}

// diffs lays out the diffs of files, each of which may say why there is none.
func (r *request) diffs(files []wire.FileDiff) (out []any) {
	for _, f := range files {
		for _, d := range web.Diffs(r.Request, f.Diff) {
			out = append(out, web.NotedDiff{Diff: d})
		}
		if f.NotShown != "" {
			out = append(out, web.NotedDiff{Notes: []string{f.Path + ": " + f.NotShown}})
		}
	}
	return out
}

// fileView is the data of the page "file".
type fileView struct {
	Path   string
	Rows   []callRow
	Clones []link
	Older  string
	One    string // the page of one workspace alone
}

// filePage shows what was done to a path, in all clones of the repository of a workspace.
func (r *request) filePage() (page, error) {
	q := r.URL.Query()
	sp, err := r.member(cmp.Or(q.Get("repository"), q.Get("workspace")))
	if err != nil {
		return page{}, err
	}
	query, _ := r.filterOf(q)
	query.Path = q.Get("path")
	rows, found, err := r.calls(query)
	if err != nil {
		return page{}, err
	}
	v := &fileView{Path: query.Path, Rows: rows}
	for _, id := range query.Workspaces {
		v.Clones = append(v.Clones, link{r.f.byID[id].Name, r.workspaceHref(id)})
	}
	if query.Workspaces == nil {
		v.Clones = append(v.Clones, link{sp.Name, r.workspaceHref(sp.ID)})
	}
	if found.Next > 0 {
		v.Older = web.WithQuery(r.URL.RequestURI(), "before", strconv.FormatInt(found.Next, 10))
	}
	return page{Name: "file", Title: query.Path, Data: v}, nil
}

// sessionsView is the data of the page "sessions".
type sessionsView struct {
	List  []sessionRow
	Older string
}

type sessionRow struct {
	index.Session
	Space      string
	SpaceHref  string
	Href, Undo string
	Took       time.Duration
}

func (r *request) sessionRow(s index.Session) sessionRow {
	out := sessionRow{Session: s, Space: s.Workspace, SpaceHref: r.workspaceHref(s.Workspace), Href: r.sessionHref(s.Workspace, s.Name), Took: s.Last.Sub(s.First).Round(time.Second)}
	if sp := r.f.byID[s.Workspace]; sp != nil {
		out.Space = sp.Name
	}
	if r.who.May(control.Approver) {
		out.Undo = r.to("confirm/undo", "workspace", s.Workspace, "session", s.Name)
	}
	return out
}

func (r *request) sessionsPage() (page, error) {
	query, _ := r.filterOf(r.URL.Query())
	list, next, err := r.site.Index.Sessions(r.Context(), query.Workspaces, r.URL.Query().Get("before"), 50)
	if err != nil {
		return page{}, err
	}
	v := &sessionsView{}
	for _, s := range list {
		v.List = append(v.List, r.sessionRow(s))
	}
	if next != "" {
		v.Older = web.WithQuery(r.URL.RequestURI(), "before", next)
	}
	return page{Name: "sessions", Title: "Sessions", Data: v}, nil
}

// sessionView is the data of the page "session".
type sessionView struct {
	sessionRow
	Rows  []callRow
	Older string
}

func (r *request) sessionPage() (page, error) {
	sp, err := r.member(r.PathValue("ws"))
	if err != nil {
		return page{}, err
	}
	s, err := r.site.Index.Session(r.Context(), sp.ID, r.URL.Query().Get("name"))
	if err != nil {
		return page{}, err
	}
	if s == nil {
		return page{}, errNotFound
	}
	before, _ := strconv.ParseInt(r.URL.Query().Get("before"), 10, 64)
	rows, found, err := r.calls(index.Query{Workspaces: []string{sp.ID}, Session: s.Name, Before: before, Limit: 100})
	if err != nil {
		return page{}, err
	}
	v := &sessionView{sessionRow: r.sessionRow(*s), Rows: rows}
	if found.Next > 0 {
		v.Older = web.WithQuery(r.URL.RequestURI(), "before", strconv.FormatInt(found.Next, 10))
	}
	return page{Name: "session", Title: "Session", Data: v}, nil
}
