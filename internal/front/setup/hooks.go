package setup

import (
	_ "embed"
	"encoding/json"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Shell says what becomes of the shell commands of an agent.
type Shell string

// What setup can do about shell commands.
const (
	Witness Shell = "witness" // hooks look at the tree before and after, and record what changed
	Run     Shell = "run"     // the client runs each command through emend run
	Off     Shell = "off"     // nothing
)

// Shells lists the values of a [Shell].
var Shells = []Shell{Witness, Run, Off}

// hooks is where and how a client has its hooks.
type hooks struct {
	file   func(Host, Scope) string
	format format
	shell  string // its shell tool, as hooks name it
	edit   string // its own edit tools, with | between them
	// settings are those that have the client call a command. tools are the tools before and after which it does.
	settings func(command []string, tools string) []setting
	// runs returns the setting that has the client run each shell command by a program; nil if it has none that leaves its rules
	// in force.
	runs func(program string) setting
	note string // what a person must do, or should know
	next string // what to do afterwards, if not what the client's nextStep says
}

// hookSeconds is how long a client waits for a hook. emend gives up before that.
const (
	hookSeconds    = 20
	hookEndSeconds = 3 // at the end of a session: no more than Codex allows
)

// writesHooks reports whether a setup with these options writes hooks: for the shell, or for own edit tools that stay on.
func (c *Client) writesHooks(o Options) bool {
	return c.hooks != nil && (o.Shell != Off || o.HooksOnly || o.KeepTools || c.ownTools == nil)
}

// hookCommand is the command that the client's hooks call.
func (c *Client) hookCommand(o Options) []string { return []string{o.Binary, "hook", c.Name} }

// hookSettings returns the settings that the client's hooks need by the options, and those that are not wanted.
func (c *Client) hookSettings(o Options) (wanted, unwanted []setting) {
	h := c.hooks
	if h == nil {
		return nil, nil
	}
	tools := h.shell + "|" + h.edit
	if o.Shell == Off {
		tools = h.edit
	}
	all := h.settings(c.hookCommand(o), tools)
	if o.Remove || c.writesHooks(o) {
		wanted = all
	} else {
		unwanted = all
	}
	if h.runs == nil {
		return wanted, unwanted
	}
	if run := h.runs(o.RunProgram); o.Remove || o.Shell == Run {
		wanted = append(wanted, run)
	} else {
		unwanted = append(unwanted, run)
	}
	return wanted, unwanted
}

// checkHooks refuses what the client's hooks cannot do.
func (c *Client) checkHooks(o Options) error {
	refuse := func(msg, hint string) error { return &fail.Error{Kind: fail.NotFound, Msg: msg, Hint: hint} }
	const witness = "Leave --shell run out: hooks then look before and after each command and record what it changed."
	switch {
	case o.Remove:
		return nil
	case c.hooks == nil && o.HooksOnly:
		return refuse(c.Title+" has no hooks that emend knows", "Leave --hooks-only out, and --shell.")
	case o.Shell != Run:
		return nil
	case c.hooks == nil:
		return refuse(c.Title+" has no hooks that emend knows, so its shell commands cannot be run through emend",
			"Leave --shell out, and run the agent itself with emend run.")
	case c.hooks.runs == nil:
		return refuse("--shell run: "+c.Title+" could be told only by a hook that rewrites each command, and its rules would then judge "+
			"\"emend run\" instead of the command: what they forbid would run", witness)
	case o.RunProgram == "":
		return refuse("--shell run: "+c.Title+" wants one program, emend-run, and there is none beside this emend", witness)
	}
	return nil
}

// jsonHook is one hook in the form that Claude Code, Codex and Gemini CLI share.
type jsonHook struct {
	Type    string `json:"type"`
	Name    string `json:"name,omitempty"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"`
}

// hookGroup is some hooks and the tools that they are for.
type hookGroup struct {
	Matcher string     `json:"matcher,omitempty"`
	Hooks   []jsonHook `json:"hooks"`
}

// hookForm is how one client writes this.
type hookForm struct {
	client   string
	onTool   []string // events of tools
	on       []string // events without tools
	matcher  func(tools string) string
	name     string
	unit     int // in a second, of timeout
	endLimit int // seconds for SessionEnd
}

// settings returns one object for each event.
func (f hookForm) settings(command []string, tools string) (out []setting) {
	add := func(event, matcher string, seconds int) {
		g := hookGroup{matcher, []jsonHook{{"command", f.name, shellLine(command), seconds * f.unit}}}
		out = append(out, jsonItem{[]string{"hooks", event}, marshal(g), f.isOurs})
	}
	for _, event := range f.onTool {
		add(event, f.matcher(tools), hookSeconds)
	}
	for _, event := range f.on {
		seconds := hookSeconds
		if event == "SessionEnd" {
			seconds = f.endLimit
		}
		add(event, "", seconds)
	}
	return out
}

var errMixed = errors.New("emend's hook stands in one group with another one; put it into a group of its own, or take it out by hand")

// isOurs reports whether a group has nothing but hooks that call emend for this client.
func (f hookForm) isOurs(v any) (bool, error) {
	text, _ := json.Marshal(v)
	var g struct {
		Hooks []struct {
			Command string `json:"command"`
		} `json:"hooks"`
	}
	if json.Unmarshal(text, &g) != nil {
		return false, nil
	}
	ours := 0
	for _, h := range g.Hooks {
		if callsHook(h.Command, f.client) {
			ours++
		}
	}
	if ours > 0 && ours < len(g.Hooks) {
		return false, errMixed
	}
	return ours > 0, nil
}

// callsHook reports whether a line of a shell calls the hook of emend for a client.
func callsHook(line, client string) bool {
	program, rest, ok := strings.Cut(line, " hook "+client)
	return ok && (rest == "" || rest[0] == ' ') && strings.Contains(filepath.Base(strings.ReplaceAll(program, `\`, "/")), "emend")
}

// shellLine makes a line of a shell of a command. Claude Code and Codex take the code 2 for a no, and Gemini CLI every code but
// 0 and 1: an emend that is missing, or too old to know the verb, must not be one. On Windows the shell is cmd or a bash, which both
// know double quotes.
func shellLine(command []string) string {
	var out []string
	for _, w := range command {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@") != "" {
			if runtime.GOOS == "windows" {
				w = `"` + w + `"` // no name of a file has one
			} else {
				w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
			}
		}
		out = append(out, w)
	}
	return strings.Join(out, " ") + " || exit 1"
}

// runsProgram returns a setting of the program through which Claude Code runs each shell command.
func claudeRuns(program string) setting {
	return ownMember{jsonMember{[]string{"env", "CLAUDE_CODE_SHELL_PREFIX"}, marshal(program)}, func(v any) bool {
		s, ok := v.(string)
		return ok && strings.TrimSuffix(filepath.Base(s), ".exe") == RunProgram
	}}
}

// RunProgram is the name by which emend knows that it is to run the command that follows.
const RunProgram = "emend-run"

//go:embed opencode_plugin.js
var opencodePlugin string

// opencodeHooks returns the plugin that tells emend of each call.
func opencodeHooks(command []string, tools string) []setting {
	mark, _, _ := strings.Cut(opencodePlugin, "\n")
	text := strings.NewReplacer(`["emend", "hook", "opencode"]`, spaced(command),
		`["bash", "edit"]`, spaced(strings.Split(tools, "|"))).Replace(opencodePlugin)
	return []setting{wholeFile{mark, text}}
}

// spaced returns a list of strings as a line of a program.
func spaced(list []string) string {
	quoted := slices.Clone(list)
	for i, s := range list {
		quoted[i] = string(marshal(s))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
