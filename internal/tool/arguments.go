package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
)

// The limits of arguments, far beyond what any call needs.
const (
	maxBytes  = 2 << 30
	maxDepth  = 16
	maxValues = 1 << 20
)

// value is a JSON value as it was written.
type value struct {
	kind    string // as in JSON Schema, with "number" for integers too
	text    string // of a string, a number or a boolean
	members []member
	items   []value
}

type member struct {
	name string
	value
}

// parse parses arguments. It refuses what encoding/json would silently drop or replace: duplicate keys, invalid
// UTF-8, and half a surrogate pair.
func parse(args json.RawMessage) (value, error) {
	text := bytes.TrimSpace(args)
	if len(text) == 0 || string(text) == "null" {
		return value{kind: "object"}, nil
	}
	if int64(len(text)) > maxBytes {
		return value{}, badArguments(fmt.Sprintf("the arguments have %d bytes, and at most %d are allowed", len(text), int64(maxBytes)), "Split the call.")
	}
	if !utf8.Valid(text) {
		return value{}, badArguments("the arguments are not valid UTF-8", "Send JSON in UTF-8.")
	}
	if half := halfPair(text); half != "" {
		return value{}, badArguments("the arguments have half a surrogate pair: "+half, "Send the whole character, or its two escapes one after the other.")
	}
	p := jsonReader{dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	v, err := p.value(0)
	if err == nil {
		if _, after := p.dec.Token(); after != io.EOF {
			err = badArguments("something follows the arguments", "Send one JSON object.")
		}
	}
	return v, badJSON(err)
}

// badJSON words an error of the JSON parser.
func badJSON(err error) error {
	switch e := err.(type) {
	case nil, *fail.Error:
		return err
	case *json.SyntaxError:
		return badArguments(fmt.Sprintf("the arguments are not JSON: %v, at byte %d", e, e.Offset), "Send one JSON object.")
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return badArguments("the arguments are not JSON: they end too early", "Send one JSON object, whole.")
	}
	return badArguments("the arguments are not JSON: "+err.Error(), "Send one JSON object.")
}

func badArguments(msg, hint string) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: msg, Hint: hint}
}

type jsonReader struct {
	dec    *json.Decoder
	values int
}

func (p *jsonReader) value(depth int) (value, error) {
	if p.values++; p.values > maxValues {
		return value{}, badArguments(fmt.Sprintf("the arguments have over %d values", maxValues), "Split the call.")
	}
	if depth > maxDepth {
		return value{}, badArguments(fmt.Sprintf("the arguments are more than %d levels deep", maxDepth), "Send what the schema says.")
	}
	token, err := p.dec.Token()
	if err != nil {
		return value{}, err
	}
	switch t := token.(type) {
	case string:
		return value{kind: "string", text: t}, nil
	case json.Number:
		return value{kind: "number", text: t.String()}, nil
	case bool:
		return value{kind: "boolean", text: strconv.FormatBool(t)}, nil
	case json.Delim:
		if t == '[' {
			return p.list(depth)
		}
		return p.object(depth)
	}
	return value{kind: "null"}, nil
}

func (p *jsonReader) list(depth int) (value, error) {
	v := value{kind: "array"}
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
	}
	_, err := p.dec.Token()
	return v, err
}

func (p *jsonReader) object(depth int) (value, error) {
	v := value{kind: "object"}
	seen := map[string]bool{}
	for p.dec.More() {
		token, err := p.dec.Token()
		if err != nil {
			return v, err
		}
		name, _ := token.(string) // the decoder accepts only strings as keys
		if seen[name] {
			return v, badArguments("the arguments have "+fail.Quote(name)+" twice", "Send it once.")
		}
		seen[name] = true
		item, err := p.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.members = append(v.members, member{name, item})
	}
	_, err := p.dec.Token()
	return v, err
}

// get returns the member with that name.
func (v *value) get(name string) (*value, bool) {
	i := slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
	if i < 0 {
		return nil, false
	}
	return &v.members[i].value, true
}

// describe describes a value for a message.
func (v *value) describe() string {
	switch v.kind {
	case "string":
		return fail.Quote(v.text) + ", a string"
	case "number":
		return fail.Short(v.text) + ", a number"
	case "boolean":
		return v.text + ", a boolean"
	case "array":
		return fmt.Sprintf("a list of %d", len(v.items))
	case "object":
		return "an object"
	}
	return "null"
}

// plain returns v as encoding/json has it. Integers that were written as 5.0 or 5e0 become integers.
func (v *value) plain() any {
	switch v.kind {
	case "string":
		return v.text
	case "number":
		if n, ok := integer(v.text); ok {
			return n
		}
		return json.Number(v.text)
	case "boolean":
		return v.text == "true"
	case "array":
		out := make([]any, len(v.items))
		for i := range v.items {
			out[i] = v.items[i].plain()
		}
		return out
	case "object":
		out := map[string]any{}
		for i := range v.members {
			out[v.members[i].name] = v.members[i].plain()
		}
		return out
	}
	return nil
}

// integer parses a number without a fraction, in any notation.
func integer(text string) (int, bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != float64(int64(f)) || f > 1<<53 || f < -1<<53 || !strings.ContainsAny(text, ".eE") {
		return 0, false
	}
	return int(f), true
}

// halfPair returns the first escape in a JSON text that is half of a surrogate pair. The JSON package would replace
// it with U+FFFD.
func halfPair(text []byte) string {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 >= len(text) {
			return ""
		}
		text = text[i:]
		first := codeUnit(text)
		if first < 0xD800 || first > 0xDFFF {
			text = text[2:]
			continue
		}
		if second := codeUnit(text[6:]); first > 0xDBFF || second < 0xDC00 || second > 0xDFFF {
			return string(text[:6])
		}
		text = text[12:]
	}
}

// codeUnit returns the code unit of the \uXXXX at the beginning of text, or -1.
func codeUnit(text []byte) int64 {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return int64(n)
}
