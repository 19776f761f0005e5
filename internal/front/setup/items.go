package setup

import (
	"fmt"
	"slices"
	"strings"
)

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
