package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// field is what a schema says of a field beside its type.
type field struct {
	enum        []string
	min, max    int // 0 for none, but that with a max the min is 0
	byDefault   any // what it is when it is left out
	description string
}

// hash is the form of a sha256, and hashField the argument that has one.
const (
	hashPattern = "^[0-9a-f]{64}$"
	hashField   = "expectedSha256"
)

// input is the schema of a tool's arguments: inferred from the type, made portable, and completed by what the tool's
// file says. A field of an element of a list is called list.field.
func inputSchema[In any](fields map[string]field) *jsonschema.Schema {
	s := infer(reflect.TypeFor[In]())
	completeFields(s, fields)
	return s
}

func completeFields(s *jsonschema.Schema, fields map[string]field) {
	for name, f := range fields {
		f.apply(property(s, name))
	}
}

// drop takes fields out of a schema that shares nothing but its lists of names with others.
func removeFields(s *jsonschema.Schema, names []string) {
	gone := func(name string) bool { return slices.Contains(names, name) }
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return gone(name) })
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), gone)
	s.Required = slices.DeleteFunc(slices.Clone(s.Required), gone)
}

// infer panics for a type that no schema can describe: a defect that any test finds.
func infer(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		panic(err)
	}
	simplifyTypes(s)
	return s
}

// portable takes out of a schema what some clients do not read: several types for one value.
func simplifyTypes(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for name, p := range s.Properties {
		simplifyTypes(p)
		if name == hashField {
			p.Pattern = hashPattern
		}
	}
	simplifyTypes(s.Items)
	simplifyTypes(s.AdditionalProperties)
}

func property(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if p := s.Properties[name]; p != nil {
		return p
	}
	for list, p := range s.Properties {
		if p.Items != nil && len(name) > len(list) && name[:len(list)+1] == list+"." {
			return property(p.Items, name[len(list)+1:])
		}
	}
	panic("no field is called " + name)
}

func (f field) apply(s *jsonschema.Schema) {
	for _, word := range f.enum {
		s.Enum = append(s.Enum, word)
	}
	if f.description != "" {
		s.Description = f.description
	}
	if f.byDefault != nil {
		b, err := json.Marshal(f.byDefault)
		if err != nil {
			panic(err)
		}
		s.Default = b
	}
	if s.Type == "array" {
		s.MinItems = orNil[int](f.min)
		return
	}
	s.Minimum, s.Maximum = orNil[float64](f.min), orNil[float64](f.max)
	if f.max > 0 && f.min == 0 {
		s.Minimum = new(0.0)
	}
}

func orNil[T int | float64](n int) *T {
	if n == 0 {
		return nil
	}
	v := T(n)
	return &v
}

// outputSchema returns the schema of a result; nil if the result is text. It states what callers may rely on and allows
// more: a refusal has no data, and a result in the shape of another dialect has fields of its own.
func outputSchema(form ResultForm, data, result any) *jsonschema.Schema {
	switch {
	case result != nil:
		s := infer(reflect.TypeOf(result))
		removeFields(s, []string{"_meta"})
		loosen(s)
		return s
	case form == TextOnly:
		return nil
	}
	d := &jsonschema.Schema{Type: "object"}
	if form == ObjectOnly {
		d = infer(reflect.TypeOf(data))
		loosen(d)
	}
	return &jsonschema.Schema{Type: "object", Required: []string{"ok"}, PropertyOrder: []string{"ok", "data"},
		Properties: map[string]*jsonschema.Schema{"ok": {Type: "boolean"}, "data": d}}
}

// loosen keeps only the types; what the elements of a list are made of is for docs/tools.md, since every request of a model
// may carry this.
func loosen(s *jsonschema.Schema) {
	s.Required, s.AdditionalProperties, s.Description, s.Pattern = nil, nil, "", ""
	for _, p := range s.Properties {
		loosen(p)
	}
	if s.Items != nil {
		s.Items = &jsonschema.Schema{Type: s.Items.Type}
	}
}

// number words a limit of a schema.
func number(f float64) string { return fmt.Sprintf("%.0f", f) }
