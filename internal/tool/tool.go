// Package tool is the verbs that an agent can call. One file is one tool, listed in [All]: its name, its words for the
// model, what it takes and what it does, in one record that every front reads.
//
// It checks arguments and words what does not fit. It decides nothing about files: that is for the workspace.
package tool

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emend-dev/emend"
)

// All lists the tools, in the order in which they are shown.
var All = []*Tool{
	readFile, listDirectory, searchFiles, glob,
	createFile, writeFile, editFile, deleteFile, restoreFile, moveFile, applyPatch,
	history, undo,
}

// Tool is one verb.
type Tool struct {
	Name    string
	Title   string // for people
	Doc     string // for the model: what it does, what it refuses
	Example string // arguments, as JSON

	Input  *jsonschema.Schema
	Output *jsonschema.Schema // of the result as JSON; nil for a result that is mostly text
	Tell   Telling

	Mutates     bool // it may change files
	Destructive bool // what it changes may have been there before
	Idempotent  bool // the same call again does nothing more

	call func(ctx context.Context, ws *emend.Workspace, o Options, args json.RawMessage) (emend.Result, error)
}

// words are what a tool's file says of it.
type words struct {
	title, doc, example              string
	mutates, destructive, idempotent bool
	fields                           map[string]field // what the type of a field does not say
	output                           any              // a value of the type of the data; nil for a result that is mostly text
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
	t := &Tool{Name: name, Title: w.title, Doc: w.doc, Example: w.example, Input: input[In](w.fields), Output: output(w.output),
		Mutates: w.mutates, Destructive: w.destructive, Idempotent: w.idempotent}
	if t.Output == nil {
		t.Tell = Text
	}
	t.call = func(ctx context.Context, ws *emend.Workspace, o Options, args json.RawMessage) (emend.Result, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, badJSON(err) // the check before has let pass what the type does not take
		}
		return call(ctx, ws, o, in)
	}
	return t
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
func Names() []string {
	out := make([]string, len(All))
	for i, t := range All {
		out[i] = t.Name
	}
	return out
}

// Description is what a model reads of the tool.
func (t *Tool) Description() string { return t.Doc + "\nExample: " + t.Example }
