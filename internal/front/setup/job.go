package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

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
	base     string // the directory that the file is meant to be below
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
		j := find(jobs, r.file)
		if j == nil {
			if j, err = c.job(h, o, r.place); err != nil {
				return nil, err
			}
			jobs = append(jobs, j)
		}
		j.add("its own edit tools off", r.setting())
	}
	return jobs, nil
}

// find is the job that edits the file.
func find(jobs []*job, path string) *job {
	i := slices.IndexFunc(jobs, func(j *job) bool { return j.file.path == path && j.run == nil })
	if i < 0 {
		return nil
	}
	return jobs[i]
}

func (c *Client) job(h Host, o Options, at place) (*job, error) {
	f, err := load(at.file)
	if err != nil {
		return nil, err
	}
	if err := at.form.check(f.text); err != nil {
		return nil, f.refused(fail.CommandFailed, err, "Nothing was written. Correct the file, or edit it by hand: docs/clients.md says how.")
	}
	base := h.Home
	if o.Scope == Project {
		base = h.Project
	}
	return &job{file: f, form: at.form, private: o.Scope == User, copies: true, dir: h.Project, base: base}, nil
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
	s := &Step{Does: strings.Join(j.does, "; "), File: j.file.path,
		file: j.file, private: j.private, copies: j.copies, dir: j.dir}
	s.Target = j.file.target(j.base)
	if j.run != nil {
		s.Run, s.Change, s.wants = j.run, true, j.settings[0]
		return s, nil
	}
	var err error
	if o.Remove {
		s.after, s.Gone, err = j.without(s)
	} else {
		s.after, err = puts(j.file.text, j.settings)
		s.after = j.file.whole(s.after)
	}
	if err != nil {
		return nil, j.file.refused(fail.CommandFailed, err, "Nothing was written. Change it by hand: docs/clients.md says how.")
	}
	s.Change = s.Gone || !bytes.Equal(s.after, j.file.found)
	if s.Change {
		if err := j.file.writable(); err != nil {
			return nil, err
		}
		s.Diff = j.shown(s.after)
	}
	return s, nil
}
