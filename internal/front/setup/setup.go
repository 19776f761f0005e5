// Package setup plugs emend into the programs that agents run in: what has to stand in which of their files so that they
// start "emend serve", and so that their own edit tools are off. One file is one client, listed in [Clients].
//
// It is a person's own act. It is not a tool, no agent is offered it, and no policy of a workspace judges it. It edits
// only what it adds, keeps comments, order and line ends, and refuses a file that it cannot read. It runs a client's
// program only when a plan says so, and never to look.
package setup

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// Clients lists them, in the order in which they are shown.
var Clients = []*Client{claudeCode, codex, cursor, vscode, zed, opencode, gemini}

// Names are the names of the clients.
func Names() []string {
	var out []string
	for _, c := range Clients {
		out = append(out, c.Name)
	}
	return out
}

// Named is the client of that name.
func Named(name string) (*Client, bool) {
	i := slices.IndexFunc(Clients, func(c *Client) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return Clients[i], true
}

// Scope is for whom a configuration is.
type Scope string

// The scopes: everything that the account does with the client, or one project.
const (
	User    Scope = "user"
	Project Scope = "project"
)

// Scopes lists them.
var Scopes = []Scope{User, Project}

// Client is one program that agents run in, and where its files are.
type Client struct {
	Name, Title string

	program string  // the command that starts it, if it has one
	scopes  []Scope // that it has
	where   string  // what it puts for its workspace; "" when it starts servers in it, [fixed] when it has nothing

	// server is the file with the client's servers, and the member under which they stand.
	server func(Host, Scope) place
	// entry is what stands there for one.
	entry func(Server) any
	// tools are the settings that turn the client's own edit tools off; nil when nothing does.
	tools func(Host, Scope) []rule
	// own is how the client itself would add or remove the server, when that is better than an edit; nil when it is not.
	own   func(own) [][]string
	state bool // the file of the servers is the program's own state: it keeps copies itself, and emend makes none

	notes []string // what stays as it is
	trust string   // what a person has to do for a project's configuration to count
	token string   // how it gets the token of a server over HTTP, when not from the environment
	next  string   // what to do afterwards
}

// fixed stands for a client that neither has a variable for its workspace nor starts servers in it.
const fixed = "."

// Has reports whether the client has the scope.
func (c *Client) Has(s Scope) bool { return slices.Contains(c.scopes, s) }

// Server is what a client is to start, or to connect to.
type Server struct {
	Command string
	Args    []string
	URL     string
}

// tokenVar holds the token of a server over HTTP: no token is written into a file that may be shared.
const tokenVar = "EMEND_TOKEN"

// place is a file of a client, and a member of it.
type place struct {
	file string
	form form
	path []string
}

// rule is a setting that turns own tools off.
type rule struct {
	place
	value any      // what is to stand there
	items []string // or what the list there is to have
}

func (r rule) setting() setting {
	if r.items != nil {
		return items{r.path, r.items}
	}
	return member{r.path, compact(r.value)}
}

// Host is the account and the machine that a plan is for.
type Host struct {
	Home    string
	Project string                               // absolute
	Bound   bool                                 // the person named Project
	OS      string                               // as runtime.GOOS
	Env     func(string) string                  // an environment variable
	Look    func(program string) (string, error) // where the account's PATH has a program
}

// home is a path below the account's home directory.
func (h Host) home(elem ...string) string { return filepath.Join(append([]string{h.Home}, elem...)...) }

// in is a path below the directory that a variable names, or else below one in the home directory.
func (h Host) in(variable, usual string, elem ...string) string {
	dir := cmp.Or(h.Env(variable), h.home(usual))
	return filepath.Join(append([]string{dir}, elem...)...)
}

// project is a path below the project.
func (h Host) project(elem ...string) string {
	return filepath.Join(append([]string{h.Project}, elem...)...)
}

// has reports whether the account can run the program.
func (h Host) has(program string) bool {
	if program == "" {
		return false
	}
	_, err := h.Look(program)
	return err == nil
}

// Options are what a person asks for.
type Options struct {
	Scope     Scope
	Binary    string // the emend that the client is to start: a path, or a name that PATH finds
	Profile   string
	ReadOnly  bool
	Hash      bool
	Lenient   bool
	URL       string // connect to a server that runs instead
	KeepTools bool
	Remove    bool
}

// serves is the server that the options describe, for the client.
func (c *Client) serves(h Host, o Options) Server {
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
	if o.Hash {
		args = append(args, "--require-hash")
	}
	if o.Lenient {
		args = append(args, "--lenient")
	}
	switch {
	case c.where == fixed, o.Scope == User && h.Bound:
		args = append(args, h.Project)
	case c.where != "":
		args = append(args, c.where)
	}
	return Server{Command: o.Binary, Args: args}
}

// check refuses what the client does not have.
func (c *Client) check(o Options) error {
	if c.Has(o.Scope) {
		return nil
	}
	return &fail.Error{Kind: fail.NotFound, Msg: c.Title + " has no configuration for one project that emend could stand in",
		Hint: "Leave --scope " + string(o.Scope) + " out, or say --scope " + strings.Join(c.scopeNames(), " or ") + "."}
}

func (c *Client) scopeNames() []string {
	var out []string
	for _, s := range c.scopes {
		out = append(out, string(s))
	}
	return out
}
