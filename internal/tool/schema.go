package tool

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// field completes the schema of an argument with what its type does not say.
type field struct {
	enum        []string
	min, max    int // 0 for none, except that max implies a minimum of 0
	byDefault   any // the default
	description string
	required    bool
}

// hashField is the argument that has a sha256. Its schema has no pattern: one for both forms, with sha256: before it and
// without, is not matched by every client.
const hashField = "expectedSha256"

// inputSchema returns the schema of a tool's arguments: inferred from the type, made portable, and completed by
// fields. A field of a list's elements has the key list.field.
func inputSchema[In any](fields map[string]field) *jsonschema.Schema {
	s := infer(reflect.TypeFor[In]())
	completeFields(s, fields)
	return s
}

func completeFields(s *jsonschema.Schema, fields map[string]field) {
	for name, f := range fields {
		f.apply(property(s, name))
		if list, of := listOf(s, name); f.required && of != "" {
			list.Required = append(slices.Clone(list.Required), of)
		}
	}
}

// listOf returns the schema of the elements that have the field list.field, and the field; "" for any other name.
func listOf(s *jsonschema.Schema, name string) (*jsonschema.Schema, string) {
	list, of, _ := strings.Cut(name, ".")
	if p := s.Properties[list]; p != nil && p.Items != nil {
		return p.Items, of
	}
	return nil, ""
}

// removeFields removes fields from a schema, also of a list's elements. The schema may share its lists of names with others, and nothing else.
func removeFields(s *jsonschema.Schema, names []string) {
	gone := func(name string) bool { return slices.Contains(names, name) }
	maps.DeleteFunc(s.Properties, func(name string, _ *jsonschema.Schema) bool { return gone(name) })
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), gone)
	s.Required = slices.DeleteFunc(slices.Clone(s.Required), gone)
	for _, name := range names {
		if list, of := listOf(s, name); of != "" {
			removeFields(list, []string{of})
		}
	}
}

// infer returns the schema of a type. It panics if there is none, which any test finds.
func infer(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{})
	if err != nil {
		panic(err)
	}
	simplifyTypes(s)
	return s
}

// simplifyTypes removes lists of types, which some clients do not support.
func simplifyTypes(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for _, p := range s.Properties {
		simplifyTypes(p)
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

// outputSchema returns the schema of a result, or nil if the result is text. It states what callers may rely on and
// allows more: a refusal has no data, and a result in the shape of another dialect has fields of its own.
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
	s := &jsonschema.Schema{Type: "object", Required: []string{"ok"}, PropertyOrder: []string{"ok"},
		Properties: map[string]*jsonschema.Schema{"ok": {Type: "boolean"}}}
	if form == ObjectOnly {
		d := infer(reflect.TypeOf(data))
		removeFields(d, []string{"tree"}) // no agent's call takes a directory
		loosen(d)
		s.Properties["data"], s.PropertyOrder = d, append(s.PropertyOrder, "data")
	}
	return s
}

// loosen keeps only the types. Every request of a model may carry the schema, so the elements of lists are described
// in docs/tools.md instead.
func loosen(s *jsonschema.Schema) {
	s.Required, s.AdditionalProperties, s.Description, s.Pattern = nil, nil, "", ""
	for _, p := range s.Properties {
		loosen(p)
	}
	if s.Items != nil {
		s.Items = &jsonschema.Schema{Type: s.Items.Type}
	}
}

// number formats a limit of a schema.
func number(f float64) string { return fmt.Sprintf("%.0f", f) }
