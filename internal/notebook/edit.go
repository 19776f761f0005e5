package notebook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/text"
)

// The actions of an edit.
const (
	Replace = "replace" // the source of a cell
	Insert  = "insert"  // a cell below another one, or at the top
	Delete  = "delete"  // a cell
)

// Edit changes one cell.
type Edit struct {
	Action   string  // "" stands for Replace
	Cell     string  // its id, or its number from 0
	Source   *string // nil for none, which a new cell may have
	CellType string  // of a cell that is inserted: code ("" too), markdown or raw
}

// Done says which cell was changed: its number afterwards, or before if it was deleted.
type Done struct {
	Index        int
	ID, CellType string
}

// Run makes an edit and returns the new text.
func Run(before string, e Edit) (after string, done Done, err error) {
	if e.Source != nil && !valid(*e.Source) {
		return "", done, bad("the source is not UTF-8", "Send it as text.")
	}
	f, err := parse(before)
	if err != nil {
		return "", done, err
	}
	n, ferr := f.find(e)
	if ferr != nil {
		return "", done, ferr
	}
	switch e.Action {
	case Replace, "":
		if e.Source == nil {
			return "", done, bad("the source is missing", "Send the new source. To remove the cell, send the action delete.")
		}
		after, ferr = f.replace(n, e)
	case Insert:
		after, ferr = f.insert(n+1, e)
		n++
	case Delete:
		after = f.delete(n)
		c := f.cells[n]
		return after, Done{n, c.id, c.kind}, nil
	default:
		ferr = bad(fail.Quote(e.Action)+" is no action", "Use one of replace, insert, delete.")
	}
	if ferr != nil {
		return "", done, ferr
	}
	if f, err = parse(after); err != nil {
		return "", done, &fail.Error{Kind: fail.Unknown, Msg: "the notebook could not be read after the edit", Cause: err, Hint: "This is a defect in emend."}
	}
	return after, Done{n, f.cells[n].id, f.cells[n].kind}, nil
}

func bad(msg, hint string) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Msg: msg, Hint: hint}
}

// find returns the number of the cell that an edit names; -1 for an insertion at the top.
func (f *file) find(e Edit) (int, *fail.Error) {
	if e.Cell == "" && e.Action == Insert {
		return -1, nil
	}
	if e.Cell == "" {
		return 0, bad("no cell is named", "Send its id, or its number, from 0, as cell.")
	}
	var found []string
	at := -1
	for n, c := range f.cells {
		if c.id == e.Cell || strconv.Itoa(n) == e.Cell {
			at, found = n, append(found, fmt.Sprintf("%d (id %s)", n, fail.Quote(c.id)))
		}
	}
	switch len(found) {
	case 1:
		return at, nil
	case 0:
		return 0, &fail.Error{Kind: fail.OldTextNotFound, Msg: fmt.Sprintf("no cell has the id or the number %s; there are %d cells", fail.Quote(e.Cell), len(f.cells)),
			Hint: "Read the notebook again. The first cell has the number 0."}
	}
	return 0, &fail.Error{Kind: fail.MultipleMatches, Msg: fmt.Sprintf("%s names more than one cell: %s", fail.Quote(e.Cell), strings.Join(found, ", ")),
		Hint: "Name it by its other name."}
}

// replace replaces the source of a cell. The outputs of a code cell were those of another source, and go.
func (f *file) replace(n int, e Edit) (string, *fail.Error) {
	c := f.cells[n]
	source, ok := c.fields["source"]
	if !ok {
		return "", notNotebook(fmt.Sprintf("cell %d has no source", n))
	}
	if e.CellType != "" && e.CellType != c.kind {
		return "", bad(fmt.Sprintf("cell %d is a %s cell", n, c.kind), "To have a cell of another type, delete this one and insert one.")
	}
	changes := []change{{source, f.source(source, *e.Source)}}
	if c.kind == "code" {
		for name, empty := range map[string]string{"outputs": "[]", "execution_count": "null"} {
			if at, ok := c.fields[name]; ok {
				changes = append(changes, change{at, empty})
			}
		}
	}
	return f.write(changes), nil
}

// change replaces a range of the text.
type change struct {
	span
	with string
}

