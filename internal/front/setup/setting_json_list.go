package setup

import (
	"fmt"
	"slices"
	"strings"
)

// jsonList is a list at a path that must contain some strings.
type jsonList struct {
	path []string
	list []string
}

func (l jsonList) put(text []byte) ([]byte, error) {
	has, ok := lookup(text, l.path, decodeJSON)
	if !ok {
		return jsonMember{l.path, marshal(l.list)}.put(text)
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
		text, err = editJSON(text, func(t *jsonDoc) error { return t.appendItem(l.path, s) }, func(v any) { setPath(v, l.path, slices.Clone(list)) })
		if err != nil {
			return nil, err
		}
	}
	return text, nil
}

func (l jsonList) remove(text []byte) ([]byte, error) {
	for {
		has, _ := lookup(text, l.path, decodeJSON)
		list, _ := has.([]any)
		i := slices.IndexFunc(list, l.contains)
		if i < 0 {
			return text, nil
		}
		rest := slices.Delete(slices.Clone(list), i, i+1)
		if len(rest) == 0 {
			return jsonMember{path: l.path}.remove(text)
		}
		var err error
		text, err = editJSON(text, func(t *jsonDoc) error { return t.removeItem(l.path, i) }, func(v any) { setPath(v, l.path, rest) })
		if err != nil {
			return nil, err
		}
	}
}

func (l jsonList) contains(v any) bool {
	s, ok := v.(string)
	return ok && slices.Contains(l.list, s)
}

func (l jsonList) current(text []byte) (setting, bool) {
	has, _ := lookup(text, l.path, decodeJSON)
	list, _ := has.([]any)
	for _, s := range l.list {
		if !slices.Contains(list, any(s)) {
			return nil, false
		}
	}
	return l, len(list) > 0
}
