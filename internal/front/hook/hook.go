// Package hook reads what the hooks of agents' programs send: one event, as JSON. The four clients word their events
// differently; an [Event] is the same for all of them. One file is one client, listed in clients.
//
// It looks at no file and decides nothing: what changed on disk is found by a look, whatever an event says.
package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/emend-dev/emend/api"
)

// Event is a moment at which the tree is to be looked at, and what the client says about it.
type Event struct {
	// Actor says who makes the call. Its Call is the same before and after one call. Its Turn is empty if the client names no
	// turns: then every event with the moment [api.AtPrompt] begins one, and what follows in its session belongs to it.
	Actor api.Actor
	// Look is what to ask for. Its Paths are as the client wrote them, relative to Dir; [Event.Within] makes them those of a
	// workspace.
	Look    api.LookRequest
	Dir     string // the directory that the event happened in
	Project string // the directory that the agent works on, if the event names it
	// Unclear says what of the event cannot be read, without quoting it; nil if all of it can.
	Unclear error
}

// client is one program with hooks.
type client struct {
	name    string
	moments map[string]api.Moment // by the name of the event; other events are ignored
	tools   map[string]toolKind   // its tools that change files; other tools are ignored
	mcp     string                // what the names of the tools of MCP servers begin with
	fill    func(*message, *Event)
}

// toolKind says where the input of a tool has what it changes.
type toolKind int

const (
	shellTool toolKind = iota + 1 // a command
	fileTool                      // the path of a file
	patchTool                     // a patch in Codex's format
)

var clients = []*client{claudeCode, codex, gemini, opencode}

// Clients returns the names of the clients that have hooks, as emend setup calls them.
func Clients() []string {
	var out []string
	for _, c := range clients {
		out = append(out, c.name)
	}
	return out
}

// message is an event as the client sends it. What a person or a model wrote is kept of no field but the command.
type message struct {
	Event     string // hook_event_name
	Session   string
	Prompt    string // Claude Code's name for a turn
	Turn      string // Codex's
	Call      string // tool_use_id
	Tool      string
	Agent     string
	AgentType string
	Dir       string
	Project   string
	Words     string // of a prompt
	Error     string
	Interrupt bool
	Input     json.RawMessage
	Response  json.RawMessage
	bad       []string // the names of fields that are of another type
}

// parseMessage reads an event field by field. A field of another type is as if it were missing. The error says that the text ends too early or
// is no event at all; the fields before that place are there.
func parseMessage(text []byte) (*message, error) {
	errText := errors.New("it is not JSON, or cut off")
	m := &message{}
	in := json.NewDecoder(bytes.NewReader(text))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return m, errText
	}
	fields := map[string]any{"hook_event_name": &m.Event, "session_id": &m.Session, "prompt_id": &m.Prompt, "turn_id": &m.Turn, "tool_use_id": &m.Call,
		"tool_name": &m.Tool, "agent_id": &m.Agent, "agent_type": &m.AgentType, "cwd": &m.Dir, "project_dir": &m.Project, "prompt": &m.Words,
		"error": &m.Error, "is_interrupt": &m.Interrupt, "tool_input": &m.Input, "tool_response": &m.Response}
	for in.More() {
		key, err := in.Token()
		var value json.RawMessage
		if err != nil || in.Decode(&value) != nil {
			return m, errText
		}
		name := key.(string)
		if field, ok := fields[name]; ok && json.Unmarshal(value, field) != nil && !slices.Contains(m.bad, name) {
			m.bad = append(m.bad, name)
		}
	}
	if _, err := in.Token(); err != nil {
		return m, errText
	}
	if _, err := in.Token(); err != io.EOF {
		return m, errText
	}
	return m, nil
}

// unclear says what of the event cannot be read, nil for nothing. known is false if it does not tell which call it is about, or whose.
func (m *message) unclear(isCall bool) (known bool, err error) {
	known = true
	var all []string
	needed := func(name, value, is string) {
		if bad := slices.Contains(m.bad, name); bad || value == "" {
			known = false
			if !bad {
				all = append(all, "it names no "+is)
			}
		}
	}
	needed("hook_event_name", m.Event, "event")
	needed("session_id", m.Session, "session")
	if isCall {
		needed("tool_name", m.Tool, "tool")
		known = known && !slices.Contains(m.bad, "tool_use_id")
	}
	for _, name := range m.bad {
		all = append(all, name+" is of another type")
	}
	if all == nil {
		return known, nil
	}
	return known, errors.New(strings.Join(all, ", "))
}

