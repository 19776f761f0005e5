package tool

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// editor makes one call of a text editor.
type editor struct {
	ws *emend.Workspace
	editorRequest
	style style
}

// style holds the differences between the text editor and the memory tool.
type style struct {
	root     string // the directory of the workspace that the paths are in
	maxBytes int    // that view shows of a file; 0 for the default of Read
	maxLines int    // of a file that view shows; 0 for any number
	header   string // above a file, with a %s for its path
	line     string // of a file: its number and its text
	replaced string // what str_replace says
	snippet  bool   // str_replace shows the lines around the change
}

var editorStyle = style{line: "%d: %s\n", replaced: "Successfully replaced text at exactly one location."}

var memoryStyle = style{root: "memories", maxBytes: 16_000, maxLines: 999_999, header: "Here's the content of %s with line numbers:\n", line: "%6d\t%s\n",
	replaced: "The memory file has been edited.", snippet: true}

// commandArguments are the arguments of each command, beside the command itself. Those that may be left out have a question mark.
var commandArguments = map[string][]string{
	"view": {"path", "view_range?"}, "create": {"path", "file_text"}, "str_replace": {"path", "old_str", "new_str?"},
	"insert": {"path", "insert_line", "insert_text"}, "delete": {"path"}, "rename": {"old_path", "new_path"},
}

// adaptEditor drops arguments that are null, accepts new_str for the text of an insert, as older versions of the tool have it, and
// refuses arguments of another command: what they were meant to do would not happen.
func adaptEditor(v *value) error {
	v.members = slices.DeleteFunc(v.members, func(m member) bool { return m.value.kind == "null" })
	command := v.word("command")
	wants, known := commandArguments[command]
	if !known {
		return nil // the schema says which there are
	}
	if _, ok := v.get("insert_text"); command == "insert" && !ok {
		for i := range v.members {
			if v.members[i].name == "new_str" {
				v.members[i].name = "insert_text"
			}
		}
	}
	for _, name := range wants {
		if _, ok := v.get(name); !ok && !strings.HasSuffix(name, "?") {
			return badArguments(fmt.Sprintf("%s is missing, which %s needs", name, command), "Send "+strings.TrimSuffix(strings.Join(wants, ", "), "?")+".")
		}
	}
	for i := range v.members {
		name := v.members[i].name
		if all := commandNames(); slices.Contains(all, name) && !slices.Contains(wants, name) && !slices.Contains(wants, name+"?") {
			return badArguments(fmt.Sprintf("%s is not an argument of %s", name, command), "Leave it out, or send the command that it belongs to.")
		}
	}
	return nil
}

// commandNames lists the arguments of all commands.
func commandNames() (out []string) {
	for _, wants := range commandArguments {
		for _, name := range wants {
			out = append(out, strings.TrimSuffix(name, "?"))
		}
	}
	return out
}

// word returns the text of an argument; "" if it is not there or no text.
func (v *value) word(name string) string {
	if m, ok := v.get(name); ok && m.kind == "string" {
		return m.text
	}
	return ""
}

// memory makes a call of the memory tool, whose paths begin with /memories.
func memory(ctx context.Context, ws *emend.Workspace, r memoryRequest) (api.Result, error) {
	e := editor{ws, editorRequest{r.Command, r.Path, r.ViewRange, r.FileText, r.OldStr, r.NewStr, r.InsertLine, r.InsertText}, memoryStyle}
	for _, p := range []string{r.Path, r.OldPath, r.NewPath} {
		if p != "" {
			if err := checkMemoryPath(p, r.Command); err != nil {
				return nil, err
			}
		}
	}
	switch r.Command {
	case "delete":
		a, err := ws.Delete(ctx, api.DeleteRequest{Path: e.file(r.Path), Recursive: true})
		return edited(a, err, "Successfully deleted "+r.Path)
	case "rename":
		a, err := ws.Move(ctx, api.MoveRequest{FromPath: e.file(r.OldPath), ToPath: e.file(r.NewPath), CreateParentDirectories: true, Plain: true, Recursive: true})
		return edited(a, err, fmt.Sprintf("Successfully renamed %s to %s", r.OldPath, r.NewPath))
	}
	return e.do(ctx)
}

