package tool

import (
	"slices"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
)

// Profile is the tools of one system: the names, arguments, results and descriptions that agents written for it know.
// All profiles use the same engine.
type Profile struct {
	Name   string
	System string // whose tools they are, for people
	Doc    string // for people, one line
	Tools  []*Tool
	// Dialect is the dialect of patches, and of the words for errors that concern no file; "" means emend's own.
	Dialect string
	// LeaveOut are the directories that this system's tools never search. It replaces ignore files.
	LeaveOut []string
	// Absolute accepts absolute paths that lead into the workspace.
	Absolute bool
	// words says how the failures of a call with these arguments read, for a system with words that no dialect has; nil for those of
	// Dialect. It may also put the failures in the system's terms.
	words func(t *Tool, arguments *value, failures fail.List) (fail.List, dialect.Words)
	// names are the arguments that the system calls otherwise than emend.
	names map[string]string
	// shape gives a result the shape of the system, if no dialect has it; nil if one has.
	shape func(api.Result) api.Result
	// Instructions are for the model, in addition to the tools' descriptions.
	Instructions string
}

// Profiles lists the profiles; the first is the default.
var Profiles = []*Profile{Emend, Comma, Supyagent, Chimera, Codex, OpenAI, Anthropic}

// Emend is emend's own profile.
var Emend = &Profile{Name: "emend", System: "emend", Doc: "all tools of emend", Tools: agentTools(), Absolute: true,
	Instructions: "Read a file before you change it and send its sha256 along; a refusal says what to do next."}

// People has every tool, for a person at the page. No server can be told to offer it.
var People = &Profile{Name: "people", System: "emend", Doc: "all tools, and those that only a person may use", Tools: All}

// ProfileNamed returns the profile with that name.
func ProfileNamed(name string) (*Profile, bool) {
	i := slices.IndexFunc(Profiles, func(p *Profile) bool { return p.Name == name })
	if i < 0 {
		return nil, false
	}
	return Profiles[i], true
}

// ProfileNames lists the names of the profiles.
func ProfileNames() []string {
	out := make([]string, len(Profiles))
	for i, p := range Profiles {
		out[i] = p.Name
	}
	return out
}

// Named returns the tool with that name.
func (p *Profile) Named(name string) (*Tool, bool) {
	i := slices.IndexFunc(p.Tools, func(t *Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return p.Tools[i], true
}

// Names lists the names of the profile's tools.
func (p *Profile) Names() []string {
	out := make([]string, len(p.Tools))
	for i, t := range p.Tools {
		out[i] = t.Name
	}
	return out
}

// dialect returns the dialect that determines the shape and the words of results.
func (p *Profile) dialect() *dialect.Dialect {
	if d, ok := dialect.Named(p.Dialect); ok {
		return d
	}
	return dialect.Emend
}
