package setup

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// table is a table of TOML below another, as [path.name] with its keys. It is edited as text, and what comes out is
// read again: a text where that is wrong, an inline table say, is refused.
type table struct {
	path  []string
	value map[string]any
}

func decodeTOML(text []byte) (map[string]any, error) {
	var out map[string]any
	_, err := toml.Decode(string(text), &out)
	if out == nil {
		out = map[string]any{}
	}
	return out, err
}

func (b table) header() string { return "[" + strings.Join(b.path, ".") + "]" }

// lookup is what the text has.
func (b table) lookup(text []byte) (map[string]any, bool) {
	at, err := decodeTOML(text)
	for _, name := range b.path {
		if err != nil {
			return nil, false
		}
		var ok bool
		if at, ok = at[name].(map[string]any); !ok {
			return nil, false
		}
	}
	return at, true
}

// same reports whether two tables say the same. TOML's lists come back as []any.
func (b table) same(other map[string]any) bool {
	mine, err := decodeTOML([]byte(b.lines("\n")))
	if err != nil {
		return false
	}
	return reflect.DeepEqual(mine, other)
}

func (b table) put(text []byte) ([]byte, error) {
	has, ok := b.lookup(text)
	if ok && b.same(has) {
		return text, nil
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	body := b.header() + newline + b.lines(newline)
	from, to, found := b.find(text)
	var out []byte
	switch {
	case found:
		out = slices.Concat(text[:from], []byte(body), text[to:])
	case ok, b.inline(text):
		return nil, fmt.Errorf("%s is not written as a table of its own", b.header())
	case blank(text):
		out = []byte(body)
	default:
		gap := newline
		if !bytes.HasSuffix(text, []byte("\n")) {
			gap += newline
		}
		out = slices.Concat(text, []byte(gap+body))
	}
	return b.prove(text, out, func(v map[string]any) { store(any(v), b.path, b.plain()) })
}

func (b table) drop(text []byte) ([]byte, error) {
	if _, ok := b.lookup(text); !ok {
		return text, nil
	}
	from, to, found := b.find(text)
	if !found {
		return nil, fmt.Errorf("%s is not written as a table of its own", b.header())
	}
	head := bytes.TrimRight(text[:from], "\r\n \t")
	if rest := text[to:]; len(head) > 0 {
		nl := text[len(head):from]
		if i := bytes.IndexByte(nl, '\n'); i >= 0 && blank(rest) {
			nl = nl[:i+1]
		}
		head = slices.Concat(head, nl)
	}
	return b.prove(text, slices.Concat(head, text[to:]), func(v map[string]any) { erase(any(v), b.path) })
}

func (b table) now(text []byte) (setting, bool) {
	has, ok := b.lookup(text)
	return table{b.path, has}, ok
}

// inline reports whether the outer table is written as a value, in braces. TOML closes such a table for good; the
// parser here would let a header add to it, and the client's would not.
func (b table) inline(text []byte) bool {
	return regexp.MustCompile(`(?m)^\s*["']?` + regexp.QuoteMeta(b.path[0]) + `["']?\s*=`).Match(text)
}

// prove refuses an edit after which the text says anything else than was meant.
func (b table) prove(before, after []byte, model func(map[string]any)) ([]byte, error) {
	was, err := decodeTOML(before)
	if err != nil {
		return nil, err
	}
	model(was)
	is, err := decodeTOML(after)
	if err != nil || !reflect.DeepEqual(was, is) {
		return nil, errors.New("it is laid out in a way that emend cannot edit without changing something else")
	}
	return after, nil
}

// plain is the value as it comes out of a text.
func (b table) plain() map[string]any {
	out, _ := decodeTOML([]byte(b.lines("\n")))
	return out
}

// lines are the keys of the table.
func (b table) lines(newline string) string {
	var buf bytes.Buffer
	enc := toml.NewEncoder(&buf)
	enc.Indent = ""
	if err := enc.Encode(b.value); err != nil {
		return ""
	}
	return strings.ReplaceAll(buf.String(), "\n", newline)
}

// find is where the table stands: from its header to the next one that is not below it, without the blank lines and
// comments in front of that.
func (b table) find(text []byte) (from, to int, found bool) {
	at, end := 0, 0
	below := []byte(strings.TrimSuffix(b.header(), "]") + ".")
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimSpace(line)
		switch {
		case !found && bytes.HasPrefix(trimmed, []byte(b.header())):
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
