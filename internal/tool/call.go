package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/report"
)

// Options are what the person who offers the tools allows and demands.
type Options struct {
	// Profile is the tools that are offered; nil for all of emend's.
	Profile *Profile
	// RequireHash demands a proof of what was read, an expectedSha256, also where a tool leaves it open.
	RequireHash bool
	// ReadOnly refuses every tool that changes files.
	ReadOnly bool
	// Lenient is what apply_patch does when a call does not say.
	Lenient bool
	// Progress is told how far a large patch has come. It must return at once.
	Progress func(done, total int)
}

// Call calls the tool of a name with arguments as JSON. Whatever happens comes back as a result: arguments that do not fit
// are named one by one, and a panic is a defect that is told as such. What a tool that changes files refuses is noted in
// the log. Who asks is said by [emend.As], but for the tool.
func Call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) emend.Result {
	return Options{}.Call(ctx, ws, name, args)
}

// Call is [Call] as the options say.
func (o Options) Call(ctx context.Context, ws *emend.Workspace, name string, args json.RawMessage) (result emend.Result) {
	defer func() {
		if p := recover(); p != nil {
			result = refusal(fmt.Errorf("%s failed: %v", name, p))
		}
	}()
	t, ok := o.profile().Named(name)
	if !ok {
		return refusal(unknownTool(name))
	}
	if out := o.profile().LeaveOut; out != nil {
		ctx = emend.LeavingOut(ctx, out...)
	}
	ctx = emend.As(ctx, emend.Actor{Tool: name})
	if o.ReadOnly && t.Mutates {
		return refusal(&fail.Error{Kind: fail.PermissionDenied, Msg: name + " changes files, and only reading is allowed here",
			Hint: "A person has to start it without --read-only."})
	}
	v, err := parse(args)
	if err == nil {
		err = t.check(v)
	}
	if err == nil {
		err = o.demand(t, &v)
	}
	if err != nil {
		return t.refused(ctx, ws, &v, err)
	}
	return t.run(ctx, ws, o, &v, args)
}

// run makes the call with arguments that fit.
func (t *Tool) run(ctx context.Context, ws *emend.Workspace, o Options, v *value, args json.RawMessage) emend.Result {
	if loose(v) {
		exact, err := json.Marshal(v.plain())
		if err != nil {
			return refusal(err)
		}
		args = exact
	}
	r, err := t.call(ctx, ws, o, args)
	if err != nil {
		return t.refused(ctx, ws, v, err)
	}
	return r
}

// loose reports whether v has what the schema allows and Go's own decoder does not take: integers with a fraction of
// zero, or nothing at all where an object is due.
func loose(v *value) bool {
	if v.kind == "object" && len(v.members) == 0 {
		return true
	}
	for i := range v.members {
		if loose(&v.members[i].value) {
			return true
		}
	}
	for i := range v.items {
		if loose(&v.items[i]) {
			return true
		}
	}
	return v.kind == "number" && strings.ContainsAny(v.text, ".eE")
}

// Tools lists the tools as the options offer them: without those that are refused, and with what is demanded in their
// schemas.
func (o Options) Tools() []*Tool {
	var out []*Tool
	for _, t := range o.profile().Tools {
		if o.ReadOnly && t.Mutates {
			continue
		}
		if o.RequireHash && t.Input.Properties["expectedSha256"] != nil && !slices.Contains(t.Input.Required, "expectedSha256") {
			strict := *t
			strict.Input = t.Input.CloneSchemas()
			strict.Input.Required = append(slices.Clip(t.Input.Required), "expectedSha256")
			t = &strict
		}
		out = append(out, t)
	}
	return out
}

func (o Options) profile() *Profile {
	if o.Profile == nil {
		return Emend
	}
	return o.Profile
}

// demand is what the options want of arguments beside the schema.
func (o Options) demand(t *Tool, v *value) error {
	if !o.RequireHash || t.Input.Properties["expectedSha256"] == nil {
		return nil
	}
	if _, ok := v.get("expectedSha256"); ok {
		return nil
	}
	return bad("expectedSha256 is missing, and a person has made it required here",
		"Send the sha256 that read_file returned for this file; read it again if you do not have it.")
}

// refused words an error. One that the workspace has not seen is noted in the log, if the tool changes files.
func (t *Tool) refused(ctx context.Context, ws *emend.Workspace, v *value, err error) emend.Result {
	if _, seen := errors.AsType[*emend.Refusal](err); seen {
		return refusal(err)
	}
	if t.Mutates {
		return ws.Refused(ctx, t.Name, v.paths(), err).Result()
	}
	return report.Of(report.View{Reads: true}, nil, err)
}

// paths are what the call names, as far as that can be read.
func (v *value) paths() []string {
	var out []string
	for _, name := range []string{"path", "fromPath", "targetPath"} {
		if p, ok := v.get(name); ok && p.kind == "string" {
			out = append(out, p.text)
		}
	}
	if p, ok := v.get("patch"); ok && p.kind == "string" {
		sections, _, _ := read(p.text, emend.Options{Lenient: true})
		for i := range sections {
			out = append(out, sections[i].Path)
		}
	}
	return out
}

// refusal is the result of an error.
func refusal(err error) emend.Result {
	if r, ok := errors.AsType[*emend.Refusal](err); ok {
		return r.Result()
	}
	return report.Of(report.View{Atomic: true}, nil, err)
}

func unknownTool(name string) error {
	hint := "The tools are: " + strings.Join(Names(), ", ") + "."
	if near := fail.Alike(name, Names()); len(near) > 0 {
		hint = fmt.Sprintf("Did you mean %q? %s", near[0], hint)
	}
	return bad("no tool is called "+fail.Quote(name), hint)
}
