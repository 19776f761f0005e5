// Package tool is the list of tools that agents and people call. One file is one tool, listed in [All]: name,
// description, arguments and handler, in one record that every front reads. Files whose names begin with profile_
// each hold one profile, the tools of another system, listed in [Profiles].
//
// It checks arguments and words what does not fit. It decides nothing about files; the workspace does.
package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/patch"
	"github.com/google/jsonschema-go/jsonschema"
)

// All lists the tools in the order in which they are shown. Those for people only come last.
var All = []*Tool{
	readFile, listDirectory, searchFiles, glob,
	createFile, writeFile, editFile, editCell, deleteFile, restoreFile, moveFile, applyPatch,
	history, undo,
	undoTurn, undoPieces, putBack, allow, deny, clearTrash, purge, recoverTree,
}

// agentTools lists the tools that agents may call.
func agentTools() (out []*Tool) {
	for _, t := range All {
		if !t.PersonOnly {
			out = append(out, t)
		}
	}
	return out
}

// Tool is one tool.
type Tool struct {
	Name    string
	Title   string // for people
	Doc     string // for the model: what it does, what it refuses
	Example string // arguments, as JSON

	Op          patch.Op // what a call does to the paths that it names, for the log; 0 for none
	Form        ResultForm
	PersonOnly  bool // no agent is offered it: a person calls it at the command line or at the page
	Mutates     bool // it may change files
	Destructive bool // it may change or remove what was there before
	Idempotent  bool // the same call again does nothing more

	fields map[string]field   // what the types of the arguments do not say
	data   any                // a value of the type of the result's data
	result any                // a value of the type of the whole result, if it is no [report.Object]
	adapt  func(*value) error // changes or refuses arguments before they are checked

	// Schemas are made on demand, so that a program that calls no tool does not wait for them.
	input, output func() *jsonschema.Schema
	call          func(ctx context.Context, ws *emend.Workspace, o Options, args json.RawMessage) (api.Result, error)
}

// answer is what the methods of a workspace return.
type answer interface{ Result() api.Result }

// define completes a tool that is one call on a workspace.
func define[In any, A answer](t Tool, call func(*emend.Workspace, context.Context, In) (A, error)) *Tool {
	return build(t, func(ctx context.Context, ws *emend.Workspace, _ Options, in In) (api.Result, error) {
		a, err := call(ws, ctx, in)
		if err != nil {
			return nil, err
		}
		return a.Result(), nil
	})
}

// build completes a tool whose call needs the options.
func build[In any](t Tool, call func(context.Context, *emend.Workspace, Options, In) (api.Result, error)) *Tool {
	t.input = sync.OnceValue(func() *jsonschema.Schema { return inputSchema[In](t.fields) })
	t.output = sync.OnceValue(func() *jsonschema.Schema { return outputSchema(t.Form, t.data, t.result) })
	t.call = func(ctx context.Context, ws *emend.Workspace, o Options, args json.RawMessage) (api.Result, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, badJSON(err) // the schema admits more than the type
		}
		return call(ctx, ws, o, in)
	}
	return &t
}

// variant returns the tool as another system has it: its result is only the object, some fields are missing, and doc
// and fields replace what they name.
func (t *Tool) variant(doc string, fields map[string]field, without ...string) *Tool {
	out := *t
	out.Doc, out.Form = cmp.Or(doc, t.Doc), ObjectOnly
	out.input = sync.OnceValue(func() *jsonschema.Schema {
		s := t.Input().CloneSchemas()
		removeFields(s, without)
		completeFields(s, fields)
		return s
	})
	out.output = sync.OnceValue(func() *jsonschema.Schema { return outputSchema(ObjectOnly, t.data, nil) })
	return &out
}

// ResultForm says what of a result a client is given. Some clients show the model only the text, others only the object.
type ResultForm int

const (
	// TextAndObject gives a text and an object with the same facts.
	TextAndObject ResultForm = iota
	// TextOnly gives the text, for results that are mostly text.
	TextOnly
	// ObjectOnly gives the object, and as text the same object as JSON.
	ObjectOnly
)

// Named returns the tool with that name.
func Named(name string) (*Tool, bool) {
	i := slices.IndexFunc(All, func(t *Tool) bool { return t.Name == name })
	if i < 0 {
		return nil, false
	}
	return All[i], true
}

// Names lists the names of the tools that agents may call.
func Names() []string { return Emend.Names() }

// Input returns the schema of the arguments.
func (t *Tool) Input() *jsonschema.Schema { return t.input() }

// Output returns the schema of the result as JSON; nil if the result is text.
func (t *Tool) Output() *jsonschema.Schema { return t.output() }

// Description returns what a model reads about the tool.
func (t *Tool) Description() string { return t.Doc + "\nExample: " + t.Example }
