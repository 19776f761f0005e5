package tool

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// maxComplaints bounds the errors in one refusal.
const maxComplaints = 30

// checker compares arguments with a schema and collects every error.
type checker struct {
	tool    string
	all     fail.List
	omitted int
}

// check returns every mismatch between v and the tool's schema.
func (t *Tool) check(v value) error {
	c := checker{tool: t.Name}
	c.value("", &v, t.Input())
	if c.omitted > 0 {
		c.all[len(c.all)-1].Hint += fmt.Sprintf(" %d more things do not fit.", c.omitted)
	}
	if len(c.all) == 0 {
		return nil
	}
	return c.all
}

func (c *checker) add(msg, hint string) {
	if len(c.all) == maxComplaints {
		c.omitted++
		return
	}
	c.all = append(c.all, badArguments(msg, hint))
}

func (c *checker) value(path string, v *value, s *jsonschema.Schema) {
	if !c.checkType(path, v, s) {
		return
	}
	switch s.Type {
	case "object":
		c.object(path, v, s)
	case "array":
		c.array(path, v, s)
	case "integer":
		c.number(path, v, s)
	case "string":
		c.text(path, v, s)
	}
}

// checkType checks the type of a value.
func (c *checker) checkType(path string, v *value, s *jsonschema.Schema) bool {
	if v.kind == s.Type {
		return true
	}
	if s.Type == "integer" && v.kind == "number" {
		if _, ok := integer(v.text); ok {
			return true
		}
	}
	if direction := outOfRange(v.text); s.Type == "integer" && v.kind == "number" && direction != "" {
		other := map[string]string{"large": "smaller", "small": "larger"}[direction]
		c.add(fmt.Sprintf("%s is %s, which is too %s", path, fail.Short(v.text), direction), "Send a "+other+" "+path+", or leave it out.")
		return false
	}
	name, hint := path, "Send "+path+" as "+typeName(s.Type)+", or leave it out."
	if path == "" {
		name, hint = "the arguments", "Send one JSON object."
	} else if s.Description != "" {
		hint = path + ": " + s.Description + "."
	}
	is, be := "is", "it has to be"
	if path == "" {
		is, be = "are", "they have to be"
	}
	c.add(fmt.Sprintf("%s %s %s; %s %s", name, is, v.describe(), be, typeName(s.Type)), hint)
	return false
}

// outOfRange returns "large" or "small" for an integer whose size exceeds 1<<53, and "" for other numbers.
func outOfRange(text string) string {
	switch f, _ := strconv.ParseFloat(text, 64); {
	case f != math.Trunc(f):
	case f > 1<<53:
		return "large"
	case f < -1<<53:
		return "small"
	}
	return ""
}

func typeName(kind string) string {
	switch kind {
	case "integer":
		return "an integer"
	case "array":
		return "a list"
	case "object":
		return "an object"
	}
	return "a " + kind
}

func (c *checker) object(path string, v *value, s *jsonschema.Schema) {
	for i := range v.members {
		m := &v.members[i]
		switch p := s.Properties[m.name]; {
		case p != nil && m.value.kind == "null" && !slices.Contains(s.Required, m.name):
			c.add(join(path, m.name)+" is null; it has to be "+typeName(p.Type), "Leave "+m.name+" out instead.")
		case p != nil:
			c.value(join(path, m.name), &m.value, p)
		case s.Properties == nil && s.AdditionalProperties != nil:
			c.value(join(path, fail.Quote(m.name)), &m.value, s.AdditionalProperties)
		default:
			c.addUnknown(path, m.name, s)
		}
	}
	for _, name := range s.Required {
		if _, ok := v.get(name); !ok {
			c.add(join(path, name)+" is missing", "Send "+name+": "+s.Properties[name].Description+".")
		}
	}
}

