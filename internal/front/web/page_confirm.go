package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// confirmPage is the data of the page that shows what a call would do, or what stops it, before the person makes it.
type confirmPage struct {
	Tool      string
	Title     string
	Button    string        // its label
	Summary   string        // what would happen
	Notes     []string      // what else to know
	Files     []previewFile // the files that would change
	Facts     []fact        // about the change, version or file that the call names
	Removed   []removedItem // what would be removed for good
	Omitted   int           // how many more files or items there are
	Empty     string        // why the call would do nothing
	Refused   *obstacles    // why the call was refused when the person made it
	Obstacles *obstacles    // what stops it now
	Stays     *obstacles    // what an undo leaves, as the person asked
	Help      []link        // what to do instead
	Skip      string        // the undo of all that does not conflict, as TOOL?ARGUMENTS; "" for none
	Input     *inputField   // a field to fill in
	Effect    string        // the hash of what the dry run would do; the form is refused if that is no longer the same
	Form      *confirmForm
	Cancel    string // the page to go back to
}

// confirmForm holds exactly the call that is shown.
type confirmForm struct {
	Action, Seal, Next string
	Fields             []hiddenField
}

type hiddenField struct{ Name, Value string }

type inputField struct {
	Name, Label, Hint string
	Required          bool
}

type fact struct{ Name, Text, To string }

// removedItem is something that would be removed for good.
type removedItem struct {
	What []link
	By   string
	Size string
}

// preview describes the page of a tool.
type preview struct {
	title, button string
	arguments     []string // those that an address may set
	fill          func(*request, *confirmPage, url.Values) error
}

// previews are the tools whose effect is shown before they are called.
var previews = map[string]preview{
	"undo":         {"Undo", "Undo", []string{"entry", "sessionId"}, (*request).previewUndo},
	"undo_turn":    {"Undo a turn", "Undo the turn", []string{"sessionId", "turn", "skipConflicts"}, (*request).previewUndoTurn},
	"undo_pieces":  {"Undo a piece", "Undo", []string{"entry", "path", "hunks", "select", "skipConflicts"}, (*request).previewUndoPieces},
	"restore_file": {"Restore a file", "Restore", []string{"trashedPath", "targetPath"}, (*request).previewRestore},
	"put_back":     {"Restore a version", "Restore", []string{"path", "version"}, (*request).previewPutBack},
	"clear_trash":  {"Empty trash", "Delete permanently", []string{"ids", "before"}, (*request).previewClear},
	"purge":        {"Purge history", "Purge permanently", []string{"entries", "path", "sessionId"}, (*request).previewPurge},
	"recover":      {"Recover", "Recover", nil, (*request).previewRecover},
}

func (r *request) confirm() (page, error) {
	name := r.PathValue("tool")
	d, ok := previews[name]
	if !ok {
		return page{}, &fail.Error{Kind: fail.NotFound, Msg: "no such action", Hint: "Go back to the page that you came from."}
	}
	q := r.URL.Query()
	args := url.Values{}
	for _, field := range d.arguments {
		if q.Has(field) {
			args[field] = q[field]
		}
	}
	p := &confirmPage{Tool: name, Title: d.title, Button: d.button, Cancel: r.ws.Page()}
	p.Refused = r.obstaclesOf(r.refusal)
	if err := d.fill(r, p, args); err != nil {
		return page{}, err
	}
	r.addConfirmForm(p, args)
	return page{Name: "confirm", Title: p.Title, Data: p}, nil
}

// addConfirmForm adds the form, if there is something to do and nothing stops it.
func (r *request) addConfirmForm(p *confirmPage, args url.Values) {
	if p.Obstacles == nil {
		p.Obstacles = r.unsendableArgument(args)
	}
	if p.Empty != "" || p.Obstacles != nil && p.Input == nil || r.site.ReadOnly {
		return
	}
	var open []string
	if p.Input != nil {
		open = []string{p.Input.Name}
		args.Del(p.Input.Name)
	}
	if p.Effect != "" {
		args.Set(confirmedField, p.Effect)
	}
	f := &confirmForm{Action: r.ws.Page("do", p.Tool), Seal: r.seal(p.Tool, args, open...), Next: r.doneAddress(p, args)}
	for name, values := range args {
		for _, v := range values {
			f.Fields = append(f.Fields, hiddenField{name, v})
		}
	}
	slices.SortStableFunc(f.Fields, func(a, b hiddenField) int { return strings.Compare(a.Name, b.Name) })
	p.Form = f
}

// unsendableArgument refuses arguments that a browser would change when it sends them.
func (r *request) unsendableArgument(args url.Values) *obstacles {
	for _, values := range args {
		for _, v := range values {
			if !utf8.ValidString(v) || strings.Contains(v, "\r") {
				return r.obstaclesOfError(&fail.Error{Kind: fail.CommandFailed, Msg: fmt.Sprintf("%q cannot be sent from a page: it is no text of whole lines", v),
					Hint: "Do it on the command line, with emend call."})
			}
		}
	}
	return nil
}

// doneAddress returns the page that shows the result, or "" if that is the page of the new change.
func (r *request) doneAddress(p *confirmPage, args url.Values) string {
	switch p.Tool {
	case "clear_trash":
		return r.ws.With("trash", "done", p.Tool)
	case "recover":
		return r.ws.With("health", "done", p.Tool)
	case "purge":
		return p.Cancel
	}
	return ""
}

// dryRun makes the call as a dry run, on read-only sites too.
func (r *request) dryRun(name string, args url.Values) (*report.Object, error) {
	asked := maps.Clone(args)
	asked.Set("dryRun", "true")
	t, _ := tool.People.Named(name)
	text, err := toolArguments(t.Input(), asked)
	if err != nil {
		return nil, err
	}
	res := tool.Options{Profile: tool.People}.Call(r.personContext(), r.ws.Workspace, name, text)
	o, ok := res.(*report.Object)
	if !ok {
		return nil, &fail.Error{Kind: fail.Unknown, Msg: "the dry run has no words", Hint: "This is a defect in emend."}
	}
	return o, nil
}
