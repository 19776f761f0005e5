package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonMember is a value at a path of member names.
type jsonMember struct {
	path  []string
	value json.RawMessage
}

func (m jsonMember) put(text []byte) ([]byte, error) {
	want, _ := decodePlainJSON(m.value)
	if has, ok := lookup(text, m.path, decodeJSON); ok && reflect.DeepEqual(has, want) {
		return text, nil
	}
	return editJSON(text, func(t *jsonDoc) error { return t.set(m.path, m.value) }, func(v any) { setPath(v, m.path, want) })
}

func (m jsonMember) remove(text []byte) ([]byte, error) {
	if _, ok := lookup(text, m.path, decodeJSON); !ok {
		return text, nil
	}
	return editJSON(text, func(t *jsonDoc) error { return t.deleteMember(m.path) }, func(v any) { deletePath(v, m.path) })
}

// current keeps the order of what the text has: put into a backup, it must give the very same text.
func (m jsonMember) current(text []byte) (setting, bool) {
	if _, ok := lookup(text, m.path, decodeJSON); !ok {
		return nil, false
	}
	t, err := parseDoc(text)
	if err != nil {
		return nil, false
	}
	at, _, err := t.find(m.path)
	if err != nil {
		return nil, false
	}
	has := at.Clone()
	has.BeforeExtra, has.AfterExtra = nil, nil
	has.Minimize()
	return jsonMember{m.path, has.Pack()}, true
}

// editJSON edits a text and proves that nothing changed except what model changes.
func editJSON(text []byte, edit func(*jsonDoc) error, model func(any)) ([]byte, error) {
	t, err := parseDoc(text)
	if err != nil {
		return nil, err
	}
	if err := edit(t); err != nil {
		return nil, err
	}
	return provedEdit(text, t.spliced(), decodeJSON, model)
}

// indentValue lays a value out over several lines. The first has no indentation.
func indentValue(value json.RawMessage, indent, unit, newline string) string {
	var b bytes.Buffer
	if unit == "" {
		return string(value)
	}
	if err := json.Indent(&b, value, indent, unit); err != nil {
		return string(value)
	}
	return strings.ReplaceAll(b.String(), "\n", newline)
}

// memberIndex returns the index of the member with that name, or -1.
func memberIndex(o *hujson.Object, name string) (int, error) {
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
