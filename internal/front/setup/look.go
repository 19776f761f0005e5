package setup

import (
	"debug/buildinfo"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// State is what can be seen of a client from its files, without running it.
type State struct {
	Client  string   `json:"client"`
	Title   string   `json:"-"`
	Scope   Scope    `json:"scope"`
	File    string   `json:"file"`
	There   bool     `json:"configured"`
	Command []string `json:"command,omitempty"`
	URL     string   `json:"url,omitempty"`
	Tools   string   `json:"ownTools"`          // "on", "off", or "stay on" where no setting turns them off
	Problem string   `json:"problem,omitempty"` // why the configuration will not work, or could not be read
	Note    string   `json:"note,omitempty"`
}

// Look says of every client that the account has, or that the project has files of, whether emend is configured there.
// version is that of the emend that asks.
func Look(h Host, version string) []State {
	out := []State{}
	for _, c := range Clients {
		for _, s := range c.scopes {
			if c.found(h, s) {
				out = append(out, c.look(h, s, version))
			}
		}
	}
	return out
}

// found reports whether there is anything of the client: its program or its directory for the account, its file in the
// project.
func (c *Client) found(h Host, s Scope) bool {
	at := c.server(h, s).file
	if is(at) {
		return true
	}
	return s == User && (h.has(c.program) || filepath.Dir(at) != filepath.Clean(h.Home) && is(filepath.Dir(at)))
}

func is(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (c *Client) look(h Host, s Scope, version string) State {
	at := c.server(h, s)
	st := State{Client: c.Name, Title: c.Title, Scope: s, File: at.file, Tools: "stay on"}
	if c.tools != nil {
		st.Tools = c.toolsAre(h, s)
	}
	f, err := load(at.file)
	if err == nil {
		if bad := at.form.check(f.text); bad != nil {
			err = f.refused("", bad, "")
		}
	}
	if err != nil {
		st.Problem = err.Error()
		return st
	}
	set := at.form.member(append(slices.Clone(at.path), "emend"), c.entry(Server{}))
	now, there := set.now(f.text)
	if st.There = there; there {
		st.Command, st.URL = starts(now)
		st.judge(h, version)
	}
	return st
}

// toolsAre says whether the client's own edit tools are off. What the account turns off is off in a project.
func (c *Client) toolsAre(h Host, s Scope) string {
	if s == Project && c.toolsAre(h, User) == "off" {
		return "off"
	}
	for _, r := range c.tools(h, s) {
		f, err := load(r.file)
		if err != nil || r.form.check(f.text) != nil {
			return "on"
		}
		want := r.setting()
		if after, err := want.put(f.text); err != nil || string(after) != string(f.text) {
			return "on"
		}
	}
	return "off"
}

// starts is the command or the address of an entry, in whatever shape the client has it.
func starts(s setting) (command []string, url string) {
	var entry map[string]any
	switch s := s.(type) {
	case member:
		v, _ := decodePlain(s.value)
		entry, _ = v.(map[string]any)
	case table:
		entry = s.value
	}
	for _, key := range []string{"url", "httpUrl"} {
		if u, ok := entry[key].(string); ok {
			return nil, redacted(u)
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

// redacted is an address without the password that may be in it.
func redacted(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		return u.Redacted()
	}
	return address
}

// judge says what is wrong with the program that the client would start.
func (st *State) judge(h Host, version string) {
	switch {
	case st.URL != "":
		return
	case len(st.Command) == 0:
		st.Problem = "the entry has neither a command nor an address"
		return
	}
	program := st.Command[0]
	if !filepath.IsAbs(program) {
		found, err := h.Look(program)
		if err != nil {
			st.Problem = "it starts " + program + ", which PATH does not find"
			return
		}
		program = found
	}
	info, err := os.Stat(program)
	switch {
	case err != nil:
		st.Problem = "it starts " + program + ", which is not there"
		return
	case !info.Mode().IsRegular(): // a pipe would be waited for
		st.Problem = "it starts " + program + ", which is no program"
		return
	}
	b, err := buildinfo.ReadFile(program)
	if err != nil {
		return
	}
	if is := strings.Trim(b.Main.Version, "()"); is != version && is != "" {
		st.Note = "it starts emend " + is + "; this is " + version
	}
}
