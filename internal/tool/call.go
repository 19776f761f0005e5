package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/report"
)

// Call calls the tool of a name with arguments as JSON. Whatever happens comes back as a result: arguments that do not fit
// are named one by one, and a panic is a defect that is told as such. What a tool that changes files refuses is noted in
// the log. Who asks is said by [emend.As], but for the tool.
func Call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) emend.Result {
	return Options{}.Call(ctx, ws, name, args)
}

// Call is [Call] as the options say. Where there are several workspaces, the arguments name one of them and ws is none.
func (o Options) Call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) (result emend.Result) {
	defer func() {
		if p := recover(); p != nil {
			result = o.refusal(fmt.Errorf("%s failed: %v", name, p))
		}
	}()
	p := o.profile()
	t, ok := p.Named(name)
	if !ok {
		return o.refusal(p.unknownTool(name))
	}
	if p.LeaveOut != nil {
		ctx = emend.LeavingOut(ctx, p.LeaveOut...)
	}
	ctx = emend.As(ctx, emend.Actor{Tool: name})
	if o.ReadOnly && t.Mutates {
		return o.refusal(&fail.Error{Kind: fail.PermissionDenied, Msg: name + " changes files, and only reading is allowed here",
			Hint: "A person has to start it without --read-only."})
	}
	v, err := o.arguments(t, args)
	ws = o.workspace(ws, &v)
	if err != nil {
		return o.refusedCall(ctx, t, ws, &v, err)
	}
	return o.run(ctx, t, ws, &v, args)
}

// arguments reads the arguments of a call, and says what does not fit.
func (o Options) arguments(t *Tool, args json.RawMessage) (value, error) {
	v, err := parse(args)
	if err == nil && t.adapt != nil {
		err = t.adapt(&v)
	}
	if err == nil {
		err = o.forWorkspaces(t).check(v)
	}
	if err == nil {
		err = o.checkHash(t, &v)
	}
	return v, err
}

// run makes the call with arguments that fit.
func (o Options) run(ctx context.Context, t *Tool, ws *emend.Workspace, v *value, args json.RawMessage) emend.Result {
	if t.adapt != nil || needsExactJSON(v) {
		exact, err := json.Marshal(v.plain())
		if err != nil {
			return o.refusal(err)
		}
		args = exact
	}
	r, err := t.call(ctx, ws, o, args)
	if err != nil {
		return o.refusedCall(ctx, t, ws, v, err)
	}
	return r
}

// loose reports whether v has what the schema allows and Go's own decoder does not take: integers with a fraction of
// zero, or nothing at all where an object is due.
func needsExactJSON(v *value) bool {
	if v.kind == "object" && len(v.members) == 0 {
		return true
	}
	for i := range v.members {
		if needsExactJSON(&v.members[i].value) {
			return true
		}
	}
	for i := range v.items {
		if needsExactJSON(&v.items[i]) {
			return true
		}
	}
	return v.kind == "number" && strings.ContainsAny(v.text, ".eE")
}

// refused words an error in the shape of the profile. One that the workspace has not seen is noted in its log, if the tool
// changes files.
func (o Options) refusedCall(ctx context.Context, t *Tool, ws *emend.Workspace, v *value, err error) emend.Result {
	d := o.profile().dialect()
	if r, seen := errors.AsType[*emend.Refusal](err); seen {
		return r.In(d.Name).Result()
	}
	if d.Words.Shape != dialect.Object {
		err = joinErrors(err)
	}
	if t.Mutates && ws != nil {
		return ws.Refused(ctx, t.Name, t.Op, v.namedPaths(), err).In(d.Name).Result()
	}
	return report.New(report.View{Dialect: d, ReadOnly: !t.Mutates}, nil, err)
}

// folded is several errors as one, with the next steps: a result that is words, or has one word for an error, has no other
// place for them.
func joinErrors(err error) error {
	var all []string
	list := fail.All(err)
	for _, e := range list {
		all = append(all, strings.TrimSuffix(e.Msg+". "+e.Hint, ". "))
	}
	first := *list[0]
	first.Msg, first.Hint = strings.Join(all, " "), ""
	return &first
}

// paths are what the call names, as far as that can be read.
func (v *value) namedPaths() []string {
	var out []string
	for _, name := range []string{"path", "fromPath", "targetPath"} {
		if p, ok := v.get(name); ok && p.kind == "string" {
			out = append(out, p.text)
		}
	}
	for _, name := range []string{"patch", "input"} {
		p, ok := v.get(name)
		if !ok || p.kind != "string" {
			continue
		}
		sections, _, _ := parseSections(p.text, emend.Options{Lenient: true})
		for i := range sections {
			out = append(out, sections[i].Path)
		}
	}
	return out
}

// refusal is the result of an error that has nothing to do with any workspace.
func (o Options) refusal(err error) emend.Result {
	return report.New(report.View{Dialect: o.profile().dialect(), Atomic: true}, nil, err)
}

func (p *Profile) unknownTool(name string) error {
	hint := "The tools are: " + strings.Join(p.Names(), ", ") + "."
	if near := fail.Alike(name, p.Names()); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean %q? %s", near[0], hint)
	}
	return badArguments("no tool is called "+fail.Quote(name), hint)
}
