package setup

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// tree is a text of JSON, with where everything stands in it, and the cuts that are to be made. The text between them
// stays as it is, byte by byte.
type tree struct {
	text    []byte
	root    *hujson.Value
	newline string
	unit    string // one step of indentation
	cuts    []cut
}

// part is a member of an object or an element of a list: where it begins, where its value ends, and where the comma
// after it is, or -1.
type part struct{ start, end, comma int }

// plant reads a text. One without anything in it is an empty object.
func plant(text []byte) (*tree, error) {
	if blank(text) {
		text = []byte("{}\n")
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	t := &tree{text: text, root: v, newline: "\n"}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		t.newline = "\r\n"
	}
	t.unit = "  "
	if ps := parts(v); len(ps) > 0 && t.leads(ps[0].start) && t.indent(ps[0].start) != "" {
		t.unit = t.indent(ps[0].start)
	}
	return t, nil
}

func parts(v *hujson.Value) []part {
	var out []part
	switch in := v.Value.(type) {
	case *hujson.Object:
		for _, m := range in.Members {
			out = append(out, part{m.Name.StartOffset, m.Value.EndOffset, m.Value.EndOffset + len(m.Value.AfterExtra)})
		}
		if n := len(out); n > 0 && in.Members[n-1].Value.AfterExtra == nil {
			out[n-1].comma = -1
		}
	case *hujson.Array:
		for _, e := range in.Elements {
			out = append(out, part{e.StartOffset, e.EndOffset, e.EndOffset + len(e.AfterExtra)})
		}
		if n := len(out); n > 0 && in.Elements[n-1].AfterExtra == nil {
			out[n-1].comma = -1
		}
	}
	return out
}

// walk follows the path as far as it goes: the value it comes to, and the names that are not there.
func (t *tree) walk(path []string) (*hujson.Value, []string, error) {
	at := t.root
	for i, name := range path {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, nil, fmt.Errorf("%s is not an object", cmp.Or(strings.Join(path[:i], "."), "what it has"))
		}
		k, err := index(o, name)
		if err != nil {
			return nil, nil, err
		}
		if k < 0 {
			return at, path[i:], nil
		}
		at = &o.Members[k].Value
	}
	return at, nil, nil
}

// set puts a value at the path.
func (t *tree) set(path []string, value json.RawMessage) error {
	at, rest, err := t.walk(path)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		t.cut(at.StartOffset, at.EndOffset, indented(value, t.indent(at.StartOffset), t.unitIn(at), t.newline))
		return nil
	}
	for _, name := range slices.Backward(rest[1:]) {
		value = json.RawMessage("{" + string(compact(name)) + ":" + string(value) + "}")
	}
	t.insert(at, func(indent, unit string) string {
		return string(compact(rest[0])) + ": " + indented(value, indent, unit, t.newline)
	})
	return nil
}

// push appends a string to the list at the path.
func (t *tree) push(path []string, s string) error {
	at, _, err := t.walk(path)
	if err != nil {
		return err
	}
	t.insert(at, func(string, string) string { return string(compact(s)) })
	return nil
}

// pull takes the i-th element out of the list at the path.
func (t *tree) pull(path []string, i int) error {
	at, _, err := t.walk(path)
	if err != nil {
		return err
	}
	t.remove(at, i)
	return nil
}

// unset takes away what is at the path, and the objects around it that have nothing else.
func (t *tree) unset(path []string) error {
	for ; len(path) > 0; path = path[:len(path)-1] {
		at, _, err := t.walk(path[:len(path)-1])
		if err != nil {
			return err
		}
		if o := at.Value.(*hujson.Object); len(o.Members) > 1 || len(path) == 1 {
			i, err := index(o, path[len(path)-1])
			if err == nil {
				t.remove(at, i)
			}
			return err
		}
	}
	return nil
}

// leads reports whether only blanks stand before the offset in its line, and that line is not the first.
func (t *tree) leads(at int) bool {
	i := bytes.LastIndexByte(t.text[:at], '\n')
	return i >= 0 && blank(t.text[i:at])
}

// indent are the blanks that the offset's line begins with.
func (t *tree) indent(at int) string {
	line := t.text[bytes.LastIndexByte(t.text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitIn is the indentation for a value in the place of v: none where v is written in one line.
func (t *tree) unitIn(v *hujson.Value) string {
	if bytes.Contains(t.text[v.StartOffset:v.EndOffset], []byte("\n")) || v.Value.Kind() != '{' {
		return t.unit
	}
	return ""
}