// input is the input of a tool, in the names that the four clients use.
type input struct {
	Command      string `json:"command"`
	FilePath     string `json:"file_path"`
	NotebookPath string `json:"notebook_path"`
}

// Parse reads an event of a client. It returns nil if nothing is to be done: for events that say nothing about files, for tools
// that change none, and for emend's own tools, which are on record already.
//
// A text that is not as expected is an event too, since the client is doing something: see Unclear. If the text does not tell which call begins
// or ends, or whose, the moment is [api.AtUnclear].
func Parse(name string, text []byte) (*Event, error) {
	i := slices.IndexFunc(clients, func(c *client) bool { return c.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%q has no hooks that emend knows; those of %s are known", clean(name), strings.Join(Clients(), ", "))
	}
	c := clients[i]
	m, err := parseMessage(text)
	moment, ok := c.moments[m.Event]
	if !ok && m.Event != "" && err == nil {
		return nil, nil
	}
	known, unclear := m.unclear(moment == api.BeforeCall || moment == api.AfterCall)
	if err != nil || !known {
		e := c.start(m, api.AtUnclear)
		e.Unclear = cmp.Or(err, unclear)
		return e, nil
	}
	e := c.event(m, moment)
	if e != nil {
		e.Unclear = unclear
	}
	return e, nil
}

// event returns the event that a message is, or nil.
func (c *client) event(m *message, moment api.Moment) *Event {
	e := c.start(m, moment)
	if moment == api.BeforeCall || moment == api.AfterCall {
		kind, ok := c.kind(m.Tool)
		if !ok {
			return nil
		}
		e.Actor.Tool, e.Actor.Call = clean(m.Tool), clean(m.Call)
		e.Look.Command, e.Look.Paths = kind.changes(m.Input)
	}
	c.fill(m, e)
	e.Look.StillRuns = e.Look.Result == Running
	return e
}

// start returns what every event has.
func (c *client) start(m *message, moment api.Moment) *Event {
	return &Event{Dir: m.Dir, Project: m.Project, Look: api.LookRequest{Moment: moment},
		Actor: api.Actor{Client: c.name, Session: clean(m.Session), Agent: clean(m.Agent)}}
}

// kind returns how to read the input of a tool, and false for a tool that is ignored. Nobody but its author knows whether a
// tool of another MCP server changes files. A person who adds it to the hook's matcher says that it does.
func (c *client) kind(tool string) (toolKind, bool) {
	if kind, ok := c.tools[tool]; ok {
		return kind, true
	}
	rest, isMCP := strings.CutPrefix(tool, c.mcp)
	return 0, c.mcp != "" && isMCP && !strings.HasPrefix(rest, "emend_")
}

// maxCommand bounds the bytes of a command that go into the log.
const maxCommand = 16 << 10

// changes returns what a call says that it runs, and which files it says that it changes. A text that is not as expected says
// nothing.
func (k toolKind) changes(text json.RawMessage) (command string, paths []string) {
	var in input
	if json.Unmarshal(text, &in) != nil {
		return "", nil
	}
	switch k {
	case shellTool:
		return shorten(in.Command, maxCommand), nil
	case patchTool:
		return "", patchPaths(in.Command)
	case fileTool:
		paths = []string{in.FilePath, in.NotebookPath}
	}
	return "", slices.DeleteFunc(paths, func(p string) bool { return p == "" })
}

// maxName bounds the bytes of a name in the log.
const maxName = 200

// clean makes a name that a client sent one that the log can have: printable, on one line, and of a bounded length.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s[:min(len(s), 8*maxName)])
	return strings.TrimSpace(shorten(s, maxName))
}

// shorten cuts a text to at most that many bytes of valid UTF-8.
func shorten(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// firstLine returns the first line of a text as a name.
func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return clean(line)
}

// canonical returns JSON in one spelling, so that equal values are equal texts.
func canonical(text json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return text
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return out
}
