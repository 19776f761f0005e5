// Package setup configures the programs that agents run in, so that they start "emend serve" and do not use their own
// edit tools. One file is one client, listed in [Clients].
//
// Only a person runs it. It is not a tool, no agent is offered it, and no policy of a workspace applies to it. It
// changes only what it adds, keeps comments, order and line ends, and refuses a file that it cannot parse. It runs a
// client's program only if the plan says so, and never to look.
package setup

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Clients lists the clients in the order in which they are shown.
var Clients = []*Client{claudeCode, codex, cursor, vscode, zed, opencode, gemini}

// Names returns the names of the clients.
func Names() []string {
	var out []string
	for _, c := range Clients {
		out = append(out, c.Name)
	}
	return out
}

// Named returns the client with that name.
func Named(name string) (*Client, bool) {
	i := slices.IndexFunc(Clients, func(c *Client) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return Clients[i], true
}

// Scope says for whom a configuration is.
type Scope string

// The scopes: everything that the account does with the client, or one project.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Scopes lists the scopes.
var Scopes = []Scope{User, Project}

// Client is one program that agents run in, and where its settings are.
type Client struct {
	Name, Title string

	program      string // the command that starts it, if it has one
	workspaceArg string // the argument that names its workspace; "" if it starts servers there, [noWorkspace] if it cannot tell

	format      format
	userFile    func(Host) string // holds the servers, in the scope User
	projectFile func(Host) string // the same in the scope Project; nil if the client has no such scope
	servers     string            // the member of the file that holds the servers
	entry       func(Server) any  // what stands there for one server
	ownState    bool              // the file is the program's own state: the program keeps copies, and emend makes none

	// ownTools are the settings that turn the client's own edit tools off, nil if there are none. They stand in the file
	// of the servers, unless ownToolsFile names another.
	ownTools     []toolSetting
	ownToolsFile func(Host, Scope) string

	// commands are the client's own commands that add or remove the server, where they do better than an edit of the
	// file; nil or an empty result if they do not.
	commands func(commandInput) [][]string

	hooks *hooks // nil if it has none that emend knows

	notes     []string // what stays as it is
	trustNote string   // what a person must do before a project's configuration counts
	tokenNote string   // how it gets the token of a server over HTTP, if not from the environment
	nextStep  string   // what to do afterwards
}

// noWorkspace is the argument for a client that neither has a variable for its workspace nor starts servers in it.
const noWorkspace = "."

// scopes lists the scopes that the client has.
func (c *Client) scopes() []Scope {
	if c.projectFile == nil {
		return []Scope{User}
	}
	return Scopes
}

// Has reports whether the client has the scope.
func (c *Client) Has(s Scope) bool { return slices.Contains(c.scopes(), s) }

// serverFile returns the file that holds the client's servers.
func (c *Client) serverFile(h Host, s Scope) string {
	if s == Project {
		return c.projectFile(h)
	}
	return c.userFile(h)
}

// toolsFile returns the file that holds the settings of the client's own tools.
func (c *Client) toolsFile(h Host, s Scope) string {
	if c.ownToolsFile != nil {
		return c.ownToolsFile(h, s)
	}
	return c.serverFile(h, s)
}

// serverSetting is the entry of emend among the client's servers.
func (c *Client) serverSetting(s Server) setting {
	return c.format.setting([]string{c.servers, "emend"}, c.entry(s))
}

// Server is what a client starts, or connects to.
type Server struct {
	Command string
	Args    []string
	URL     string
}

// tokenVar holds the token of a server over HTTP. No token is written into a file, since files may be shared.
const tokenVar = "EMEND_TOKEN"

// toolSetting is a setting that turns own tools off.
type toolSetting struct {
	path  []string
	value any      // the value at the path
	items []string // or strings that the list at the path must contain
}

func (t toolSetting) setting() setting {
	if t.items != nil {
		return jsonList{t.path, t.items}
	}
	return jsonMember{t.path, marshal(t.value)}
}

// Host is the account and the machine that a plan is for.
type Host struct {
	Home         string
	Project      string                               // absolute
	ProjectNamed bool                                 // the person named Project on the command line
	OS           string                               // as runtime.GOOS
	Env          func(string) string                  // returns an environment variable
	LookPath     func(program string) (string, error) // finds a program in the account's PATH
}

// home returns a path below the account's home directory.
func (h Host) home(elem ...string) string { return filepath.Join(append([]string{h.Home}, elem...)...) }

// fromEnv returns a path below the directory in an environment variable, or below usual in the home directory if the
// variable is not set.
func (h Host) fromEnv(variable, usual string, elem ...string) string {
	dir := cmp.Or(h.Env(variable), h.home(usual))
	return filepath.Join(append([]string{dir}, elem...)...)
}

// project returns a path below the project.
func (h Host) project(elem ...string) string {
	return filepath.Join(append([]string{h.Project}, elem...)...)
}

// canRun reports whether the account can run the program.
func (h Host) canRun(program string) bool {
	if program == "" {
		return false
	}
	_, err := h.LookPath(program)
	return err == nil
}

// Options are what a person asks for.
type Options struct {
	Scope       Scope
	Binary      string // the emend that the client starts: a path, or a name that PATH finds
	Profile     string
	ReadOnly    bool
	RequireHash bool
	Lenient     bool
	URL         string // connect to this server instead
	KeepTools   bool
	Shell       Shell
	RunProgram  string // the path of emend-run; "" if there is none
	HooksOnly   bool   // write hooks and nothing else
	Remove      bool
}

// serverFor returns the server that the options describe, for the client.
func (c *Client) serverFor(h Host, o Options) Server {
	if o.URL != "" {
		return Server{URL: o.URL}
	}
	args := []string{"serve"}
	if o.Profile != "" && o.Profile != "emend" {
		args = append(args, "--profile", o.Profile)
	}
	if o.ReadOnly {
		args = append(args, "--read-only")
	}
	if o.RequireHash {
		args = append(args, "--require-hash")
	}
	if o.Lenient {
		args = append(args, "--lenient")
	}
	switch {
	case c.workspaceArg == noWorkspace, o.Scope == User && h.ProjectNamed:
		args = append(args, h.Project)
	case c.workspaceArg != "":
		args = append(args, c.workspaceArg)
	}
	return Server{Command: o.Binary, Args: args}
}

// checkScope refuses a scope that the client does not have.
func (c *Client) checkScope(o Options) error {
	if c.Has(o.Scope) {
		return nil
	}
	return &fail.Error{Kind: fail.NotFound, Msg: c.Title + " has no configuration for one project that emend could stand in",
		Hint: "Leave --scope " + string(o.Scope) + " out, or say --scope " + strings.Join(c.scopeNames(), " or ") + "."}
}

func (c *Client) scopeNames() []string {
	var out []string
	for _, s := range c.scopes() {
		out = append(out, string(s))
	}
	return out
}
