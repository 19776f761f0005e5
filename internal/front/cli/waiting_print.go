package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/report"
)

// waitingTable lists the calls that wait.
func waitingTable(all []api.Waiting, now time.Time) string {
	if len(all) == 0 {
		return "No pending approvals."
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i := range all {
		q := &all[i].Question
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", all[i].ID, timeLeft(all[i].Deadline, now), report.OneLine(q.Actor.Client), report.OneLine(q.Actor.Tool), describePaths(q.Paths))
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// timeLeft says how long a call still waits.
func timeLeft(deadline, now time.Time) string {
	return fmt.Sprintf("%v left", max(0, deadline.Sub(now)).Truncate(time.Second))
}

func describePaths(paths []api.AskedPath) string {
	out := report.OneLine(paths[0].Path)
	if more := len(paths) - 1; more > 0 {
		out += fmt.Sprintf(" and %d more", more)
	}
	return out
}

// waitingCall is the JSON form of a call that waits.
type waitingCall struct {
	ID       string        `json:"id"`
	Since    time.Time     `json:"since"`
	Deadline time.Time     `json:"deadline"`
	Root     string        `json:"root"`
	Client   string        `json:"client,omitempty"`
	Session  string        `json:"sessionId,omitempty"`
	Agent    string        `json:"agentName,omitempty"`
	Tool     string        `json:"toolName"`
	Paths    []waitingPath `json:"paths"`
	Diff     string        `json:"diff,omitempty"`

	ForSession bool `json:"forSession"` // a yes may hold until the session ends
	PageOnly   bool `json:"pageOnly"`   // only a page may answer
}

type waitingPath struct {
	Path  string `json:"path"`
	Write bool   `json:"write"`
	Rule  string `json:"rule"`

	BuiltIn bool   `json:"builtIn,omitempty"`
	Why     string `json:"why,omitempty"`
}

func newWaitingCall(w *api.Waiting) waitingCall {
	q := &w.Question
	out := waitingCall{ID: w.ID, Since: w.Since, Deadline: w.Deadline, Root: q.Root, Client: q.Actor.Client, Session: q.Actor.Session,
		Agent: q.Actor.Agent, Tool: q.Actor.Tool, Diff: q.Diff, ForSession: w.ForSession, PageOnly: q.PageOnly}
	for _, p := range q.Paths {
		out.Paths = append(out.Paths, waitingPath(p))
	}
	return out
}

// waitingText describes one call that waits, with its diff.
func (a *app) waitingText(w *api.Waiting) string {
	q := &w.Question
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-8s %s\n", name, report.OneLine(fmt.Sprintf(format, args...)))
	}
	row("id", "%s, %s", w.ID, timeLeft(w.Deadline, time.Now()))
	if q.Actor.Client != "" {
		row("client", "%s, as it says of itself", q.Actor.Client)
	}
	if q.Actor.Agent != "" {
		row("agent", "%s", q.Actor.Agent)
	}
	if q.Actor.Session != "" {
		row("session", "%s in the log", q.Actor.Session)
	}
	row("tool", "%s, in %s", q.Actor.Tool, q.Root)
	for _, p := range q.Paths {
		row(map[bool]string{true: "change", false: "read"}[p.Write], "%s (%s)", p.Path, consent.RuleText(p))
	}
	if q.Diff != "" {
		b.WriteByte('\n')
		a.printDiff(&b, q.Diff)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
