package web

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// confirmPage is a call before a person makes it: what it would do, or what is in its way.
type confirmPage struct {
	Tool   string
	Title  string
	Button string     // what the button is called
	Said   string     // what would happen, in words
	Notes  []string   // what a person should know of it
	Files  []dryFile  // what would become of files
	Facts  []fact     // what is known of the thing that it is about
	Going  []goingRow // what leaves for good
	More   int        // how much more
	Empty  string     // why there is nothing to do
	Before *inTheWay  // what the engine said when the person had it done
	InWay  *inTheWay  // what is in the way now
	Help   []link     // what can be done instead
	Open   *openField // what the person can fill in
	Shown  string     // what the dry run would do, by its hash: what differs from it when the form comes back is not done
	Form   *confirmForm
	Cancel string // the way back
}

// confirmForm has exactly the call that is shown, done.
type confirmForm struct {
	Action, Seal, Next string
	Fields             []confirmField
}

type confirmField struct{ Name, Value string }

type openField struct {
	Name, Label, Hint string
	Required          bool
}

type fact struct{ Name, Text, To string }

// goingRow is something that leaves for good.
type goingRow struct {
	What []link
	By   string
	Size string
}

// deedPage is how a tool is shown before it is called.
type deedPage struct {
	title, button string
	takes         []string // the arguments that an address may have
	look          func(*request, *confirmPage, url.Values) error
}

// deeds are the tools that a page asks about first.
var deeds = map[string]deedPage{
	"undo":         {"Undo", "Undo", []string{"entry", "sessionId"}, (*request).lookUndo},
	"restore_file": {"Restore a file", "Restore", []string{"trashedPath", "targetPath"}, (*request).lookRestore},
	"put_back":     {"Put a version back", "Put back", []string{"path", "version"}, (*request).lookPutBack},
	"clear_trash":  {"Clear the trash", "Clear for good", []string{"ids", "before"}, (*request).lookClear},
	"purge":        {"Forget contents", "Forget for good", []string{"entries", "path", "sessionId"}, (*request).lookPurge},
	"recover":      {"Recover", "Recover", nil, (*request).lookRecover},
}

func (r *request) confirm() (page, error) {
	name := r.PathValue("tool")
	d, ok := deeds[name]
	if !ok {
		return page{}, &emend.Error{Kind: emend.NotFound, Msg: "nothing of this name can be done here", Hint: "Go back, and take what the page offers."}
	}
	q := r.URL.Query()
	args := url.Values{}
	for _, field := range d.takes {
		if q.Has(field) {
			args[field] = q[field]
		}
	}
	p := &confirmPage{Tool: name, Title: d.title, Button: d.button, Cancel: r.space.Page()}
	p.Before = r.inTheWay(r.refused)
	if err := d.look(r, p, args); err != nil {
		return page{}, err
	}
	r.complete(p, args)
	return page{Name: "confirm", Title: p.Title, Data: p}, nil
}

// complete gives the page its form, if there is something to do and nothing in its way.
func (r *request) complete(p *confirmPage, args url.Values) {
	if p.InWay == nil {
		p.InWay = r.unsendable(args)
	}
	if p.Empty != "" || p.InWay != nil && p.Open == nil || r.site.ReadOnly {
		return
	}
	var open []string
	if p.Open != nil {
		open = []string{p.Open.Name}
		args.Del(p.Open.Name)
	}
	if p.Shown != "" {
		args.Set(shownField, p.Shown)
	}
	f := &confirmForm{Action: r.space.Page("do", p.Tool), Seal: r.seal(p.Tool, args, open...), Next: r.nextOf(p, args)}
	for name, values := range args {
		for _, v := range values {
			f.Fields = append(f.Fields, confirmField{name, v})
		}
	}
	slices.SortStableFunc(f.Fields, func(a, b confirmField) int { return strings.Compare(a.Name, b.Name) })
	p.Form = f
}

// unsendable refuses what a browser would not send back as it is.
func (r *request) unsendable(args url.Values) *inTheWay {
	for _, values := range args {
		for _, v := range values {
			if !utf8.ValidString(v) || strings.Contains(v, "\r") {
				return r.inTheWayOf(&emend.Error{Kind: emend.CommandFailed, Msg: fmt.Sprintf("%q cannot be sent from a page: it is no text of whole lines", v),
					Hint: "Do it on the command line, with emend call."})
			}
		}
	}
	return nil
}

// nextOf is where the result is seen, when it is no new change.
func (r *request) nextOf(p *confirmPage, args url.Values) string {
	switch p.Tool {
	case "clear_trash":
		return r.space.With("trash", "done", p.Tool)
	case "recover":
		return r.space.With("health", "done", p.Tool)
	case "purge":
		return p.Cancel
	}
	return ""
}

// dry makes the call as a dry run, which changes nothing: also where nothing may be changed it can be looked at.
func (r *request) dry(name string, args url.Values) (*report.Object, error) {
	asked := maps.Clone(args)
	asked.Set("dryRun", "true")
	t, _ := tool.People.Named(name)
	text, err := arguments(t.Input(), asked)
	if err != nil {
		return nil, err
	}
	res := tool.Options{Profile: tool.People}.Call(r.person(), r.space.Workspace, name, text)
	o, ok := res.(*report.Object)
	if !ok {
		return nil, &emend.Error{Kind: emend.Unknown, Msg: "the dry run has no words", Hint: "This is a defect in emend."}
	}
	return o, nil
}
