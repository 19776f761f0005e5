package web

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// filter has the conditions that narrow the timeline, as its address has them.
type filter struct {
	Query    url.Values // the conditions only: each once, none empty
	Problems map[string]string
	request  api.TimelineRequest
}

// conditions are the names of the conditions in an address, and their labels.
var conditions = []struct{ name, label string }{
	{"q", "text"}, {"content", "changed line"}, {"outcome", "outcome"}, {"session", "session"}, {"agent", "agent"}, {"client", "program"}, {"tool", "tool"},
	{"path", "path"}, {"since", "since"}, {"until", "until"},
}

// parseFilter reads the conditions of an address. If one cannot be understood, the page lists nothing until it is corrected:
// a list without that condition would look like an answer.
func parseFilter(q url.Values, now time.Time) *filter {
	f := &filter{Query: url.Values{}, Problems: map[string]string{}}
	for _, c := range conditions {
		if v := q.Get(c.name); v != "" {
			f.Query.Set(c.name, v)
		}
	}
	f.request = api.TimelineRequest{SessionID: f.Get("session"), Agent: f.Get("agent"), Client: f.Get("client"), Tool: f.Get("tool"),
		Path: f.Get("path"), Text: f.Get("q"), Content: f.Get("content"), Outcome: api.Outcome(f.Get("outcome"))}
	f.request.Since = f.parseTime("since", now)
	f.request.Until = f.parseTime("until", now)
	f.request.Before, _ = strconv.ParseUint(q.Get("before"), 10, 64)
	if o := f.request.Outcome; o != "" && outcomeSign(o) == "" {
		f.Problems["outcome"] = "Unknown outcome."
	}
	return f
}

// Get returns a condition as it was written.
func (f *filter) Get(name string) string { return f.Query.Get(name) }

func (f *filter) parseTime(name string, now time.Time) time.Time {
	text := f.Get(name)
	if text == "" {
		return time.Time{}
	}
	at, ok := parseTime(text, now, name == "until")
	if !ok {
		f.Problems[name] = "Write a date (2026-01-31), a time (2026-01-31 12:00) or an age (90m, 2h, 7d)."
	}
	return at
}

var agePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,6})([mhdw])$`) })

// parseTime reads a time, a date or an age, in local time. An end that is a date includes that day.
func parseTime(text string, now time.Time, until bool) (at time.Time, ok bool) {
	if at, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		if until {
			at = at.AddDate(0, 0, 1)
		}
		return at, true
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			return at, true
		}
	}
	m := agePattern().FindStringSubmatch(text)
	if m == nil {
		return time.Time{}, false
	}
	n, _ := strconv.Atoi(m[1])
	unit := map[string]time.Duration{"m": time.Minute, "h": time.Hour}[m[2]]
	if unit > 0 {
		return now.Add(-time.Duration(n) * unit), true
	}
	return now.AddDate(0, 0, -n*map[string]int{"d": 1, "w": 7}[m[2]]), true
}

// chip is one active condition, and the address without it.
type chip struct{ Label, Value, Href string }

// chips returns the active conditions.
func (f *filter) chips(page string) (out []chip) {
	for _, c := range conditions {
		if v := f.Get(c.name); v != "" {
			out = append(out, chip{c.label, chipText(c.name, v), f.address(page, c.name, "")})
		}
	}
	return out
}

// chipText is the value of a condition for people. Links of the chart have times to the second, which are shortened.
func chipText(name, value string) string {
	if name == "client" {
		return report.ClientName(value)
	}
	if name == "agent" && value == api.PersonAgent {
		return report.You
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil && (name == "since" || name == "until") {
		return at.Local().Format("2 January, 15:04")
	}
	return value
}

// address returns the address of a page with the conditions and with other values of some, given as names and values. The
// value "" removes a condition.
func (f *filter) address(page string, pairs ...string) string {
	q := url.Values{}
	for name := range f.Query {
		q.Set(name, f.Get(name))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		if q.Del(pairs[i]); pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return page
	}
	return page + "?" + q.Encode()
}

// choice is a condition with a list of values that the log has.
type choice struct {
	Name, Label, Value string
	Options            []string
	Programs           bool // the options are names of programs
}

// Choice returns the choice of a condition.
func (v *timelineView) Choice(name string) choice {
	c := choice{Name: name, Value: v.Get(name)}
	if v.Counts != nil {
		c.Options = map[string][]string{"agent": v.Counts.Agents, "client": v.Counts.Clients, "tool": v.Counts.Tools}[name]
	}
	if c.Value != "" && !slices.Contains(c.Options, c.Value) {
		c.Options = append([]string{c.Value}, c.Options...)
	}
	c.Label = map[string]string{"agent": "Agent", "client": "Program", "tool": "Tool"}[name]
	c.Programs = name == "client"
	return c
}
