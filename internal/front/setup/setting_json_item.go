package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonItem is an object that a list at a path must contain once. isOurs tells it from what a person has there.
type jsonItem struct {
	path   []string
	value  json.RawMessage
	isOurs func(v any) (bool, error)
}

// find returns the list at the path, and the indexes of the objects that are emend's.
func (m jsonItem) find(text []byte) (list []any, ours []int, err error) {
	has, ok := lookup(text, m.path, decodeJSON)
	if !ok {
		return nil, nil, nil
	}
	list, ok = has.([]any)
	if !ok {
		return nil, nil, fmt.Errorf("%s is not a list", strings.Join(m.path, "."))
	}
	for i, v := range list {
		is, err := m.isOurs(v)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", strings.Join(m.path, "."), err)
		}
		if is {
			ours = append(ours, i)
		}
	}
	return list, ours, nil
}

func (m jsonItem) put(text []byte) ([]byte, error) {
	list, ours, err := m.find(text)
	if err != nil {
		return nil, err
	}
	want, _ := decodePlainJSON(m.value)
	switch {
	case len(list) == 0:
		return jsonMember{m.path, marshal([]json.RawMessage{m.value})}.put(text)
	case len(ours) == 0:
		list = append(list, want)
		return editJSON(text, func(d *jsonDoc) error { return d.appendValue(m.path, m.value) }, func(v any) { setPath(v, m.path, list) })
	}
	for _, i := range slices.Backward(ours[1:]) {
		if text, err = m.without(text, list, i); err != nil {
			return nil, err
		}
		list = slices.Delete(list, i, i+1)
	}
	if reflect.DeepEqual(list[ours[0]], want) {
		return text, nil
	}
	list[ours[0]] = want
	return editJSON(text, func(d *jsonDoc) error { return d.replaceItem(m.path, ours[0], m.value) }, func(v any) { setPath(v, m.path, list) })
}

func (m jsonItem) remove(text []byte) ([]byte, error) {
	list, ours, err := m.find(text)
	if err != nil || len(ours) == 0 {
		return text, err
	}
	if len(ours) == len(list) {
		return jsonMember{path: m.path}.remove(text)
	}
	for _, i := range slices.Backward(ours) {
		if text, err = m.without(text, list, i); err != nil {
			return nil, err
		}
		list = slices.Delete(list, i, i+1)
	}
	return text, nil
}

// without returns the text without the i-th object of the list.
func (m jsonItem) without(text []byte, list []any, i int) ([]byte, error) {
	rest := slices.Delete(slices.Clone(list), i, i+1)
	return editJSON(text, func(d *jsonDoc) error { return d.removeItem(m.path, i) }, func(v any) { setPath(v, m.path, rest) })
}

func (m jsonItem) current(text []byte) (setting, bool) {
	_, ours, err := m.find(text)
	if err != nil || len(ours) == 0 {
		return nil, false
	}
	d, err := parseDoc(text)
	if err != nil {
		return nil, false
	}
	at, _, err := d.find(m.path)
	if err != nil {
		return nil, false
	}
	has := at.Value.(*hujson.Array).Elements[ours[0]].Clone()
	has.BeforeExtra, has.AfterExtra = nil, nil
	has.Minimize()
	return jsonItem{m.path, has.Pack(), m.isOurs}, true
}

// ownMember is a value that setup sets where nothing stands, and that it takes for its own only if isOurs says so.
type ownMember struct {
	jsonMember
	isOurs func(v any) bool
}

func (m ownMember) put(text []byte) ([]byte, error) {
	if has, ok := lookup(text, m.path, decodeJSON); ok && !m.isOurs(has) {
		return nil, fmt.Errorf("%s has a value already, which emend does not replace", strings.Join(m.path, "."))
	}
	return m.jsonMember.put(text)
}

func (m ownMember) remove(text []byte) ([]byte, error) {
	if has, ok := lookup(text, m.path, decodeJSON); !ok || !m.isOurs(has) {
		return text, nil
	}
	return m.jsonMember.remove(text)
}

func (m ownMember) current(text []byte) (setting, bool) {
	if has, ok := lookup(text, m.path, decodeJSON); !ok || !m.isOurs(has) {
		return nil, false
	}
	is, ok := m.jsonMember.current(text)
	if !ok {
		return nil, false
	}
	return ownMember{is.(jsonMember), m.isOurs}, true
}

// wholeFile is a file that belongs to emend entirely. It begins with mark.
type wholeFile struct {
	mark, content string
}

var errNotOurs = errors.New("it is not a file that setup wrote")

func (w wholeFile) isOurs(text []byte) bool { return strings.HasPrefix(string(text), w.mark) }

func (w wholeFile) put(text []byte) ([]byte, error) {
	if !blank(text) && !w.isOurs(text) {
		return nil, errNotOurs
	}
	return []byte(w.content), nil
}

func (w wholeFile) remove(text []byte) ([]byte, error) {
	if !w.isOurs(text) {
		return text, nil
	}
	return nil, nil
}

func (w wholeFile) current(text []byte) (setting, bool) {
	return wholeFile{w.mark, string(text)}, w.isOurs(text)
}
