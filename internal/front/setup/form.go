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

// form is the language of a file, as the client that reads it takes it.
type form int

const (
	plainJSON     form = iota // JSON and nothing else
	commentedJSON             // with comments
	jsonC                     // with comments and trailing commas
	tomlForm
)

// member makes the setting of a value at a member.
func (f form) member(path []string, value any) setting {
	if f == tomlForm {
		return table{path, value.(map[string]any)}
	}
	return member{path, compact(value)}
}

// setting is one thing that is to stand in a text. Its methods return the text unchanged when there is nothing to do,
// and prove of every change that it changes nothing else.
type setting interface {
	put(text []byte) ([]byte, error)
	drop(text []byte) ([]byte, error)
	// now is the setting with what the text has in its place; false when the text has nothing of it.
	now(text []byte) (setting, bool)
}

const (
	mostBytes = 32 << 20
	mostDepth = 1000
)

// check refuses a text that the client could not read.
func (f form) check(text []byte) error {
	switch {
	case len(text) > mostBytes:
		return fmt.Errorf("it has over %d bytes", mostBytes)
	case !utf8.Valid(text):
		return errors.New("it is not UTF-8")
	case f == tomlForm:
		_, err := decodeTOML(text)
		return err
	case blank(text):
		return nil
	}
	v, err := parse(text)
	if err != nil {
		return err
	}
	if f == plainJSON && !v.IsStandard() {
		return errors.New("it has comments or trailing commas, and the client reads plain JSON only")
	}
	if f == commentedJSON && trailing(v) {
		return errors.New("it has a trailing comma, which the client does not read")
	}
	return nil
}

// trailing reports whether a list or an object ends in a comma.
func trailing(v *hujson.Value) bool {
	for at := range v.All() {
		if ps := parts(at); len(ps) > 0 && ps[len(ps)-1].comma >= 0 {
			return true
		}
	}
	return false
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

// parse reads JSON with comments. Offsets are those of text.
func parse(text []byte) (*hujson.Value, error) {
	if err := shallow(text); err != nil {
		return nil, err
	}
	// A comment in the last line needs no newline, except for the parser.
	v, err := hujson.Parse(append(bytes.Clone(text), '\n'))
	if err != nil {
		said, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), ": \"") // a string may be a key
		return nil, errors.New(said)
	}
	return &v, nil
}

// shallow refuses brackets that are deep enough to exhaust a parser that calls itself. It counts those in strings as well.
func shallow(text []byte) error {
	deep := 0
	for _, b := range text {
		switch b {
		case '{', '[':
			if deep++; deep > mostDepth {
				return fmt.Errorf("it is nested more than %d deep", mostDepth)
			}
		case '}', ']':
			deep = max(0, deep-1)
		}
	}
	return nil
}

// decode is what the text says.
func decode(text []byte) (any, error) {
	if blank(text) {
		return map[string]any{}, nil
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	v.Standardize()
	return decodePlain(v.Pack())
}

func decodePlain(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out any
	err := d.Decode(&out)
	return out, err
}

// compact is a value as JSON, as a person would write it.
func compact(value any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		panic(err) // every value is one of this package's
	}
	return bytes.TrimSpace(b.Bytes())
}
