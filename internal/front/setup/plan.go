package setup

import (
	"cmp"
	"slices"
)

// Plan is what setup would do, or did.
type Plan struct {
	Client  string   `json:"client"`
	Title   string   `json:"-"`
	Scope   Scope    `json:"scope"`
	Remove  bool     `json:"remove"`
	Command []string `json:"command,omitempty"` // what the client will start
	URL     string   `json:"url,omitempty"`     // or connect to
	Steps   []*Step  `json:"steps"`
	Notes   []string `json:"notes"` // what still goes around emend, and what else a person should know
	Next    string   `json:"next"`
	Undo    []string `json:"undo,omitempty"`
	Written bool     `json:"written"`
}

// Step is one file and what becomes of it.
type Step struct {
	Does   string     `json:"does"`
	File   string     `json:"file"`
	Target string     `json:"target,omitempty"` // where the file's link leads
	Run    [][]string `json:"run,omitempty"`    // the client's own commands, which change the file
	Diff   string     `json:"diff,omitempty"`
	Change bool       `json:"change"` // false when the file is as it should be
	Gone   bool       `json:"gone,omitempty"`
	Backup string     `json:"backup,omitempty"`
	Done   bool       `json:"done"`

	file    *file
	after   []byte
	private bool
	copies  bool    // a backup is made of what was there
	wants   setting // what the file is to have after Run
	spent   []*file // backups that say no more than the file will
	dir     string
}

// aShell is said of every client: no setting of theirs changes it.
const aShell = "A shell goes around emend: what the agent's own shell commands write is not confined, not in the log and " +
	"not undone by emend. Leave the shell on \"ask\", or run the agent in a sandbox."

// Plan reads the client's files and says what would change. It writes nothing and runs nothing.
func (c *Client) Plan(h Host, o Options) (*Plan, error) {
	if err := c.check(o); err != nil {
		return nil, err
	}
	server := c.serves(h, o)
	p := &Plan{Client: c.Name, Title: c.Title, Scope: o.Scope, Remove: o.Remove, Next: c.next, Notes: []string{}}
	if !o.Remove {
		p.URL = server.URL
		if server.Command != "" {
			p.Command = append([]string{server.Command}, server.Args...)
		}
		p.Notes = append(append(c.advice(h, o), c.notes...), aShell)
		p.Undo = []string{"emend", "setup", c.Name}
		if o.Scope == Project {
			p.Undo = append(p.Undo, h.Project)
		}
		p.Undo = append(p.Undo, "--scope", string(o.Scope), "--remove", "--write")
	}
	jobs, err := c.jobs(h, o, server)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		s, err := j.step(o)
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, s)
	}
	if o.Remove { // and its own edit tools are back before those of emend go
		slices.Reverse(p.Steps)
	}
	return p, nil
}

// advice is what a person should know of these options.
func (c *Client) advice(h Host, o Options) []string {
	out := []string{}
	if o.URL != "" {
		out = append(out, cmp.Or(c.token, "The client takes the server's token from the variable "+tokenVar+
			" of its environment: set it where the client is started."))
	}
	if c.state && o.Scope == User && !h.has(c.program) {
		out = append(out, "PATH has no "+c.program+", so the file that "+c.Title+" keeps its own state in is edited: end "+c.Title+" first.")
	}
	if o.Scope == Project && c.trust != "" {
		out = append(out, c.trust)
	}
	if o.KeepTools && c.tools != nil {
		out = append(out, c.Title+"'s own edit tools stay on: what the model does with them goes around emend.")
	}
	if o.Scope == User && (h.Bound || c.where == fixed) && o.URL == "" {
		out = append(out, "The server is bound to "+h.Project+", for all that the client does: in another project the agent has no tool "+
			"to edit that project's files, unless its own stay on (--keep-tools).")
	}
	return out
}

// Changes reports whether the plan has anything to do.
func (p *Plan) Changes() bool {
	return slices.ContainsFunc(p.Steps, func(s *Step) bool { return s.Change })
}
