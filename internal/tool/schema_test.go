package tool

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"testing"
)

// keywords are those that strict clients support. They do not include $ref, oneOf, anyOf, const, format, and lists of
// types.
var keywords = []string{"type", "description", "properties", "required", "additionalProperties", "items", "enum", "minimum", "maximum", "minItems", "default", "pattern"}

// simple matches the patterns that every client's matcher supports: a class and a repetition.
var simple = regexp.MustCompile(`^\^\[[0-9a-zA-Z-]+\]\{[0-9]+\}\$$`)

// node is a schema as a client decodes it.
type node = map[string]any

// TestPortable checks the schemas of all profiles, over one workspace and over several.
func TestPortable(t *testing.T) {
	for _, p := range Profiles {
		for _, o := range []Options{{Profile: p}, {Profile: p, Workspaces: []Workspace{{Name: "api"}, {Name: "web"}}}, {Profile: p, RequireHash: true}} {
			for _, tool := range o.Tools() {
				in := decoded(t, tool.Input())
				portableNode(t, p.Name+" "+tool.Name+" in", in, true)
				if in["type"] != "object" {
					t.Errorf("%s %s: arguments of type %v", p.Name, tool.Name, in["type"])
				}
				if s := tool.Output(); s != nil {
					portableNode(t, p.Name+" "+tool.Name+" out", decoded(t, s), false)
				}
			}
		}
	}
}

func decoded(t *testing.T, schema any) (out node) {
	t.Helper()
	b, err := json.Marshal(schema)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// portableNode checks one schema. A schema of arguments must describe every field, and say whether it allows others.
func portableNode(t *testing.T, at string, s node, in bool) {
	t.Helper()
	for word := range s {
		if !slices.Contains(keywords, word) {
			t.Errorf("%s: %q is not portable", at, word)
		}
	}
	kind, _ := s["type"].(string)
	if !slices.Contains([]string{"object", "array", "string", "integer", "boolean"}, kind) {
		t.Errorf("%s: its type is %v", at, s["type"])
	}
	if in && kind == "object" && s["additionalProperties"] == nil {
		t.Errorf("%s: it does not say whether it takes other fields", at)
	}
	if (kind == "array") != (s["items"] != nil) {
		t.Errorf("%s: of type %s with items %v", at, kind, s["items"])
	}
	portableValues(t, at, s, kind)
	fields, _ := s["properties"].(node)
	for name, p := range fields {
		p := p.(node)
		if in && p["description"] == nil {
			t.Errorf("%s.%s: no words", at, name)
		}
		portableNode(t, at+"."+name, p, in)
	}
	for _, name := range listed(s["required"]) {
		if fields[fmt.Sprint(name)] == nil {
			t.Errorf("%s: requires %v, which it does not have", at, name)
		}
	}
	for _, below := range []string{"items", "additionalProperties"} {
		if p, ok := s[below].(node); ok {
			portableNode(t, at+" "+below, p, in)
		}
	}
}

// portableValues checks that enums are strings and not empty, and that a default has the schema's type.
func portableValues(t *testing.T, at string, s node, kind string) {
	t.Helper()
	if s["enum"] != nil && (kind != "string" || len(listed(s["enum"])) == 0) {
		t.Errorf("%s: an enum %v of type %s", at, s["enum"], kind)
	}
	for _, word := range listed(s["enum"]) {
		if text, ok := word.(string); !ok || text == "" {
			t.Errorf("%s: %v is in its enum", at, word)
		}
	}
	if standard, ok := s["default"]; ok {
		is := map[string]string{"string": "string", "float64": "integer", "bool": "boolean"}[fmt.Sprintf("%T", standard)]
		if is != kind || s["enum"] != nil && !slices.Contains(listed(s["enum"]), standard) {
			t.Errorf("%s: its default is %v", at, standard)
		}
	}
	if pattern, ok := s["pattern"].(string); ok && !simple.MatchString(pattern) {
		t.Errorf("%s: the pattern %s", at, pattern)
	}
}

func listed(v any) []any {
	out, _ := v.([]any)
	return out
}
