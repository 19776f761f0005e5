package logbook

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

// Sought is a TimelineRequest, understood.
type Sought struct {
	Wanted
	agent, client string
	text          string // in lower case
	outcome       api.Outcome
	until         time.Time
	before        uint64
	look          int
}

func Seeks(w *workspace.Workspace, r api.TimelineRequest) (*Sought, error) {
	want, err := Wants(w, api.HistoryRequest{SessionID: r.SessionID, Tool: r.Tool, Path: r.Path, Limit: max(r.Limit, 0)})
	if err != nil {
		return nil, err
	}
	want.since = r.Since
	return &Sought{Wanted: *want, agent: r.Agent, client: r.Client, text: strings.ToLower(r.Text), outcome: r.Outcome,
		until: r.Until, before: r.Before, look: cmp.Or(max(r.Look, 0), 20_000)}, nil
}

// record reports whether r is of whom, and of when, it is asked for.
func (w *Sought) record(r *audit.Record) bool {
	return w.Wanted.record(r) && (w.agent == "" || w.agent == r.Actor.Agent) && (w.client == "" || w.client == r.Actor.Client) &&
		(w.until.IsZero() || !r.TS.After(w.until))
}

// names reports whether the text is in what c is called, or who made it.
func (w *Sought) names(c *api.LoggedCall) bool {
	return w.in(c.Entry) || w.in(c.SessionID) || w.in(c.AgentName) || w.in(c.Client) || w.in(c.ToolName)
}

func (w *Sought) in(s string) bool { return strings.Contains(strings.ToLower(s), w.text) }

// query is what has to be read of the log. Most records are told by their line to be none that is asked for: that they are
// whole is checked all the same.
func (w *Sought) query(s *Scan, prefix string) audit.Query {
	has := w.fields()
	var at [][]byte // one of which has to be there
	for _, p := range w.at {
		if p = path.Join(prefix, p); p != "." {
			pattern := audit.EncodeField("", p)
			at = append(at, pattern[3:len(pattern)-1])
		}
	}
	if len(at) < len(w.at) {
		at = nil
	}
	return audit.Query{Before: w.before, Until: w.until, Need: func(k audit.Kind, line []byte) audit.Detail {
		switch {
		case k == audit.Applied || k == audit.Rotate:
			return audit.Header
		case k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(s.ends) > 0:
			return audit.Full // by what it says of others, or others of it
		case !w.ends(k) || !holds(line, has...) || len(at) > 0 && !slices.ContainsFunc(at, func(p []byte) bool { return holds(line, p) }) || !w.says(line):
			return audit.Header
		}
		return audit.Full
	}}
}

// fields are what the line of a record has to have.
func (w *Sought) fields() [][]byte {
	var out [][]byte
	for _, f := range []struct{ name, value string }{{"session", w.Session}, {"agent", w.agent}, {"client", w.client}, {"tool", w.tool}} {
		if f.value != "" {
			out = append(out, audit.EncodeField(f.name, f.value))
		}
	}
	return out
}

func holds(line []byte, all ...[]byte) bool {
	return !slices.ContainsFunc(all, func(part []byte) bool { return !bytes.Contains(line, part) })
}

// ends reports whether a record of a kind can be of the outcome that is asked for.
func (w *Sought) ends(k audit.Kind) bool {
	refused := k == audit.Failed || k == audit.Denied
	switch w.outcome {
	case "":
		return true
	case api.Refused:
		return refused
	case api.Done:
		return !refused
	case api.Undone:
		return k == audit.Commit || k == audit.Undo
	}
	return false // what ends it was met before
}

// says reports whether the text may be in a line. Of other characters than these it depends on how they are written.
func (w *Sought) says(line []byte) bool {
	plain := strings.Trim(w.text, "abcdefghijklmnopqrstuvwxyz0123456789 ._/-") == ""
	return w.text == "" || !plain || bytes.Contains(bytes.ToLower(line), []byte(w.text))
}