func (f *file) write(changes []change) string {
	slices.SortFunc(changes, func(a, b change) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for _, c := range changes {
		out.WriteString(f.text[at:c.from])
		out.WriteString(c.with)
		at = c.to
	}
	out.WriteString(f.text[at:])
	return out.String()
}

// source returns a source as the value that replaces the one at a place: a string for a string, else a list of lines.
func (f *file) source(at span, source string) string {
	if strings.HasPrefix(at.of(f.text), `"`) {
		return encode(source)
	}
	return list(lines(source), f.indentBefore(at.from), f.step())
}

// lines splits a source into lines, each with its newline.
func lines(source string) (out []string) {
	for line := range strings.Lines(strings.ReplaceAll(source, text.CRLF, text.LF)) {
		out = append(out, encode(line))
	}
	return out
}

// list returns a list of values, one on a line below a key with that indentation; on one line if indent is none.
func list(values []string, indent, step string) string {
	if len(values) == 0 {
		return "[]"
	}
	if step == "" {
		return "[" + strings.Join(values, ", ") + "]"
	}
	inner := indent + step
	return "[" + inner + strings.Join(values, ","+inner) + indent + "]"
}

// indentBefore returns the line end and the white space with which the line of a byte begins; "" if the notebook is all on one line.
func (f *file) indentBefore(at int) string {
	line := strings.LastIndexByte(f.text[:at], '\n')
	if line < 0 {
		return ""
	}
	end := line + 1
	for end < at && (f.text[end] == ' ' || f.text[end] == '\t') {
		end++
	}
	if line > 0 && f.text[line-1] == '\r' {
		line--
	}
	return f.text[line:end]
}

// step returns what each level of the notebook is indented by: the indentation of its first key.
func (f *file) step() string {
	return strings.TrimLeft(f.indentBefore(f.list.from), "\r\n")
}

// delete removes a cell, and the comma between it and the one beside it.
func (f *file) delete(n int) string {
	switch {
	case len(f.cells) == 1:
		return f.write([]change{{f.list, "[]"}})
	case n == 0:
		return f.write([]change{{span{f.cells[0].from, f.cells[1].from}, ""}})
	}
	return f.write([]change{{span{f.cells[n-1].to, f.cells[n].to}, ""}})
}

// insert inserts a cell as the nth.
func (f *file) insert(n int, e Edit) (string, *fail.Error) {
	kind := e.CellType
	if kind == "" {
		kind = "code"
	}
	if !slices.Contains([]string{"code", "markdown", "raw"}, kind) {
		return "", bad(fail.Quote(kind)+" is no type of a cell", "Use one of code, markdown, raw.")
	}
	step := f.step()
	indent := ""
	if step != "" {
		indent = f.indentBefore(f.list.from) + step
		if len(f.cells) > 0 {
			indent = f.indentBefore(f.cells[0].from)
		}
	}
	source := ""
	if e.Source != nil {
		source = *e.Source
	}
	made := f.newCell(kind, source, indent, step)
	separator := "," + indent
	if step == "" {
		separator = ", "
	}
	switch {
	case len(f.cells) == 0 && step == "":
		return f.write([]change{{f.list, "[" + made + "]"}}), nil
	case len(f.cells) == 0:
		return f.write([]change{{f.list, "[" + indent + made + f.indentBefore(f.list.from) + "]"}}), nil
	case n == 0:
		at := f.cells[0].from
		return f.write([]change{{span{at, at}, made + separator}}), nil
	}
	at := f.cells[n-1].to
	return f.write([]change{{span{at, at}, separator + made}}), nil
}

// newCell returns a cell as Jupyter writes it, with an id where the format has ids.
func (f *file) newCell(kind, source, indent, step string) string {
	inner := ""
	if step != "" {
		inner = indent + step
	}
	members := []string{`"cell_type": ` + encode(kind)}
	if kind == "code" {
		members = append(members, `"execution_count": null`)
	}
	if f.minor >= 5 {
		members = append(members, `"id": `+encode(f.newID(source)))
	}
	members = append(members, `"metadata": {}`)
	if kind == "code" {
		members = append(members, `"outputs": []`)
	}
	members = append(members, `"source": `+list(lines(source), inner, step))
	if step == "" {
		return "{" + strings.Join(members, ", ") + "}"
	}
	return "{" + inner + strings.Join(members, ","+inner) + indent + "}"
}

// newID returns an id that no cell has. The same edit of the same notebook gives the same id.
func (f *file) newID(source string) string {
	for n := 0; ; n++ {
		id := text.Sum(fmt.Sprintf("%d %s\x00%s", n, source, f.text))[:8]
		if !slices.ContainsFunc(f.cells, func(c cell) bool { return c.id == id }) {
			return id
		}
	}
}