func join(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

// addUnknown reports a field that the schema does not have.
func (c *checker) addUnknown(path, name string, s *jsonschema.Schema) {
	known := s.PropertyOrder
	if known == nil {
		known = slices.Sorted(maps.Keys(s.Properties))
	}
	hint := "The arguments are: " + strings.Join(known, ", ") + "."
	if near := suggestion(name, known); near != "" {
		hint = fmt.Sprintf("Did you mean %q? %s", near, hint)
	}
	what := "an argument of " + c.tool
	if path != "" {
		what = "a field of " + path
	}
	c.add(fail.Quote(name)+" is not "+what, hint)
}

// synonyms are the names that tools of other systems use for the same arguments.
var synonyms = map[string][]string{
	"path":     {"file", "filename", "filepath", "file_path", "dir", "directory", "absolute_path", "target_file"},
	"content":  {"contents", "text", "file_text", "body", "data"},
	"oldText":  {"old_string", "old_str", "old", "search", "find", "before"},
	"newText":  {"new_string", "new_str", "new", "replace", "replacement", "after"},
	"fromPath": {"from", "source", "src", "old_path", "path"},
	"toPath":   {"to", "destination", "dest", "dst", "new_path"},
	"patch":    {"input", "diff", "patch_text"},
	"query":    {"pattern", "regex", "search", "text"},
	"pattern":  {"glob", "query"},
	"root":     {"path", "dir", "directory", "cwd"},

	"startLine":           {"start", "offset", "view_range", "line"},
	"endLine":             {"end", "limit"},
	"expectedSha256":      {"sha256", "hash", "expected_hash"},
	"expectedOccurrences": {"replace_all", "count", "occurrences"},
	"trashedPath":         {"id", "trashId", "trashedTo", "path"},
	"targetPath":          {"target", "to", "destination"},
	"maxResults":          {"limit", "head_limit"},
}

// suggestion returns the known name that the caller may have meant, or "".
func suggestion(name string, known []string) string {
	if near := fail.Alike(name, known); len(near) > 0 {
		return near[0]
	}
	for _, k := range known {
		if slices.ContainsFunc(synonyms[k], func(s string) bool {
			return strings.EqualFold(strings.ReplaceAll(s, "_", ""), strings.ReplaceAll(name, "_", ""))
		}) {
			return k
		}
	}
	return ""
}

func (c *checker) array(path string, v *value, s *jsonschema.Schema) {
	if s.MinItems != nil && len(v.items) < *s.MinItems {
		c.add(fmt.Sprintf("%s is a list of %d; it has to have at least %d", path, len(v.items), *s.MinItems), "Send "+path+": "+s.Description+".")
	}
	for i := range v.items {
		c.value(fmt.Sprintf("%s[%d]", path, i), &v.items[i], s.Items)
	}
}

func (c *checker) number(path string, v *value, s *jsonschema.Schema) {
	n, _ := integer(v.text)
	switch {
	case s.Minimum != nil && float64(n) < *s.Minimum:
		c.add(fmt.Sprintf("%s is %d; it has to be at least %s", path, n, number(*s.Minimum)), "Send a larger "+path+", or leave it out.")
	case s.Maximum != nil && float64(n) > *s.Maximum:
		c.add(fmt.Sprintf("%s is %d; it has to be at most %s", path, n, number(*s.Maximum)), "Send a smaller "+path+", or leave it out.")
	}
}

func isHash(s string) bool {
	s = text.BareSum(s)
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

func (c *checker) text(path string, v *value, s *jsonschema.Schema) {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(v.text)) {
		c.add(fmt.Sprintf("%s is %s; it has to be one of %s", path, fail.Quote(v.text), commaList(s.Enum)), "Send one of these words as "+path+".")
	}
}

func commaList(words []any) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = fmt.Sprint(w)
	}
	return strings.Join(out, ", ")
}

func quoted(names []string) []string {
	out := make([]string, min(len(names), maxComplaints))
	for i := range out {
		out[i] = fail.Quote(names[i])
	}
	if len(out) < len(names) {
		out = append(out, fmt.Sprintf("%d more", len(names)-len(out)))
	}
	return out
}
