package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
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

func (m member) now(text []byte) (setting, bool) {
	has, ok := lookup(text, m.path)
	if !ok {
		return nil, false
	}
	t, err := plant(text)
	if err != nil {
		return nil, false
	}
	at, _, err := t.walk(m.path)
	if err != nil || at == nil {
		return nil, false
	}
	if want, _ := decodePlain(m.value); reflect.DeepEqual(has, want) {
		return m, true
	}
	return member{m.path, compact(has)}, true
}

// items are strings that stand in the list at a path.
type items struct {
	path []string
	list []string
}

func (l items) put(text []byte) ([]byte, error) {
	has, ok := lookup(text, l.path)
	if !ok {
		return member{l.path, compact(l.list)}.put(text)
	}
	list, ok := has.([]any)
	if !ok {
		return nil, fmt.Errorf("%s is not a list", strings.Join(l.path, "."))
	}
	for _, s := range l.list {
		if slices.Contains(list, any(s)) {
			continue
		}
		list = append(list, s)
		var err error
		text, err = change(text, func(t *tree) error { return t.push(l.path, s) }, func(v any) { store(v, l.path, slices.Clone(list)) })
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (l items) drop(text []byte) ([]byte, error) {
	for {
		has, _ := lookup(text, l.path)
		list, _ := has.([]any)
		i := slices.IndexFunc(list, l.mine)
		if i < 0 {
			return text, nil
		}
		rest := slices.Delete(slices.Clone(list), i, i+1)
		if len(rest) == 0 {
			return member{path: l.path}.drop(text)
		}
		var err error
		text, err = change(text, func(t *tree) error { return t.pull(l.path, i) }, func(v any) { store(v, l.path, rest) })
		if err != nil {
			return nil, err
		}
	}
}

func (l items) mine(v any) bool {
	s, ok := v.(string)
	return ok && slices.Contains(l.list, s)
}

func (l items) now(text []byte) (setting, bool) {
	has, _ := lookup(text, l.path)
	list, _ := has.([]any)
	for _, s := range l.list {
		if !slices.Contains(list, any(s)) {
			return nil, false
		}
	}
	return l, len(list) > 0
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
