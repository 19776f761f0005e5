// Package notebook changes cells of Jupyter notebooks (nbformat 4). All bytes of the file but those of the cell stay as they are, and
// what is written has the layout that the file has already.
package notebook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// Is reports whether a path is that of a notebook.
func Is(name string) bool { return strings.EqualFold(path.Ext(name), ".ipynb") }

// CheckEdit refuses an edit of a notebook's text after which it is no JSON any more.
func CheckEdit(name, before, after string) error {
	if !Is(name) || !json.Valid([]byte(before)) || json.Valid([]byte(after)) {
		return nil
	}
	var into any
	return &fail.Error{Kind: fail.CommandFailed, Path: name, Msg: "the notebook would be no JSON any more: " + plainError(json.Unmarshal([]byte(after), &into)),
		Hint: "Change its cells with ‹edit_cell›, or send text in which quotes, backslashes and line ends are escaped as in JSON."}
}

// file is a notebook with the places of its parts.
type file struct {
	text  string
	list  span // of the cells, with the brackets
	cells []cell
	minor int // of the format
}

// span is a range of bytes.
type span struct{ from, to int }

func (s span) of(text string) string { return text[s.from:s.to] }

// cell is one cell and the places of those of its fields that edits need.
type cell struct {
	span
	id, kind string
	fields   map[string]span // of the values
}

// parse finds the parts of a notebook.
func parse(data string) (*file, error) {
	f := &file{text: data}
	start := len(data) - len(strings.TrimPrefix(data, text.BOM))
	whole, err := object(data, span{start, len(data)})
	if err != nil {
		return nil, notNotebook(plainError(err))
	}
	var major int
	list, ok := whole["cells"]
	if !ok || json.Unmarshal([]byte(whole["nbformat"].of(data)), &major) != nil || major != 4 {
		return nil, notNotebook("it has no nbformat of 4, with cells")
	}
	json.Unmarshal([]byte(whole["nbformat_minor"].of(data)), &f.minor) //nolint:errcheck // 0 if there is none
	f.list = list
	elements, err := elements(data, list)
	if err != nil {
		return nil, notNotebook(plainError(err))
	}
	for n, e := range elements {
		fields, err := object(data, e)
		if err != nil {
			return nil, notNotebook(fmt.Sprintf("cell %d: %s", n, plainError(err)))
		}
		c := cell{span: e, fields: fields}
		json.Unmarshal([]byte(fields["id"].of(data)), &c.id)          //nolint:errcheck // "" if there is none
		json.Unmarshal([]byte(fields["cell_type"].of(data)), &c.kind) //nolint:errcheck // "" is no type
		f.cells = append(f.cells, c)
	}
	return f, nil
}

func notNotebook(why string) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Msg: "it is no notebook that can be edited by cells: " + why,
		Hint: "Read it, and change its text with ‹edit_file›."}
}

// plainError words an error of a parser.
func plainError(err error) string { return strings.TrimPrefix(err.Error(), "json: ") }

// scanner walks through JSON and knows where it is.
type scanner struct {
	text string
	from int
	dec  *json.Decoder
}

func scan(data string, at span) *scanner {
	part := at.of(data)
	return &scanner{part, at.from, json.NewDecoder(strings.NewReader(part))}
}

// open reads the bracket with which a list or an object begins.
func (s *scanner) open(bracket json.Delim) error {
	t, err := s.dec.Token()
	if err == nil && t != bracket {
		err = fmt.Errorf("%v stands where %v should", t, bracket)
	}
	return err
}

// value reads the next value and returns its place.
func (s *scanner) value() (span, error) {
	var raw json.RawMessage
	if err := s.dec.Decode(&raw); err != nil {
		return span{}, err
	}
	to := int(s.dec.InputOffset())
	return span{s.from + to - len(raw), s.from + to}, nil
}

// object returns the places of the values of an object. It refuses a key that comes twice, and what follows the object.
func object(data string, at span) (map[string]span, error) {
	s, out := scan(data, at), map[string]span{}
	if err := s.open('{'); err != nil {
		return nil, err
	}
	for s.dec.More() {
		key, err := s.dec.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%s comes twice", fail.Quote(name))
		}
		if out[name], err = s.value(); err != nil {
			return nil, err
		}
	}
	return out, s.end()
}

// elements returns the places of the elements of a list.
func elements(data string, at span) (out []span, err error) {
	s := scan(data, at)
	if err := s.open('['); err != nil {
		return nil, err
	}
	for s.dec.More() {
		e, err := s.value()
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, s.end()
}

// end reads the closing bracket. Nothing but white space may follow.
func (s *scanner) end() error {
	if _, err := s.dec.Token(); err != nil {
		return err
	}
	if rest := strings.TrimSpace(s.text[s.dec.InputOffset():]); rest != "" {
		return fmt.Errorf("there is more behind the end: %.20q", rest)
	}
	return nil
}

// encode returns a value as JSON, on one line, with text as it is.
func encode(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v) //nolint:errcheck // strings and lists of strings
	return strings.TrimSuffix(b.String(), "\n")
}

// valid reports whether a text can be the source of a cell.
func valid(source string) bool { return utf8.ValidString(source) }
