//go:build npm

//lint:file-ignore SA1019 the suite asks for what the protocol is about to drop

package interop

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// roundTools end the call with a request, and are called again with the answer, as the revision without sessions does.
func roundTools(s *sdk.Server) {
	add(s, "test_input_required_result_elicitation", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if name, ok := filled(req.Params.InputResponses["user_name"], "name"); ok {
			return told("Hello, " + name + "!")
		}
		return ask("", sdk.InputRequestMap{"user_name": nameForm("What is your name?", "name", "string")})
	})
	add(s, "test_input_required_result_sampling", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r := req.Params.InputResponses["capital_question"]; r != nil {
			return told(sampled(r))
		}
		return ask("", sdk.InputRequestMap{"capital_question": question("What is the capital of France?", 100)})
	})
	add(s, "test_input_required_result_list_roots", func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if r, ok := req.Params.InputResponses["client_roots"].(*sdk.ListRootsResult); ok {
			return told("roots: " + rootNames(r))
		}
		return ask("", sdk.InputRequestMap{"client_roots": &sdk.ListRootsParams{}})
	})
	add(s, "test_input_required_result_request_state", stateful("confirmed: state-ok"))
	add(s, "test_input_required_result_tampered_state", stateful("ok"))
	add(s, "test_input_required_result_multiple_inputs", several)
	add(s, "test_input_required_result_multi_round", threeRounds)
	add(s, "test_input_required_result_capabilities", whatTheClientCan)
	add(s, "test_streaming_elicitation", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return ask("", sdk.InputRequestMap{"user_name": nameForm("What is your name?", "name", "string")})
	})
	add(s, "test_missing_capability", needsSampling)
	add(s, "test_trigger_prompt_change", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		prompt(s, "test_prompt_that_came_later", nil, func(map[string]string) []sdk.Content { return []sdk.Content{text("later")} })
		return told("done")
	})
}

func ask(state string, what sdk.InputRequestMap) (*sdk.CallToolResult, error) {
	r := &sdk.CallToolResult{InputRequests: what}
	if state != "" {
		r.RequestState = sign(state)
	}
	return r, nil
}

// filled returns a field of a form that a person filled in and accepted.
func filled(r sdk.InputResponse, field string) (string, bool) {
	e, ok := r.(*sdk.ElicitResult)
	if !ok || e.Action != "accept" {
		return "", false
	}
	s, ok := e.Content[field].(string)
	return s, ok
}

func sampled(r sdk.InputResponse) string {
	switch r := r.(type) {
	case *sdk.CreateMessageResult:
		return spoken(r.Content)
	case *sdk.CreateMessageWithToolsResult:
		if len(r.Content) > 0 {
			return spoken(r.Content[0])
		}
	}
	return fmt.Sprintf("%T", r)
}

func rootNames(r *sdk.ListRootsResult) string {
	var names []string
	for _, root := range r.Roots {
		names = append(names, root.URI+" "+root.Name)
	}
	return strings.Join(names, ", ")
}

// stateful asks once, with a state, and answers when the state comes back unchanged.
func stateful(answer string) sdk.ToolHandler {
	return func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if req.Params.InputResponses == nil {
			return ask("round 1", sdk.InputRequestMap{"confirm": nameForm("Please confirm", "ok", "boolean")})
		}
		if err := signed(req.Params.RequestState, "round 1"); err != nil {
			return nil, err
		}
		return told(answer)
	}
}

func several(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if r := req.Params.InputResponses; r["user_name"] != nil && r["greeting"] != nil && r["client_roots"] != nil {
		if err := signed(req.Params.RequestState, "several"); err != nil {
			return nil, err
		}
		return told("all answered")
	}
	return ask("several", sdk.InputRequestMap{"user_name": nameForm("What is your name?", "name", "string"),
		"greeting": question("Generate a greeting", 50), "client_roots": &sdk.ListRootsParams{}})
}

func threeRounds(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	p := req.Params
	if p.InputResponses["step1"] != nil {
		if err := signed(p.RequestState, "round 1"); err != nil {
			return nil, err
		}
		return ask("round 2", sdk.InputRequestMap{"step2": nameForm("Step 2: What is your favorite color?", "color", "string")})
	}
	if p.InputResponses["step2"] != nil {
		if err := signed(p.RequestState, "round 2"); err != nil {
			return nil, err
		}
		return told("all rounds done")
	}
	return ask("round 1", sdk.InputRequestMap{"step1": nameForm("Step 1: What is your name?", "name", "string")})
}

func whatTheClientCan(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	what, can := sdk.InputRequestMap{}, req.ClientCapabilities()
	if can != nil && can.Sampling != nil {
		what["sample"] = question("Generate a greeting", 50)
	}
	if can != nil && can.Elicitation != nil {
		what["name"] = nameForm("What is your name?", "name", "string")
	}
	if len(what) == 0 || req.Params.InputResponses != nil {
		return told("done")
	}
	return ask("", what)
}

func needsSampling(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	if can := req.ClientCapabilities(); can != nil && can.Sampling != nil {
		return told("done")
	}
	data, err := json.Marshal(sdk.MissingRequiredClientCapabilityData{RequiredCapabilities: &sdk.ClientCapabilities{Sampling: &sdk.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: sdk.CodeMissingRequiredClientCapabilities, Message: "this tool needs sampling", Data: data}
}

func askingPrompt(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	if about, ok := filled(req.Params.InputResponses["user_context"], "context"); ok {
		return &sdk.GetPromptResult{Messages: []*sdk.PromptMessage{{Role: "user", Content: text("Context: " + about)}}}, nil
	}
	return &sdk.GetPromptResult{InputRequests: sdk.InputRequestMap{"user_context": nameForm("What context should the prompt use?", "context", "string")}}, nil
}

// sign creates a state that a client cannot create. The key is for tests only.
func sign(state string) string {
	return state + "." + hex.EncodeToString(mac(state))
}

func signed(got, want string) error {
	state, sum, _ := strings.Cut(got, ".")
	given, err := hex.DecodeString(sum)
	if err != nil || state != want || !hmac.Equal(given, mac(state)) {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the request state is not what this server gave out"}
	}
	return nil
}

func mac(state string) []byte {
	h := hmac.New(sha256.New, []byte("a test's key"))
	h.Write([]byte(state))
	return h.Sum(nil)
}