// checkMemoryPath refuses a path that is not below /memories. "/memories" itself can be viewed.
func checkMemoryPath(p, command string) error {
	names := strings.Split(strings.TrimRight(p, "/"), "/")
	switch {
	case len(names) < 2 || names[0] != "" || names[1] != "memories":
		return badArguments("the path "+report.OneLine(p)+" does not begin with /memories", "Send a path below /memories.")
	case slices.Contains(names, "..") || slices.Contains(names, "."):
		return badArguments("the path "+report.OneLine(p)+" leads through . or ..", "Send a path below /memories.")
	case len(names) == 2 && command != "view":
		return badArguments(command+" does not work on /memories itself", "Name a file in it.")
	}
	return nil
}

// file returns the path of the workspace for a path of the caller.
func (e editor) file(p string) string {
	if e.style.root == "" {
		return p
	}
	return strings.TrimRight(p, "/")[1:] // /memories is the directory memories
}

// do makes the call.
func (e editor) do(ctx context.Context) (api.Result, error) {
	p := e.file(e.Path)
	switch e.Command {
	case "create":
		a, err := e.ws.Create(ctx, api.CreateRequest{Path: p, Content: *e.FileText, CreateParentDirectories: true})
		return edited(a, err, "File created successfully at: "+e.Path)
	case "str_replace":
		return e.replace(ctx, p)
	case "insert":
		a, err := e.ws.Host().Insert(ctx, api.InsertRequest{Path: p, After: *e.InsertLine, Text: *e.InsertText})
		return edited(a, err, "The file "+e.Path+" has been edited.")
	}
	return e.view(ctx, p)
}

func (e editor) replace(ctx context.Context, p string) (api.Result, error) {
	edit := api.TextEdit{OldText: *e.OldStr}
	if e.NewStr != nil {
		edit.NewText = *e.NewStr
	}
	switch edit.OldText {
	case "":
		return nil, badArguments("old_str is empty", "Send the text to replace; insert and create add text.")
	case edit.NewText:
		return nil, badArguments("old_str and new_str are the same, so that nothing would change", "Send the text that takes the place of old_str.")
	}
	a, err := e.ws.Edit(ctx, api.EditRequest{Path: p, Plain: true, Edits: []api.TextEdit{edit}})
	if err != nil {
		return nil, err
	}
	says := e.style.replaced
	if e.style.snippet {
		says += snippet(a.Data.Diff, e.style.line)
	}
	return edited(a, nil, says)
}

// edited is the result of a change: says, and what else is to be known.
func edited[T any](a *api.Answer[T], err error, says string) (api.Result, error) {
	if err != nil {
		return nil, err
	}
	out := &report.TextResult{Ok: true, Output: report.Escape(says)}
	if o, ok := a.Result().(*report.Object); ok {
		out.Meta = o.Meta
	}
	for _, n := range a.Notes {
		out.Output += "\nNote: " + report.Escape(n)
	}
	return out, nil
}

// snippet returns the new lines of a diff and those around them, with their numbers.
func snippet(diff, line string) string {
	var out strings.Builder
	n := 0
	for l := range strings.Lines(diff) {
		l = strings.TrimSuffix(l, "\n")
		var a, b int
		switch {
		case strings.HasPrefix(l, "@@"):
			fmt.Sscanf(l, "@@ -%d,%d +%d", &a, &b, &n)
			if n == 0 {
				fmt.Sscanf(l, "@@ -%d +%d", &a, &n)
			}
		case n > 0 && (strings.HasPrefix(l, " ") || strings.HasPrefix(l, "+")):
			fmt.Fprintf(&out, line, n, l[1:])
			n++
		}
	}
	return strings.TrimSuffix("\n"+out.String(), "\n")
}

// view shows a file or a directory.
func (e editor) view(ctx context.Context, p string) (api.Result, error) {
	first, last, err := e.viewRange()
	if err != nil {
		return nil, err
	}
	a, err := e.ws.Read(ctx, api.ReadRequest{Path: p, StartLine: first, EndLine: last, MaxBytes: e.style.maxBytes})
	if err == nil {
		return e.viewFile(&a.Data, a.Notes)
	}
	list, notList := e.ws.List(ctx, api.ListRequest{Path: p, Recursive: true, MaxDepth: 2})
	switch {
	case notList != nil && p == e.style.root && p != "" && errors.Is(notList, errNotFound):
		return &report.TextResult{Ok: true, Output: e.listing(&api.ListData{})}, nil // nothing was kept so far
	case notList != nil:
		return nil, err
	case first > 0:
		return nil, badArguments("view_range is for files, and "+report.OneLine(e.Path)+" is a directory", "Leave view_range out.")
	}
	return &report.TextResult{Ok: true, Output: e.listing(&list.Data)}, nil
}

