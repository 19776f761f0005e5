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

// jsonDoc is a JSON text with the positions of its parts, and the splices that will change it. The text between the
// splices stays as it is, byte by byte.
type jsonDoc struct {
	text    []byte
	root    *hujson.Value
	newline string
	unit    string // one step of indentation
	splices []splice
}

// part is a member of an object or an element of a list: where it begins, where its value ends, and the position of
// the comma after it, or -1.
type part struct{ start, end, comma int }

// parseDoc parses a text. A blank text is an empty object.
func parseDoc(text []byte) (*jsonDoc, error) {
	if blank(text) {
		text = []byte("{}\n")
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	d := &jsonDoc{text: text, root: v, newline: "\n"}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		d.newline = "\r\n"
	}
	d.unit = "  "
	if ps := parts(v); len(ps) > 0 && d.startsLine(ps[0].start) && d.lineIndent(ps[0].start) != "" {
		d.unit = d.lineIndent(ps[0].start)
	}
	return d, nil
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

// find follows the path as far as it exists. It returns the last value and the names that are missing.
func (d *jsonDoc) find(path []string) (*hujson.Value, []string, error) {
	at := d.root
	for i, name := range path {
		o, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, nil, fmt.Errorf("%s is not an object", cmp.Or(strings.Join(path[:i], "."), "what it has"))
		}
		k, err := memberIndex(o, name)
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
func (d *jsonDoc) set(path []string, value json.RawMessage) error {
	at, rest, err := d.find(path)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		d.splice(at.StartOffset, at.EndOffset, indentValue(value, d.lineIndent(at.StartOffset), d.unitFor(at), d.newline))
		return nil
	}
	for _, name := range slices.Backward(rest[1:]) {
		value = json.RawMessage("{" + string(marshal(name)) + ":" + string(value) + "}")
	}
	d.insertPart(at, func(indent, unit string) string {
		return string(marshal(rest[0])) + ": " + indentValue(value, indent, unit, d.newline)
	})
	return nil
}

// appendItem appends a string to the list at the path.
func (d *jsonDoc) appendItem(path []string, s string) error { return d.appendValue(path, marshal(s)) }

// appendValue appends a value to the list at the path.
func (d *jsonDoc) appendValue(path []string, value json.RawMessage) error {
	at, _, err := d.find(path)
	if err != nil {
		return err
	}
	d.insertPart(at, func(indent, unit string) string { return indentValue(value, indent, unit, d.newline) })
	return nil
}

// replaceItem replaces the i-th element of the list at the path.
func (d *jsonDoc) replaceItem(path []string, i int, value json.RawMessage) error {
	at, _, err := d.find(path)
	if err != nil {
		return err
	}
	old := &at.Value.(*hujson.Array).Elements[i]
	d.splice(old.StartOffset, old.EndOffset, indentValue(value, d.lineIndent(old.StartOffset), d.unitFor(old), d.newline))
	return nil
}

// removeItem removes the i-th element of the list at the path.
func (d *jsonDoc) removeItem(path []string, i int) error {
	at, _, err := d.find(path)
	if err != nil {
		return err
	}
	d.removePart(at, i)
	return nil
}

// deleteMember removes what is at the path, and the objects around it that contain nothing else.
func (d *jsonDoc) deleteMember(path []string) error {
	for ; len(path) > 0; path = path[:len(path)-1] {
		at, _, err := d.find(path[:len(path)-1])
		if err != nil {
			return err
		}
		if o := at.Value.(*hujson.Object); len(o.Members) > 1 || len(path) == 1 {
			i, err := memberIndex(o, path[len(path)-1])
			if err == nil {
				d.removePart(at, i)
			}
			return err
		}
	}
	return nil
}

// startsLine reports whether there are only blanks before the offset in its line, and that line is not the first.
func (d *jsonDoc) startsLine(at int) bool {
	i := bytes.LastIndexByte(d.text[:at], '\n')
	return i >= 0 && blank(d.text[i:at])
}

// lineIndent returns the blanks at the beginning of the offset's line.
func (d *jsonDoc) lineIndent(at int) string {
	line := d.text[bytes.LastIndexByte(d.text[:at], '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// unitFor returns the indentation for a value that replaces v: none if v is an object on one line.
func (d *jsonDoc) unitFor(v *hujson.Value) string {
	if bytes.Contains(d.text[v.StartOffset:v.EndOffset], []byte("\n")) || v.Value.Kind() != '{' {
		return d.unit
	}
	return ""
}
