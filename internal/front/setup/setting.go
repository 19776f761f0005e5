package setup

import (
	"errors"
	"reflect"
)

// setting is a value that a text must contain. Its methods return the text unchanged if there is nothing to do, and
// refuse an edit that would change anything else.
type setting interface {
	put(text []byte) ([]byte, error)
	remove(text []byte) ([]byte, error)
	// current returns the setting with the value that the text has, and false if the text has none.
	current(text []byte) (setting, bool)
}

// putAll puts all settings into a text.
func putAll(text []byte, settings []setting) ([]byte, error) {
	for _, s := range settings {
		var err error
		if text, err = s.put(text); err != nil {
			return nil, err
		}
	}
	return text, nil
}

// decoder reads a text as values: [decodeJSON] or [decodeTOML].
type decoder func(text []byte) (any, error)

// provedEdit returns after if it says the same as before, except for what model changes. Anything else is an error, so
// that a layout which an edit does not handle is never damaged.
func provedEdit(before, after []byte, decode decoder, model func(any)) ([]byte, error) {
	want, err := decode(before)
	if err != nil {
		return nil, err
	}
	model(want)
	got, err := decode(after)
	if err != nil || !reflect.DeepEqual(want, got) {
		return nil, errors.New("it is laid out in a way that emend cannot edit without changing something else")
	}
	return after, nil
}

// lookup returns the value that a text has at a path of member names.
func lookup(text []byte, path []string, decode decoder) (any, bool) {
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

// setPath and deletePath change values as jsonDoc.set and jsonDoc.deleteMember change a text.
func setPath(v any, path []string, value any) {
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

func deletePath(v any, path []string) {
	o, ok := v.(map[string]any)
	if !ok {
		return
	}
	if len(path) > 1 {
		inner, _ := o[path[0]].(map[string]any)
		if deletePath(inner, path[1:]); len(inner) > 0 {
			return
		}
	}
	delete(o, path[0])
}
