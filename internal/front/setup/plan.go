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
	Hook    []string `json:"hook,omitempty"`    // what its hooks will call
	Shell   Shell    `json:"shell,omitempty"`   // what becomes of its shell commands
	Steps   []*Step  `json:"steps"`
	Notes   []string `json:"notes"` // what still bypasses emend, and what else a person should know
	Next    string   `json:"next"`
	Undo    []string `json:"undo,omitempty"`
	Written bool     `json:"written"`
}

// Step is one file and what happens to it.
type Step struct {
	Purpose  string     `json:"does"`
	File     string     `json:"file"`
	Target   string     `json:"target,omitempty"` // where the file's link leads
	Commands [][]string `json:"run,omitempty"`    // the client's own commands, which change the file
	Diff     string     `json:"diff,omitempty"`
	Change   bool       `json:"change"` // false if the file is as it should be
	Deleted  bool       `json:"gone,omitempty"`
	Backup   string     `json:"backup,omitempty"`
	Done     bool       `json:"done"`

	file       *file
	newContent []byte
	private    bool
	backUp     bool    // make a backup of the content that was there
	expected   setting // what the file must have after Run
	obsolete   []*file // backups that are not needed once the step is done
	dir        string
}

// witnessNote says what hooks do not do.
const witnessNote = "emend sees what shell commands and the client's own tools changed once it is done: that is in the log, and can be " +
	"undone as far as emend had the files from before. Nothing of it is refused, and no policy is asked."

// shellNote holds without hooks.
const shellNote = "A shell goes around emend: what the agent's own shell commands write is not confined, not in the log and " +
	"not undone by emend. Leave the shell on \"ask\", or run the agent in a sandbox."

// Plan reads the client's files and returns what would change. It writes nothing and runs nothing.
func (c *Client) Plan(h Host, o Options) (*Plan, error) {
	if err := c.checkScope(o); err != nil {
		return nil, err
	}
	if err := c.checkHooks(o); err != nil {
		return nil, err
	}
	server := c.serverFor(h, o)
	p := &Plan{Client: c.Name, Title: c.Title, Scope: o.Scope, Remove: o.Remove, Next: c.nextStep, Notes: []string{}}
	if o.HooksOnly || o.Remove {
		p.Next = "start " + c.Title + " again"
	}
	if !o.Remove {
		if p.URL = server.URL; o.HooksOnly {
			p.URL = ""
		} else if server.Command != "" {
			p.Command = append([]string{server.Command}, server.Args...)
		}
		if c.writesHooks(o) {
			p.Hook, p.Shell = c.hookCommand(o), o.Shell
			p.Next = cmp.Or(c.hooks.next, p.Next)
		}
		p.Notes = c.notesFor(h, o)
		p.Undo = []string{"emend", "setup", c.Name}
		if o.Scope == Project {
			p.Undo = append(p.Undo, h.Project)
		}
		if o.HooksOnly {
			p.Undo = append(p.Undo, "--hooks-only")
		}
		p.Undo = append(p.Undo, "--scope", string(o.Scope), "--remove", "--write")
	}
	edits, err := c.fileEdits(h, o, server)
	if err != nil {
		return nil, err
	}
	for _, edit := range edits {
		s, err := edit.step(o)
		if err != nil {
			return nil, err
		}
		if s.Change || len(edit.settings) > 0 {
			p.Steps = append(p.Steps, s)
		}
	}
	if o.Remove { // turn its own edit tools on before removing those of emend
		slices.Reverse(p.Steps)
	}
	return p, nil
}

// notesFor returns what a person should know about these options.
func (c *Client) notesFor(h Host, o Options) []string {
	out := []string{}
	if c.writesHooks(o) && c.hooks.note != "" {
		out = append(out, c.hooks.note)
	}
	if !o.HooksOnly {
		out = append(append(out, c.serverNotes(h, o)...), c.notes...)
	}
	if o.Scope == Project && c.trustNote != "" {
		out = append(out, c.trustNote)
	}
	if c.writesHooks(o) {
		out = append(out, witnessNote)
	}
	if !c.writesHooks(o) || o.Shell == Off {
		out = append(out, shellNote)
	}
	return out
}

// serverNotes returns what a person should know about the server and the client's own tools.
func (c *Client) serverNotes(h Host, o Options) (out []string) {
	if o.URL != "" {
		out = append(out, cmp.Or(c.tokenNote, "The client takes the server's token from the variable "+tokenVar+
			" of its environment: set it where the client is started."))
	}
	if c.ownState && o.Scope == User && !h.canRun(c.program) {
		out = append(out, "PATH has no "+c.program+", so the file that "+c.Title+" keeps its own state in is edited: end "+c.Title+" first.")
	}
	if o.KeepTools && c.ownTools != nil {
		out = append(out, c.Title+"'s own edit tools stay on: what the model does with them "+
			map[bool]string{true: "is seen through the hooks, and not judged.", false: "goes around emend."}[c.writesHooks(o)])
	}
	if o.Scope == User && (h.ProjectNamed || c.workspaceArg == noWorkspace) && o.URL == "" {
		out = append(out, "The server is bound to "+h.Project+", for all that the client does: in another project the agent has no tool "+
			"to edit that project's files, unless its own stay on (--keep-tools).")
	}
	return out
}

// Changes reports whether the plan has anything to do.
func (p *Plan) Changes() bool {
	return slices.ContainsFunc(p.Steps, func(s *Step) bool { return s.Change })
}
