package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// member is a value that stands at a path of members of an object.
type member struct {
	path  []string
	value json.RawMessage
}

func (m member) put(text []byte) ([]byte, error) {
	want, _ := decodePlain(m.value)
	if has, ok := lookup(text, m.path); ok && reflect.DeepEqual(has, want) {
		return text, nil
	}
	return change(text, func(t *tree) error { return t.set(m.path, m.value) }, func(v any) { store(v, m.path, want) })
}

func (m member) drop(text []byte) ([]byte, error) {
	if _, ok := lookup(text, m.path); !ok {
		return text, nil
	}
	return change(text, func(t *tree) error { return t.unset(m.path) }, func(v any) { erase(v, m.path) })
}

// now keeps the order of what stands there: put on a backup, it has to give the very text.
func (m member) now(text []byte) (setting, bool) {
	if _, ok := lookup(text, m.path); !ok {
		return nil, false
	}
	t, err := plant(text)
	if err != nil {
		return nil, false
	}
	at, _, err := t.walk(m.path)
	if err != nil {
		return nil, false
	}
	has := at.Clone()
	has.BeforeExtra, has.AfterExtra = nil, nil
	has.Minimize()
	return member{m.path, has.Pack()}, true
}

// change edits a text and proves that it says what it said, but for what should have changed.
func change(text []byte, edit func(*tree) error, model func(any)) ([]byte, error) {
	was, err := decode(text)
	if err != nil {
		return nil, err
	}
	t, err := plant(text)
	if err != nil {
		return nil, err
	}
	if err := edit(t); err != nil {
		return nil, err
	}
	out := t.spliced()
	is, err := decode(out)
	model(was)
	if err != nil || !reflect.DeepEqual(was, is) {
		return nil, fmt.Errorf("it is laid out in a way that emend cannot edit without changing something else")
	}
	return out, nil
}

// lookup is what the text has at the path.
func lookup(text []byte, path []string) (any, bool) {
	v, err := decode(text)
	if err != nil {
		return nil, false
	}
	for _, name := range path {
		o, _ := v.(map[string]any)
		var ok bool
		if v, ok = o[name]; !ok {
			return nil, false
		}
	}
	return v, true
}

// store and erase are what set and unset do, on values.
func store(v any, path []string, value any) {
	o, _ := v.(map[string]any)
	for _, name := range path[:len(path)-1] {
		next, ok := o[name].(map[string]any)
		if !ok {
			next = map[string]any{}
			o[name] = next
		}
		o = next
	}
	o[path[len(path)-1]] = value
}

func erase(v any, path []string) {
	o, ok := v.(map[string]any)
	if !ok {
		return
	}
	if len(path) > 1 {
		inner, _ := o[path[0]].(map[string]any)
		if erase(inner, path[1:]); len(inner) > 0 {
			return
		}
	}
	delete(o, path[0])
}

// indented is a value over several lines, the first of which stands where it is put.
func indented(value json.RawMessage, indent, unit, newline string) string {
	var b bytes.Buffer
	if unit == "" {
		return string(value)
	}
	if err := json.Indent(&b, value, indent, unit); err != nil {
		return string(value)
	}
	return strings.ReplaceAll(b.String(), "\n", newline)
}

// index is where an object has the name; -1 when it has not.
func index(o *hujson.Object, name string) (int, error) {
	at := -1
	for i, m := range o.Members {
		lit, ok := m.Name.Value.(hujson.Literal)
		if !ok || lit.String() != name {
			continue
		}
		if at >= 0 {
			return 0, fmt.Errorf("it has %q twice", name)
		}
		at = i
	}
	return at, nil
}
