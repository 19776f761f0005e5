package tool

import (
	"slices"

	"github.com/emend-dev/emend/internal/dialect"
)

// Profile is the tools of one system: the names, fields, results and words that an agent written for it knows. All of them
// are the same engine.
type Profile struct {
	Name   string
	System string // whose tools they are, for people
	Doc    string // for people, in one line
	Tools  []*Tool
	// Dialect is how patches are written, and how results are worded that are about no file; "" for emend's own.
	Dialect string
	// LeaveOut are the directories that this system's tools never look into, instead of what ignore files say.
	LeaveOut []string
	// Instructions are for the model, beside the words of the tools.
	Instructions string
}

// Profiles lists the profiles; the first is the default.
var Profiles = []*Profile{Emend, Comma, Supyagent, Chimera, Codex}

// Emend is the profile of this product.
var Emend = &Profile{Name: "emend", System: "emend", Doc: "all tools of emend", Tools: agentTools(),
	Instructions: "Read a file before you change it and send its sha256 along; a refusal says what to do next."}

// People is every tool, for a person at the page: it is no profile that a server can be told to offer.
var People = &Profile{Name: "people", System: "emend", Doc: "all tools, and those that only a person may use", Tools: All}

// ProfileNamed returns the profile of a name.
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

// Named returns the tool of a name.
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

// dialect is whose shape and words results have.
func (p *Profile) dialect() *dialect.Dialect {
	if d, ok := dialect.Named(p.Dialect); ok {
		return d
	}
	return dialect.Emend
}
