// Package profile calls the tools of a profile for programs that run a model's tool calls themselves: a program gets a call from an
// API, has it made here, and sends the result back.
//
//	r := profile.Call(ctx, ws, "openai", "apply_patch", call.Operation)
//	status, output := "completed", r.Text()
//	if !r.OK() {
//		status = "failed"
//	}
//
// docs/profiles.md describes the profiles, and the programs in examples/ use them.
package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
)

// Names lists the profiles.
func Names() []string { return tool.ProfileNames() }

// Tools lists the tools of a profile; nil if there is no such profile.
func Tools(name string) []string {
	p, ok := tool.ProfileNamed(name)
	if !ok {
		return nil
	}
	return p.Names()
}

// Call calls a tool of a profile with the arguments that a model sent. Every outcome is a result in the profile's shape, for the
// model: a refusal too, whose OK is false. A call that changes files changes them entirely or not at all, and is in the log.
// [emend.WithActor] says who the model is.
//
// It panics if there is no such profile; a tool that the profile does not have is refused, since a model may have made it up.
func Call(ctx context.Context, ws *emend.Workspace, profile, name string, args json.RawMessage) api.Result {
	p, ok := tool.ProfileNamed(profile)
	if !ok {
		panic(fmt.Sprintf("profile: %q is none of %s", profile, strings.Join(Names(), ", ")))
	}
	return tool.Options{Profile: p}.Call(ctx, ws, name, args)
}
