package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/hint"
	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/internal/report"
)

// Call calls the tool with that name. Every outcome is a result: a refusal lists each argument that does not fit, and
// a panic is reported as a defect. The refusal of a tool that changes files is noted in the log. The log has the
// tool's name, and otherwise the actor of [emend.WithActor].
func Call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) api.Result {
	return Options{}.Call(ctx, ws, name, args)
}

// Call is like the function [Call], under the options. If there are several workspaces, the arguments name one, and
// ws is ignored.
func (o Options) Call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) api.Result {
	r := o.call(ctx, ws, name, args)
	if shape := o.profile().shape; shape != nil {
		return shape(r)
	}
	return r
}

// call is Call, whose result the profile may give another shape.
func (o Options) call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) (result api.Result) {
	defer func() {
		if p := panics.Recovered(recover()); p != nil {
			o.noteDefect(p)
			result = o.refusal(nil, fmt.Errorf("%s failed: %w", name, p))
		}
	}()
	p := o.profile()
	t, ok := p.Named(name)
	if !ok {
		return o.refusal(nil, p.unknownTool(name))
	}
	if p.LeaveOut != nil {
		ctx = emend.WithoutDirs(ctx, p.LeaveOut...)
	}
	if p.Absolute {
		ctx = emend.WithAbsolutePaths(ctx)
	}
	ctx = emend.WithActor(ctx, api.Actor{Tool: name})
	if o.ReadOnly && t.Mutates {
		return o.refusal(t, &fail.Error{Kind: fail.PermissionDenied, Msg: name + " changes files, and only reading is allowed here",
			Hint: "A person has to start it without ‹option read-only›."})
	}
	v, err := o.arguments(t, args)
	ws = o.workspace(ws, &v)
	if err != nil {
		return o.refusedCall(ctx, t, ws, &v, err)
	}
	return o.run(ctx, t, ws, &v, args)
}

// arguments parses and checks the arguments of a call.
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

// run makes the call with checked arguments.
func (o Options) run(ctx context.Context, t *Tool, ws *emend.Workspace, v *value, args json.RawMessage) api.Result {
	if t.adapt != nil || needsExactJSON(v) {
		exact, err := json.Marshal(v.plain())
		if err != nil {
			return o.refusal(t, err)
		}
		args = exact
	}
	r, err := t.call(ctx, ws, o, args)
	if err != nil {
		return o.refusedCall(ctx, t, ws, v, err)
	}
	return r
}

// needsExactJSON reports whether v contains what the schema allows and encoding/json does not accept: integers
// written with a fraction of zero, or nothing where an object is required.
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

// refusedCall words an error in the shape of the profile. If the tool changes files and the workspace has not seen
// the error, it is noted in the workspace's log.
func (o Options) refusedCall(ctx context.Context, t *Tool, ws *emend.Workspace, v *value, err error) api.Result {
	if p, ok := errors.AsType[*panics.Value](err); ok {
		o.noteDefect(p)
	}
	d := o.profile().dialect()
	if o.profile().words != nil {
		return o.refusedInWords(ctx, t, ws, v, err)
	}
	if r, seen := errors.AsType[*emend.Refusal](err); seen {
		return r.WithDialect(d.Name).ToAgent(o.offers(t)).Result()
	}
	if d.Words.Shape != dialect.Object {
		err = joinErrors(err, o.reader(t))
	}
	if t.Mutates && ws != nil {
		return ws.Host().Refused(ctx, t.Name, t.Op, v.namedPaths(), err).WithDialect(d.Name).ToAgent(o.offers(t)).Result()
	}
	return report.New(report.View{Dialect: d, ReadOnly: !t.Mutates, Reader: o.reader(t)}, nil, err)
}

// refusedInWords is refusedCall for a profile that has its own words.
func (o Options) refusedInWords(ctx context.Context, t *Tool, ws *emend.Workspace, v *value, err error) api.Result {
	r, seen := errors.AsType[*emend.Refusal](err)
	if !seen && t.Mutates && ws != nil {
		r, seen = ws.Host().Refused(ctx, t.Name, t.Op, v.namedPaths(), err), true
	}
	failures := fail.List(fail.All(err))
	if seen {
		failures = r.ToAgent(o.offers(t)).Failures
	}
	list, words := o.profile().words(t, v, failures)
	return report.New(report.View{Dialect: &dialect.Dialect{Words: words}, ReadOnly: !t.Mutates, Reader: o.reader(t).Naming(o.profile().names)}, nil, list)
}

// reader is who reads the refusals of a tool; t is nil if no tool was called.
func (o Options) reader(t *Tool) hint.Reader { return hint.Agent(o.offers(t)) }

// offers returns what reports whether the caller of t has a tool with an argument. No name means t.
// It returns nil for a person at the page, who does not call tools by name.
func (o Options) offers(t *Tool) func(tool, argument string) bool {
	if o.profile() == People {
		return nil
	}
	return func(name, argument string) bool {
		named := t
		if name != "" {
			named, _ = o.profile().Named(name)
		}
		return named != nil && (!o.ReadOnly || !named.Mutates) && (argument == "" || named.has(argument))
	}
}

// has reports whether the tool has an argument, or the items of a list that is one have it.
func (t *Tool) has(argument string) bool {
	for name, s := range t.Input().Properties {
		if name == argument || s.Items != nil && s.Items.Properties[argument] != nil {
			return true
		}
	}
	return false
}

// noteDefect passes a panic on to whoever keeps the log of defects.
func (o Options) noteDefect(p *panics.Value) {
	if o.Defect != nil {
		o.Defect(p)
	}
}

// joinErrors joins several errors and their hints into one error. A result that is text, or has one string for an
// error, has no other place for them.
func joinErrors(err error, reader hint.Reader) error {
	var all []string
	list := fail.All(err)
	for _, e := range list {
		all = append(all, strings.TrimSuffix(e.Msg+". "+reader.Say(e.Hint), ". "))
	}
	first := *list[0]
	first.Msg, first.Hint = strings.Join(all, " "), ""
	return &first
}

// namedPaths returns the paths in the arguments, as far as those can be parsed.
func (v *value) namedPaths() []string {
	var out []string
	for _, name := range []string{"path", "fromPath", "targetPath", "old_path", "new_path"} {
		if p, ok := v.get(name); ok && p.kind == "string" {
			out = append(out, p.text)
		}
	}
	for _, name := range []string{"patch", "input"} {
		p, ok := v.get(name)
		if !ok || p.kind != "string" {
			continue
		}
		sections, _, _ := parseSections(p.text, api.PatchOptions{Lenient: true})
		for i := range sections {
			out = append(out, sections[i].Path)
		}
	}
	return out
}

// refusal is the result of an error that concerns no workspace. t is nil if no tool was called.
func (o Options) refusal(t *Tool, err error) api.Result {
	return report.New(report.View{Dialect: o.profile().dialect(), Atomic: true, Reader: o.reader(t)}, nil, err)
}

func (p *Profile) unknownTool(name string) error {
	hint := "The tools are: " + strings.Join(p.Names(), ", ") + "."
	if near := fail.Alike(name, p.Names()); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean %q? %s", near[0], hint)
	}
	return badArguments("no tool is called "+fail.Quote(name), hint)
}
