package setup

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlTable is a TOML table with a header of its own, [path.name]. It is edited as text, and the result is parsed and
// compared. A text for which that fails, such as one with an inline table, is refused.
type tomlTable struct {
	path  []string
	value map[string]any
}

func decodeTOML(text []byte) (any, error) {
	out := map[string]any{}
	_, err := toml.Decode(string(text), &out)
	return out, err
}

func (t tomlTable) header() string { return "[" + strings.Join(t.path, ".") + "]" }

// decoded returns the table's value as decodeTOML returns it, with lists as []any.
func (t tomlTable) decoded() any {
	out, _ := decodeTOML([]byte(t.lines("\n")))
	return out
}

// find returns the table that the text has.
func (t tomlTable) find(text []byte) (map[string]any, bool) {
	v, _ := lookup(text, t.path, decodeTOML)
	table, ok := v.(map[string]any)
	return table, ok
}

func (t tomlTable) put(text []byte) ([]byte, error) {
	has, ok := t.find(text)
	if ok && reflect.DeepEqual(any(has), t.decoded()) {
		return text, nil
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	body := t.header() + newline + t.lines(newline)
	from, to, found := t.span(text)
	var out []byte
	switch {
	case found:
		out = slices.Concat(text[:from], []byte(body), text[to:])
	case ok, t.inline(text):
		return nil, fmt.Errorf("%s is not written as a table of its own", t.header())
	case blank(text):
		out = []byte(body)
	default:
		gap := newline
		if !bytes.HasSuffix(text, []byte("\n")) {
			gap += newline
		}
		out = slices.Concat(text, []byte(gap+body))
	}
	return provedEdit(text, out, decodeTOML, func(v any) { setPath(v, t.path, t.decoded()) })
}

func (t tomlTable) remove(text []byte) ([]byte, error) {
	if _, ok := t.find(text); !ok {
		return text, nil
	}
	from, to, found := t.span(text)
	if !found {
		return nil, fmt.Errorf("%s is not written as a table of its own", t.header())
	}
	head := bytes.TrimRight(text[:from], "\r\n \t")
	if rest := text[to:]; len(head) > 0 {
		gap := text[len(head):from]
		if i := bytes.IndexByte(gap, '\n'); i >= 0 && blank(rest) {
			gap = gap[:i+1]
		}
		head = slices.Concat(head, gap)
	}
	return provedEdit(text, slices.Concat(head, text[to:]), decodeTOML, func(v any) { deletePath(v, t.path) })
}

func (t tomlTable) current(text []byte) (setting, bool) {
	has, ok := t.find(text)
	return tomlTable{t.path, has}, ok
}

// inline reports whether the outer table is written as a value in braces. TOML forbids adding to such a table. The
// parser used here would accept a header that does, and the client's parser would not.
func (t tomlTable) inline(text []byte) bool {
	return regexp.MustCompile(`(?m)^\s*["']?` + regexp.QuoteMeta(t.path[0]) + `["']?\s*=`).Match(text)
}

// lines returns the keys of the table as text.
func (t tomlTable) lines(newline string) string {
	var buf bytes.Buffer
	enc := toml.NewEncoder(&buf)
	enc.Indent = ""
	if err := enc.Encode(t.value); err != nil {
		return ""
	}
	return strings.ReplaceAll(buf.String(), "\n", newline)
}

// span returns where the table is: from its header to the next header that is not below it, without the blank lines
// and comments before that.
func (t tomlTable) span(text []byte) (from, to int, found bool) {
	at, end := 0, 0
	below := []byte(strings.TrimSuffix(t.header(), "]") + ".")
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case !found && bytes.HasPrefix(trimmed, []byte(t.header())):
			from, found = at, true
			end = at + len(line)
		case found && bytes.HasPrefix(trimmed, []byte("[")) && !bytes.HasPrefix(trimmed, below):
			return from, end, true
		case found && len(trimmed) > 0 && trimmed[0] != '#':
			end = at + len(line)
		}
		at += len(line)
	}
	return from, end, found
}
