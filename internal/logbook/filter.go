package logbook

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/workspace"
)

const (
	defaultLimit = 50
	defaultLook  = 20_000
	contentLook  = 2_000 // of which the diffs are read
)

// Filter picks records of the log, and of these the changes below certain paths. The zero value of a field asks for
// nothing.
type Filter struct {
	Session             string
	agent, client, tool string
	paths               []string // from the root: one of them, or something below it, was touched
	text                string   // in lower case: a part of a name, a path or a message
	content             string   // in lower case: a part of a changed line
	outcome             api.Outcome
	since, until        time.Time
	before              uint64 // only records with a lower number

	limit  int  // of entries, or calls; 0 for all
	look   int  // how many records are looked through
	diff   bool // entries get their diff
	trash  bool // only entries of files that are in the trash
	byCall bool // limit counts calls, each with all its files
	lines  bool // calls get the numbers of lines
}

// newFilter returns the filter for calls.
func newFilter(w *workspace.Workspace, r api.TimelineRequest) (*Filter, error) {
	f := &Filter{Session: r.SessionID, agent: r.Agent, client: r.Client, tool: r.Tool, text: strings.ToLower(r.Text), outcome: r.Outcome,
		since: r.Since, until: r.Until, before: r.Before, limit: cmp.Or(max(r.Limit, 0), defaultLimit), look: cmp.Or(max(r.Look, 0), defaultLook),
		content: strings.ToLower(r.Content), lines: r.CountLines}
	if f.content != "" && r.Look <= 0 {
		f.look = contentLook
	}
	var err error
	if r.Path != "" {
		f.paths, err = w.Spellings(r.Path)
	}
	return f, err
}

// newHistoryFilter returns the filter for entries.
func newHistoryFilter(w *workspace.Workspace, r api.HistoryRequest) (*Filter, error) {
	var since time.Time
	var err error
	if r.Since != "" {
		if since, err = parseSince(r.Since, time.Now()); err != nil {
			return nil, err
		}
	}
	f, err := newFilter(w, api.TimelineRequest{SessionID: r.SessionID, Tool: r.Tool, Path: r.Path, Since: since})
	if err != nil {
		return nil, err
	}
	f.limit, f.byCall, f.diff, f.trash = max(0, cmp.Or(r.Limit, defaultLimit)), r.ByCall, r.Diff, r.Trash
	return f, nil
}

var agePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]{1,9})([dw])$`) })

// parseSince reads a time, a date or an age.
func parseSince(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if m := agePattern().FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		return now.AddDate(0, 0, -n*map[string]int{"d": 1, "w": 7}[m[2]]), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	return time.Time{}, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: "since: " + fail.Quote(text) + " is no time and no age",
		Hint: "Write a time (2026-01-31T12:00:00Z), a date (2026-01-31, in UTC) or an age (90m, 2h, 7d)."}
}

// tooOld reports whether no record before r can match. Clocks are set back now and then, so the log is not strictly in the
// order of time; a day of tolerance covers that.
func (f *Filter) tooOld(r *audit.Record) bool {
	return !f.since.IsZero() && r.TS.Before(f.since.Add(-24*time.Hour))
}

// matches reports whether r was made by whom, and when, the filter asks for.
func (f *Filter) matches(r *audit.Record) bool {
	return (f.Session == "" || f.Session == r.Actor.Session) && (f.tool == "" || f.tool == r.Actor.Tool) &&
		(f.agent == "" || f.agent == r.Actor.Agent) && (f.client == "" || f.client == r.Actor.Client) &&
		!r.TS.Before(f.since) && (f.until.IsZero() || !r.TS.After(f.until))
}

// matchesOp reports whether op, with paths from the root, touched what the filter asks for.
func (f *Filter) matchesOp(op audit.Op) bool {
	if len(f.paths) == 0 {
		return true
	}
	return slices.ContainsFunc(f.paths, func(p string) bool {
		return within(op.Path, p) || op.ToPath != "" && within(op.ToPath, p)
	})
}

// within reports whether p is dir, or below it.
func within(p, dir string) bool {
	return dir == "." || p == dir || strings.HasPrefix(p, dir+"/")
}

// containsText reports whether s contains the text.
func (f *Filter) containsText(s string) bool { return strings.Contains(strings.ToLower(s), f.text) }

// namedByText reports whether the text is in the name of c, or in that of who made it.
func (f *Filter) namedByText(c *api.LoggedCall) bool {
	return f.containsText(c.Entry) || f.containsText(c.SessionID) || f.containsText(c.AgentName) || f.containsText(c.Client) || f.containsText(c.ToolName)
}

// query asks for the records that may match. It rules most others out by an index, or by their line: of these it decodes
// only the header.
func (f *Filter) query(o *Outcomes, paths workspace.Paths) audit.Query {
	fields, spelled, keys := f.lineFields(), f.linePaths(paths), f.keys(paths)
	return audit.Query{Before: f.before, Until: f.until, Keys: keys, Need: func(k audit.Kind, line []byte) audit.Detail {
		switch {
		case k == audit.Applied || k == audit.Rotate:
			return audit.Header
		case k == audit.Undo || k == audit.Abort || k == audit.Recovered || len(o.ends) > 0:
			return audit.Full // it says how others ended, or others say how it ended
		case keys == nil && !f.possible(k) || !containsAll(line, fields) || len(spelled) > 0 && !containsAny(line, spelled) || !f.textInLine(line):
			return audit.Header
		}
		return audit.Full
	}}
}

// keys returns keys of which a matching record has one; nil when the filter names nothing that is indexed. Of several things
// that it names, the rarest is looked up.
func (f *Filter) keys(paths workspace.Paths) audit.Keys {
	keys := audit.Keys{}
	if f.Session != "" {
		keys.Add(audit.BySession, f.Session)
		return keys
	}
	if f.linePaths(paths) != nil {
		for _, p := range f.paths {
			keys.Add(audit.ByPath, path.Clean(paths.ToTop(p)))
		}
		return keys
	}
	for _, by := range []struct {
		kind  audit.KeyKind
		value string
	}{{audit.ByAgent, f.agent}, {audit.ByTool, f.tool}, {audit.ByClient, f.client}} {
		if by.value != "" {
			keys.Add(by.kind, by.value)
			return keys
		}
	}
	return nil
}

// lineFields returns what the line of a matching record contains.
func (f *Filter) lineFields() [][]byte {
	var out [][]byte
	for _, field := range []struct{ name, value string }{{"session", f.Session}, {"agent", f.agent}, {"client", f.client}, {"tool", f.tool}} {
		if field.value != "" {
			out = append(out, audit.EncodeField(field.name, field.value))
		}
	}
	return out
}

// linePaths returns the paths of the filter as a line spells them, but for the quote at the end, since a line may have a
// path below one; nil when every path matches.
func (f *Filter) linePaths(paths workspace.Paths) [][]byte {
	var out [][]byte
	for _, p := range f.paths {
		if p = path.Clean(paths.ToTop(p)); p == "." {
			return nil
		}
		quoted := Quoted(p)
		out = append(out, quoted[:len(quoted)-1])
	}
	return out
}

func containsAll(line []byte, parts [][]byte) bool {
	return !slices.ContainsFunc(parts, func(part []byte) bool { return !bytes.Contains(line, part) })
}

func containsAny(line []byte, parts [][]byte) bool {
	return slices.ContainsFunc(parts, func(part []byte) bool { return bytes.Contains(line, part) })
}

// possible reports whether a record of a kind can have the outcome that the filter asks for, unless a later record says
// how it ended.
func (f *Filter) possible(k audit.Kind) bool {
	refused := k == audit.Failed || k == audit.Denied
	switch f.outcome {
	case "":
		return true
	case api.Refused:
		return refused
	case api.Done:
		return !refused
	case api.Undone:
		return k == audit.Commit || k == audit.Undo
	}
	return false // a later record says so, and the walk has met that by now
}

// textInLine reports whether a line may contain the text. A line escapes some characters, so a text with others than these
// may be anywhere.
func (f *Filter) textInLine(line []byte) bool {
	plain := strings.Trim(f.text, "abcdefghijklmnopqrstuvwxyz0123456789 ._/-") == ""
	return f.text == "" || !plain || bytes.Contains(bytes.ToLower(line), []byte(f.text))
}