// viewRange returns the lines that are asked for; 0 for the beginning and for the end.
func (e editor) viewRange() (first, last int, err error) {
	switch r := e.ViewRange; {
	case len(r) == 0:
		return 0, 0, nil
	case len(r) != 2 || r[0] < 1 || r[1] != -1 && r[1] < r[0]:
		return 0, 0, badArguments(fmt.Sprintf("view_range is %v", r), "Send the first line, from 1, and the last; -1 is the end of the file.")
	case r[1] == -1:
		return r[0], 0, nil
	default:
		return r[0], r[1], nil
	}
}

// viewFile shows lines with their numbers, and says where it had to stop.
func (e editor) viewFile(d *api.ReadData, notes []string) (api.Result, error) {
	switch {
	case e.style.maxLines > 0 && d.LineCount > e.style.maxLines:
		return &report.TextResult{Output: fmt.Sprintf("File %s exceeds maximum line limit of 999,999 lines.", e.Path)}, nil
	case len(e.ViewRange) > 0 && e.ViewRange[0] > max(d.LineCount, 1):
		return nil, badArguments(fmt.Sprintf("view_range begins at line %d, and the file has %d", e.ViewRange[0], d.LineCount), "Send a line of the file.")
	}
	var out strings.Builder
	if e.style.header != "" {
		fmt.Fprintf(&out, e.style.header, e.Path)
	}
	n, content := d.StartLine, d.Content
	if i := strings.LastIndexByte(content, '\n'); d.Truncated && i >= 0 {
		content = content[:i+1] // whole lines
	}
	for l := range strings.Lines(content) {
		fmt.Fprintf(&out, e.style.line, n, strings.TrimSuffix(l, "\n"))
		n++
	}
	switch {
	case d.Truncated && n == d.StartLine+1 && !strings.HasSuffix(content, "\n"):
		fmt.Fprintf(&out, "Note: line %d of %d is longer than this.\n", d.StartLine, d.LineCount)
	case d.Truncated:
		fmt.Fprintf(&out, "Note: cut here; send view_range [%d, -1] for the rest of the %d lines.\n", n, d.LineCount)
	}
	if d.Encoding == "utf-8-invalid" {
		notes = append(notes, "the file is not UTF-8: U+FFFD stands for bytes that an edit elsewhere keeps.")
	}
	for _, note := range notes {
		out.WriteString("Note: " + note + "\n")
	}
	return &report.TextResult{Ok: true, Output: strings.TrimSuffix(out.String(), "\n")}, nil
}

// listing shows a directory and what is in it, two levels deep. Only files have a size.
func (e editor) listing(d *api.ListData) string {
	top := strings.TrimRight(e.Path, "/")
	var lines []string
	for _, f := range d.Entries {
		size := "-"
		if f.Type == "file" {
			size = humanSize(f.Size)
		}
		lines = append(lines, size+"\t"+report.OneLine(path.Join(top, strings.TrimPrefix(f.RelativePath, d.Path+"/"))))
	}
	slices.SortFunc(lines, func(a, b string) int {
		return strings.Compare(a[strings.IndexByte(a, '\t'):], b[strings.IndexByte(b, '\t'):])
	})
	out := fmt.Sprintf("Here're the files and directories up to 2 levels deep in %s, excluding hidden items and node_modules:\n-\t%s", top, top)
	if len(lines) > 0 {
		out += "\n" + strings.Join(lines, "\n")
	}
	if d.Truncated {
		out += "\nNote: there are more; view a directory in it."
	}
	return out
}

// humanSize words a size as du -h does.
func humanSize(n int64) string {
	f, unit := float64(n), 0
	for ; f >= 1024 && unit < 4; unit++ {
		f /= 1024
	}
	if unit == 0 {
		return fmt.Sprintf("%dB", n)
	}
	return fmt.Sprintf("%.1f%c", f, " KMGT"[unit])
}
