package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// format is the language of a settings file, as the client parses it.
type format int

const (
	plainJSON     format = iota // strict JSON
	commentedJSON               // with comments
	jsonC                       // with comments and trailing commas
	tomlForm
	script // a program, of which setup writes all or nothing
)

// setting returns the setting of a value at a path.
func (f format) setting(path []string, value any) setting {
	if f == tomlForm {
		return tomlTable{path, value.(map[string]any)}
	}
	return jsonMember{path, marshal(value)}
}

const (
	maxBytes = 32 << 20
	maxDepth = 1000
)

// check refuses a text that the client could not read.
func (f format) check(text []byte) error {
	switch {
	case len(text) > maxBytes:
		return fmt.Errorf("it has over %d bytes", maxBytes)
	case !utf8.Valid(text):
		return errors.New("it is not UTF-8")
	case f == tomlForm:
		_, err := decodeTOML(text)
		return err
	case f == script:
		return nil
	case blank(text):
		return nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return err
	}
	if f == plainJSON && !v.IsStandard() {
		return errors.New("it has comments or trailing commas, and the client reads plain JSON only")
	}
	if f == commentedJSON && hasTrailingComma(v) {
		return errors.New("it has a trailing comma, which the client does not read")
	}
	return nil
}

// hasTrailingComma reports whether any list or object ends in a comma.
func hasTrailingComma(v *hujson.Value) bool {
	for at := range v.All() {
		if ps := parts(at); len(ps) > 0 && ps[len(ps)-1].comma >= 0 {
			return true
		}
	}
	return false
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// parseJSON reads JSON with comments. The offsets in the result are those of text.
func parseJSON(text []byte) (*hujson.Value, error) {
	if err := checkDepth(text); err != nil {
		return nil, err
	}
	// The parser needs a newline after a comment in the last line.
	v, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": \"") // the quoted string may be a secret
		return nil, errors.New(said)
	}
	return &v, nil
}

// checkDepth refuses nesting that would exhaust a recursive parser. It counts brackets in strings as well.
func checkDepth(text []byte) error {
	depth := 0
	for _, b := range text {
		switch b {
		case '{', '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("it is nested more than %d deep", maxDepth)
			}
		case '}', ']':
			depth = max(0, depth-1)
		}
	}
	return nil
}

// decodeJSON returns the value of a text.
func decodeJSON(text []byte) (any, error) {
	if blank(text) {
		return map[string]any{}, nil
	}
	v, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	v.Standardize()
	return decodePlainJSON(v.Pack())
}

func decodePlainJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out any
	err := d.Decode(&out)
	return out, err
}

// marshal returns a value as JSON, without escaping <, > and &.
func marshal(value any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // every value is one of this package's
	}
	return bytes.TrimSpace(b.Bytes())
}
