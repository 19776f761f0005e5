// Package tool is the verbs that an agent can call. One file is one tool, listed in [All]: its name, its words for the
// model, what it takes and what it does, in one record that every front reads; or it is one profile, the tools of another
// system, listed in [Profiles].
//
// It checks arguments and words what does not fit. It decides nothing about files: that is for the workspace.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/patch"
)

// All lists the tools, in the order in which they are shown; those that are only for a person come last.
var All = []*Tool{
	readFile, listDirectory, searchFiles, glob,
	createFile, writeFile, editFile, deleteFile, restoreFile, moveFile, applyPatch,
	history, undo,
	putBack, allow, deny, clearTrash, purge, recoverTree,
}

// forAgents are the tools that are not only for a person.
func forAgents() (out []*Tool) {
	for _, t := range All {
		if !t.Person {
			out = append(out, t)
		}
	}
	return out
}

// Tool is one verb.
type Tool struct {
	Name    string
	Title   string // for people
	Doc     string // for the model: what it does, what it refuses
	Example string // arguments, as JSON

	Tell Telling

	Op          patch.Op // what a call does to the paths that it names, for the log; 0 for none
	Person      bool     // only a person may call it, at the command line or at the page: no profile of an agent has it
	Mutates     bool     // it may change files
	Destructive bool     // what it changes may have been there before
	Idempotent  bool     // the same call again does nothing more

	// The schemas are made when somebody asks for them: a program that calls no tool does not wait for them.
	input, output func() *jsonschema.Schema
	data          any                // a value of the type of the data
	adapt         func(*value) error // what a system takes beside its schema, or refuses in words of its own
	call          func(ctx context.Context, ws *emend.Workspace, o Options, args json.RawMessage) (emend.Result, error)
}

// words are what a tool's file says of it.
type words struct {
	title, doc, example              string
	op                               patch.Op
	mutates, destructive, idempotent bool
	person                           bool
	fields                           map[string]field // what the type of a field does not say
	output                           any              // a value of the type of the data
	result                           any              // a value of the type of the whole result, where it is of another shape
	tell                             Telling
	adapt                            func(*value) error // what comes before the check of the arguments
}

// Answer is what the calls on a workspace return.
type answer interface{ Result() emend.Result }

// define makes a tool of a call on a workspace.
func define[In any, A answer](name string, w words, call func(*emend.Workspace, context.Context, In) (A, error)) *Tool {
	return build(name, w, func(ctx context.Context, ws *emend.Workspace, _ Options, in In) (emend.Result, error) {
		a, err := call(ws, ctx, in)
		if err != nil {
			return nil, err
		}
		return a.Result(), nil
	})
}

// build makes a tool of a call that wants to know what the caller allows.
func build[In any](name string, w words, call func(context.Context, *emend.Workspace, Options, In) (emend.Result, error)) *Tool {
	t := &Tool{Name: name, Title: w.title, Doc: w.doc, Example: w.example, Op: w.op, Tell: w.tell, adapt: w.adapt,
		Person: w.person, Mutates: w.mutates, Destructive: w.destructive, Idempotent: w.idempotent,
		input:  sync.OnceValue(func() *jsonschema.Schema { return input[In](w.fields) }),
		output: sync.OnceValue(w.schema), data: w.output}
	t.call = func(ctx context.Context, ws *emend.Workspace, o Options, args json.RawMessage) (emend.Result, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, badJSON(err) // the check before has let pass what the type does not take
		}
		return call(ctx, ws, o, in)
	}
	return t
}

// as is the tool as another system has it: every result is the whole object, some fields are left out, and what w says is
// said instead.
func (t *Tool) as(w words, without ...string) *Tool {
	out := *t
	out.Doc, out.Tell = cmp.Or(w.doc, t.Doc), Whole
	out.input = sync.OnceValue(func() *jsonschema.Schema {
		s := t.Input().CloneSchemas()
		drop(s, without)
		complete(s, w.fields)
		return s
	})
	out.output = sync.OnceValue(words{output: t.data, tell: Whole}.schema)
	return &out
}

// Named returns the tool of a name.
func Named(name string) (*Tool, bool) {
	i := slices.IndexFunc(All, func(t *Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return All[i], true
}

// Names lists the names of the tools.
func Names() []string { return Emend.Names() }

// Input is the schema of the arguments.
func (t *Tool) Input() *jsonschema.Schema { return t.input() }

// Output is the schema of the result as JSON; nil for a result that is mostly text.
func (t *Tool) Output() *jsonschema.Schema { return t.output() }

// Description is what a model reads of the tool.
func (t *Tool) Description() string { return t.Doc + "\nExample: " + t.Example }
