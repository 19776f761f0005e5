package setup

import (
	"bytes"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// commandInput is what a client's own command is made from.
type commandInput struct {
	scope      Scope
	remove     bool
	configured bool // the client has an entry for emend already
	server     Server
	entry      any
	text       []byte // of the settings file
}

// fileEdit is one file, the settings that it must contain, and those that it must not.
type fileEdit struct {
	purposes []string
	file     *file
	format   format
	settings []setting
	unwanted []setting
	commands [][]string
	private  bool
	backUp   bool
	dir      string
	base     string // the directory that the file is expected below
}

// fileEdits lists the files of a client. That of its servers comes first, so that an agent is never without an edit
// tool.
func (c *Client) fileEdits(h Host, o Options, s Server) (edits []*fileEdit, err error) {
	if !o.HooksOnly {
		if edits, err = c.serverEdits(h, o, s); err != nil {
			return nil, err
		}
	}
	wanted, unwanted := c.hookSettings(o)
	if len(wanted)+len(unwanted) == 0 {
		return edits, nil
	}
	path := c.hooks.file(h, o.Scope)
	i := slices.IndexFunc(edits, func(e *fileEdit) bool { return e.file.path == path && e.commands == nil })
	if i < 0 {
		e, err := c.newFileEdit(h, o, path, c.hooks.format)
		if err != nil {
			return nil, err
		}
		i, edits = len(edits), append(edits, e)
	}
	if len(wanted) > 0 {
		edits[i].add("its hooks call emend", wanted...)
	} else {
		edits[i].purposes = append(edits[i].purposes, "no hooks of emend")
	}
	edits[i].unwanted = unwanted
	return edits, nil
}

// serverEdits lists the files with the server and with the client's own tools.
func (c *Client) serverEdits(h Host, o Options, s Server) ([]*fileEdit, error) {
	first, err := c.newFileEdit(h, o, c.serverFile(h, o.Scope), c.format)
	if err != nil {
		return nil, err
	}
	set := c.serverSetting(s)
	first.add("the server emend", set)
	first.commands = c.commandsFor(h, o, s, first, set)
	if c.ownTools == nil || o.KeepTools && !o.Remove {
		return []*fileEdit{first}, nil
	}
	edits, tools := []*fileEdit{first}, first
	if file := c.toolsFile(h, o.Scope); file != first.file.path || first.commands != nil {
		if tools, err = c.newFileEdit(h, o, file, c.format); err != nil {
			return nil, err
		}
		edits = append(edits, tools)
	}
	for _, t := range c.ownTools {
		tools.add("its own edit tools off", t.setting())
	}
	return edits, nil
}

func (c *Client) newFileEdit(h Host, o Options, path string, form format) (*fileEdit, error) {
	f, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if err := form.check(f.text); err != nil {
		return nil, f.failure(fail.CommandFailed, err, "Nothing was written. Correct the file, or edit it by hand: docs/clients.md says how.")
	}
	base := h.Home
	if o.Scope == Project {
		base = h.Project
	}
	return &fileEdit{file: f, format: form, private: o.Scope == User, backUp: true, dir: h.Project, base: base}, nil
}

func (e *fileEdit) add(does string, s ...setting) {
	if !slices.Contains(e.purposes, does) {
		e.purposes = append(e.purposes, does)
	}
	e.settings = append(e.settings, s...)
}

// all returns the settings that the edit is about.
func (e *fileEdit) all() []setting { return slices.Concat(e.settings, e.unwanted) }

// commandsFor returns the client's own commands. It returns nil if the client has none, the account lacks the
// program, or nothing has to be done.
func (c *Client) commandsFor(h Host, o Options, s Server, edit *fileEdit, set setting) [][]string {
	if c.commands == nil || !h.canRun(c.program) {
		return nil
	}
	_, configured := set.current(edit.file.text)
	if o.Remove && !configured {
		return nil
	}
	if after, err := set.put(edit.file.text); err == nil && !o.Remove && bytes.Equal(after, edit.file.text) {
		return nil
	}
	edit.backUp = !c.ownState
	return c.commands(commandInput{o.Scope, o.Remove, configured, s, c.entry(s), edit.file.text})
}

// step computes the new content of the file.
func (e *fileEdit) step(o Options) (*Step, error) {
	step := &Step{Purpose: strings.Join(e.purposes, "; "), File: e.file.path,
		file: e.file, private: e.private, backUp: e.backUp, dir: e.dir}
	step.Target = e.file.linkTarget(e.base)
	if e.commands != nil {
		step.Commands, step.Change, step.expected = e.commands, true, e.settings[0]
		return step, nil
	}
	var err error
	if o.Remove || len(e.settings) == 0 {
		step.newContent, step.Deleted, err = e.withoutSettings(step)
	} else {
		step.newContent, err = e.withSettings()
	}
	if err != nil {
		return nil, e.file.failure(fail.CommandFailed, err, "Nothing was written. Change it by hand: docs/clients.md says how.")
	}
	step.Change = step.Deleted || !bytes.Equal(step.newContent, e.file.content)
	if step.Change {
		if err := e.file.writable(); err != nil {
			return nil, err
		}
		step.Diff = e.redactedDiff(step.newContent)
	}
	return step, nil
}

// withSettings returns the file with the settings, and without those that are unwanted.
func (e *fileEdit) withSettings() ([]byte, error) {
	text, err := putAll(e.file.text, e.settings)
	for _, s := range e.unwanted {
		if err == nil {
			text, err = s.remove(text)
		}
	}
	return e.file.withBOM(text), err
}
