package setup

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// State is what the files of a client say. The client is not run.
type State struct {
	Client     string   `json:"client"`
	Title      string   `json:"-"`
	Scope      Scope    `json:"scope"`
	File       string   `json:"file"`
	Configured bool     `json:"configured"`
	Command    []string `json:"command,omitempty"`
	URL        string   `json:"url,omitempty"`
	Tools      string   `json:"ownTools"`          // "on", "off", or "stay on" if no setting turns them off
	Hooks      string   `json:"hooks,omitempty"`   // "on", "off", or "partly"; "" if the client has none that emend knows
	Problem    string   `json:"problem,omitempty"` // why the configuration will not work, or could not be read
	Note       string   `json:"note,omitempty"`
}

// Inspect returns the state of every client that the account has, or of which the project has files. self is the
// path of the calling emend, or "".
func Inspect(h Host, self string) []State {
	out := []State{}
	for _, c := range Clients {
		for _, s := range c.scopes() {
			if c.isPresent(h, s) {
				out = append(out, c.inspect(h, s, self))
			}
		}
	}
	return out
}

// isPresent reports whether there is anything of the client: its program or its directory in the account, or its file
// in the project.
func (c *Client) isPresent(h Host, s Scope) bool {
	at := c.serverFile(h, s)
	if exists(at) || c.hooks != nil && exists(c.hooks.file(h, s)) {
		return true
	}
	return s == User && (h.canRun(c.program) || filepath.Dir(at) != filepath.Clean(h.Home) && exists(filepath.Dir(at)))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (c *Client) inspect(h Host, s Scope, self string) State {
	st := State{Client: c.Name, Title: c.Title, Scope: s, File: c.serverFile(h, s), Tools: c.ownToolsState(h, s)}
	f, err := readFile(st.File)
	if err == nil {
		if bad := c.format.check(f.text); bad != nil {
			err = f.failure("", bad, "")
		}
	}
	if err != nil {
		st.Problem = err.Error()
		return st
	}
	st.inspectHooks(c, h, s)
	entry, configured := c.serverSetting(Server{}).current(f.text)
	if st.Configured = configured; configured {
		st.Command, st.URL = serverOf(entry)
		st.checkProgram(h, self)
	}
	return st
}

// ownToolsState says whether the client's own edit tools are off: "on", "off", or "stay on" if no setting turns them
// off. What is off for the account is off in a project.
func (c *Client) ownToolsState(h Host, s Scope) string {
	if c.ownTools == nil {
		return "stay on"
	}
	if s == Project && c.ownToolsState(h, User) == "off" {
		return "off"
	}
	f, err := readFile(c.toolsFile(h, s))
	if err != nil || c.format.check(f.text) != nil {
		return "on"
	}
	for _, t := range c.ownTools {
		if after, err := t.setting().put(f.text); err != nil || string(after) != string(f.text) {
			return "on"
		}
	}
	return "off"
}

// serverOf returns the command or the address of an entry, in any of the clients' shapes.
func serverOf(s setting) (command []string, url string) {
	var entry map[string]any
	switch s := s.(type) {
	case jsonMember:
		v, _ := decodePlainJSON(s.value)
		entry, _ = v.(map[string]any)
	case tomlTable:
		entry = s.value
	}
	for _, key := range []string{"url", "httpUrl"} {
		if u, ok := entry[key].(string); ok {
			return nil, redactURL(u)
		}
	}
	if c, ok := entry["command"].(string); ok {
		command = append(command, c)
	}
	for _, key := range []string{"command", "args"} {
		list, _ := entry[key].([]any)
		for _, v := range list {
			if a, ok := v.(string); ok {
				command = append(command, a)
			}
		}
	}
	return command, ""
}

// redactURL removes a password from an address.
func redactURL(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		return u.Redacted()
	}
	return address
}

// checkProgram notes what is wrong with the program that the client would start.
func (st *State) checkProgram(h Host, self string) {
	switch {
	case st.URL != "":
		return
	case len(st.Command) == 0:
		st.Problem = "the entry has neither a command nor an address"
		return
	}
	st.Problem, st.Note = programState(h, st.Command[0], self)
}

// programState says what is wrong with a program that a client would start, and what is good to know about it.
func programState(h Host, program, self string) (problem, note string) {
	if !filepath.IsAbs(program) {
		found, err := h.LookPath(program)
		if err != nil {
			return "it starts " + program + ", which PATH does not find", ""
		}
		program = found
	}
	info, err := os.Stat(program)
	switch {
	case err != nil:
		return "it starts " + program + ", which is not there", ""
	case !info.Mode().IsRegular(): // reading a named pipe would block
		return "it starts " + program + ", which is no program", ""
	case self != "" && strings.TrimSuffix(filepath.Base(program), ".exe") == "emend" && !sameProgram(program, self):
		note = "it starts " + program + ", which is another build of emend than this one"
	}
	return "", note
}

// sameProgram reports whether two programs are one file, or have the same bytes.
func sameProgram(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	if err != nil || first.Size() != second.Size() {
		return false
	}
	if os.SameFile(first, second) {
		return true
	}
	one, err := os.ReadFile(a)
	if err != nil {
		return false
	}
	other, err := os.ReadFile(b)
	return err == nil && bytes.Equal(one, other)
}

// inspectHooks says whether the client's hooks call emend. Hooks of the account count in a project.
func (st *State) inspectHooks(c *Client, h Host, s Scope) {
	if c.hooks == nil {
		return
	}
	present, all := 0, c.hooks.settings(nil, "")
	scopes := []Scope{s}
	if s == Project {
		scopes = append(scopes, User)
	}
	for _, s := range scopes {
		f, err := readFile(c.hooks.file(h, s))
		if err != nil || c.hooks.format.check(f.text) != nil {
			continue
		}
		n := 0
		for _, want := range all {
			if _, ok := want.current(f.text); ok {
				n++
			}
		}
		present = max(present, n)
	}
	st.Hooks = "partly"
	switch present {
	case 0:
		st.Hooks = "off"
	case len(all):
		st.Hooks = "on"
	}
}
