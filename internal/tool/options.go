package tool

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/patch"
	"github.com/google/jsonschema-go/jsonschema"
)

// Options are what the person who offers the tools permits and demands.
type Options struct {
	// Profile selects the tools; nil means [Emend].
	Profile *Profile
	// Workspaces are the workspaces. If there are several, every call names one.
	Workspaces []Workspace
	// RequireHash demands an expectedSha256 also where a tool leaves it optional, as proof that the file was read.
	RequireHash bool
	// ReadOnly refuses every tool that changes files.
	ReadOnly bool
	// Lenient is the default of apply_patch's argument.
	Lenient bool
	// Progress is told how many files of a large patch are staged. It must not block.
	Progress func(done, total int)
	// Defect is told of a panic that ended a call. nil for nobody.
	Defect func(*panics.Value)
}

// Check refuses options that contradict each other, so that the person who starts a server learns of it, and not a
// model later.
func (o Options) Check() error {
	p := o.profile()
	switch {
	case p == People:
		return errors.New("the tools of people are for the page and the command line, and for no server of agents")
	case o.Lenient && p != Emend:
		return fmt.Errorf("--lenient is for the profile %s: %s reads patches as %s does, no more and no less", Emend.Name, p.Name, p.System)
	case o.RequireHash && !p.takesHashes():
		return fmt.Errorf("--require-hash: the tools of %s have no field for a hash, so that every call would be refused; use the profile %s or %s",
			p.Name, Emend.Name, Comma.Name)
	case o.ReadOnly && len(o.Tools()) == 0:
		return fmt.Errorf("--read-only: every tool of %s changes files, so that none is left; use the profile %s or %s", p.Name, Emend.Name, Comma.Name)
	}
	return o.checkWorkspaces()
}

// takesHashes reports whether every tool of the profile that changes existing files accepts a hash.
func (p *Profile) takesHashes() bool {
	return !slices.ContainsFunc(p.Tools, func(t *Tool) bool {
		in := t.Input().Properties
		return t.Mutates && t.Op == patch.Update && t.Name != "undo" && in[hashField] == nil && in["expectedSha256ByPath"] == nil
	})
}

// Tools lists the tools for an agent: without those that are refused or only for a person, and with schemas that
// demand what the options demand.
func (o Options) Tools() []*Tool {
	var out []*Tool
	for _, t := range o.profile().Tools {
		if t.PersonOnly || o.ReadOnly && t.Mutates {
			continue
		}
		if o.RequireHash {
			t = t.withHashRequired()
		}
		out = append(out, o.forWorkspaces(t))
	}
	return out
}

// withHashRequired returns the tool with its hash required, if it has one.
func (t *Tool) withHashRequired() *Tool {
	if t.Input().Properties[hashField] == nil || slices.Contains(t.Input().Required, hashField) {
		return t
	}
	return t.withSchema(func(s *jsonschema.Schema) { s.Required = append(slices.Clip(s.Required), hashField) })
}

// withSchema returns the tool with a changed copy of its schema. change may set the fields of the schema, and must
// not change the schemas of its properties.
func (t *Tool) withSchema(change func(*jsonschema.Schema)) *Tool {
	out, s := *t, *t.Input()
	s.Properties = maps.Clone(s.Properties)
	change(&s)
	out.input = func() *jsonschema.Schema { return &s }
	return &out
}

func (o Options) profile() *Profile {
	if o.Profile == nil {
		return Emend
	}
	return o.Profile
}

// checkHash checks the form of a hash, and what the options demand in addition to the schema.
func (o Options) checkHash(t *Tool, v *value) error {
	if sum, ok := v.get(hashField); ok && !isHash(sum.text) {
		return badArguments(fmt.Sprintf("%s is %s, which is not a sha256 of 64 lower-case hexadecimal digits", hashField, fail.Quote(sum.text)),
			"Send the sha256 that read_file returned for this file; read it again if you do not have it.")
	}
	if !o.RequireHash || t.PersonOnly || t.Input().Properties[hashField] == nil { // the tools for people demand it themselves
		return nil
	}
	if _, ok := v.get(hashField); ok {
		return nil
	}
	return badArguments(hashField+" is missing, and a person has made it required here",
		"Send the sha256 that read_file returned for this file; read it again if you do not have it.")
}
