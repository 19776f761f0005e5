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
	enum     []string
	min, max int // 0 for none, but that with a max the min is 0
	standard any // what it is when it is left out
	words    string
}

// hash is the form of a sha256, and hashField the argument that has one.
const (
	hash      = "^[0-9a-f]{64}$"
	hashField = "expectedSha256"
)

// input is the schema of a tool's arguments: inferred from the type, made portable, and completed by what the tool's
// file says. A field of an element of a list is called list.field.
func input[In any](fields map[string]field) *jsonschema.Schema {
	s := infer(reflect.TypeFor[In]())
	complete(s, fields)
	return s
}

func complete(s *jsonschema.Schema, fields map[string]field) {
	for name, f := range fields {
		f.complete(property(s, name))
	}
}

// drop takes fields out of a schema that shares nothing but its lists of names with others.
func drop(s *jsonschema.Schema, names []string) {
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
	portable(s)
	return s
}

// portable takes out of a schema what some clients do not read: several types for one value.
func portable(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		s.Type, s.Types = s.Types[1], nil
	}
	for name, p := range s.Properties {
		portable(p)
		if name == hashField {
			p.Pattern = hash
		}
	}
	portable(s.Items)
	portable(s.AdditionalProperties)
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

func (f field) complete(s *jsonschema.Schema) {
	for _, word := range f.enum {
		s.Enum = append(s.Enum, word)
	}
	if f.words != "" {
		s.Description = f.words
	}
	if f.standard != nil {
		b, err := json.Marshal(f.standard)
		if err != nil {
			panic(err)
		}
		s.Default = b
	}
	if s.Type == "array" {
		s.MinItems = limit[int](f.min)
		return
	}
	s.Minimum, s.Maximum = limit[float64](f.min), limit[float64](f.max)
	if f.max > 0 && f.min == 0 {
		s.Minimum = new(0.0)
	}
}

func limit[T int | float64](n int) *T {
	if n == 0 {
		return nil
	}
	v := T(n)
	return &v
}

// schema is that of a result. It says what may be relied on and allows more: a refusal
// has no data, and a result in the shape of another dialect has fields of its own.
func (w words) schema() *jsonschema.Schema {
	switch {
	case w.result != nil:
		s := infer(reflect.TypeOf(w.result))
		drop(s, []string{"_meta"})
		loosen(s)
		return s
	case w.tell == Text:
		return nil
	}
	data := &jsonschema.Schema{Type: "object"}
	if w.tell == Whole {
		data = infer(reflect.TypeOf(w.output))
		loosen(data)
	}
	return &jsonschema.Schema{Type: "object", Required: []string{"ok"}, PropertyOrder: []string{"ok", "data"},
		Properties: map[string]*jsonschema.Schema{"ok": {Type: "boolean"}, "data": data}}
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
