package setup

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"znkr.io/diff"
	"znkr.io/diff/textdiff"

	"github.com/emend-dev/emend/internal/fail"
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
	copies  bool // a backup is made of what was there
	wants   setting
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
	return p, nil
}

// advice is what a person should know of these options.
func (c *Client) advice(h Host, o Options) []string {
	out := []string{}
	if o.URL != "" {
		out = append(out, cmp.Or(c.token, "The client takes the server's token from the variable "+tokenVar+" of its environment: set it where the client is started."))
	}
	if o.Scope == User && (h.Bound || c.where == fixed) && o.URL == "" {
		out = append(out, "The server is bound to "+h.Project+", for all that the client does: in another project the agent has no tool "+
			"to edit that project's files, unless its own stay on (--keep-tools).")
	}
	return out
}

// own is what a client's own command is made from.
type own struct {
	scope  Scope
	remove bool
	there  bool // an entry is there already
	server Server
	entry  any
	text   []byte // of the file
}

// job is one file with all that is to stand in it.
type job struct {
	does     []string
	file     *file
	form     form
	settings []setting
	run      [][]string
	private  bool
	copies   bool
	dir      string
}

// jobs are the files of a client: that of its servers first, so that an agent is never left without any edit tool.
func (c *Client) jobs(h Host, o Options, s Server) ([]*job, error) {
	at := c.server(h, o.Scope)
	first, err := c.job(h, o, at)
	if err != nil {
		return nil, err
	}
	set := at.form.member(append(slices.Clone(at.path), "emend"), c.entry(s))
	first.add("the server emend", set)
	first.run = c.runs(h, o, s, first, set)
	jobs := []*job{first}
	if c.tools == nil || o.KeepTools && !o.Remove {
		return jobs, nil
	}
	for _, r := range c.tools(h, o.Scope) {
		j := jobs[0]
		if r.file != at.file || first.run != nil {
			if j = find(jobs[1:], r.file); j == nil {
				if j, err = c.job(h, o, r.place); err != nil {
					return nil, err
				}
				jobs = append(jobs, j)
			}
		}
		j.add("its own edit tools off", r.setting())
	}
	return jobs, nil
}

func find(jobs []*job, path string) *job {
	for _, j := range jobs {
		if j.file.path == path {
			return j
		}
	}
	return nil
}

func (c *Client) job(h Host, o Options, at place) (*job, error) {
	f, err := load(at.file)
	if err != nil {
		return nil, err
	}
	if err := at.form.check(f.text); err != nil {
		return nil, f.refused(fail.PatchParse, err, "Nothing was written. Correct the file, or add the entry by hand: docs/clients.md has it.")
	}
	return &job{file: f, form: at.form, private: o.Scope == User, copies: true, dir: h.Project}, nil
}

func (j *job) add(does string, s setting) {
	if !slices.Contains(j.does, does) {
		j.does = append(j.does, does)
	}
	j.settings = append(j.settings, s)
}

// runs are the client's own commands, where it has them, the account has the program, and something is to be done.
func (c *Client) runs(h Host, o Options, s Server, j *job, set setting) [][]string {
	if c.own == nil || !h.has(c.program) {
		return nil
	}
	_, there := set.now(j.file.text)
	if o.Remove && !there {
		return nil
	}
	if after, err := set.put(j.file.text); err == nil && !o.Remove && bytes.Equal(after, j.file.text) {
		return nil
	}
	j.copies = !c.state
	return c.own(own{o.Scope, o.Remove, there, s, c.entry(s), j.file.text})
}

// step works a job out.
func (j *job) step(o Options) (*Step, error) {
	s := &Step{Does: strings.Join(j.does, "; "), File: j.file.path, file: j.file, private: j.private, copies: j.copies, dir: j.dir}
	if j.file.real != j.file.path {
		s.Target = j.file.real
	}
	if j.run != nil {
		s.Run, s.Change, s.wants = j.run, true, j.settings[0]
		return s, nil
	}
	var err error
	if o.Remove {
		s.after, s.Gone, err = j.without()
	} else {
		s.after, err = puts(j.file.text, j.settings)
		s.after = j.file.whole(s.after)
	}
	if err != nil {
		return nil, j.file.refused(fail.CommandFailed, err, "Nothing was written. Change it by hand: docs/clients.md says what is to stand there.")
	}
	s.Change = s.Gone || !bytes.Equal(s.after, j.file.found)
	if s.Change {
		if err := j.file.writable(); err != nil {
			return nil, err
		}
		s.Diff = unified(j.file.found, s.after)
	}
	return s, nil
}

// without is the file without the settings. If nobody has changed anything else since a backup was made, that is the
// backup, byte by byte, and if the file was made by setup, there is none afterwards; else the settings alone are taken
// out.
func (j *job) without() (after []byte, gone bool, err error) {
	var there []setting
	for _, s := range j.settings {
		if is, ok := s.now(j.file.text); ok {
			there = append(there, is)
		}
	}
	if len(there) == 0 {
		return j.file.found, false, nil
	}
	backups := j.file.backups()
	for _, b := range backups {
		if again, err := puts(b.text, there); err == nil && bytes.Equal(b.whole(again), j.file.found) {
			return b.found, false, nil
		}
	}
	if again, err := puts(nil, there); err == nil && len(backups) == 0 && bytes.Equal(again, j.file.found) {
		return nil, true, nil
	}
	text := j.file.text
	for _, s := range there {
		var bad error
		if text, bad = s.drop(text); bad != nil {
			return nil, false, bad
		}
	}
	return j.file.whole(text), false, nil
}

// puts is the text with all settings.
func puts(text []byte, settings []setting) ([]byte, error) {
	for _, s := range settings {
		var err error
		if text, err = s.put(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func unified(a, b []byte) string {
	return string(textdiff.Unified(a, b, diff.Context(2)))
}

// Changes reports whether the plan has anything to do.
func (p *Plan) Changes() bool {
	return slices.ContainsFunc(p.Steps, func(s *Step) bool { return s.Change })
}

var errNotThere = errors.New("the client's own command ran, and the file does not have the entry")
