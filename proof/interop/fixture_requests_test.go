//go:build npm

//lint:file-ignore SA1019 the suite asks for what the protocol is about to drop

package interop

import (
	"context"
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// askingTools send a request to the client while the call is open, as revisions with sessions do.
func askingTools(s *sdk.Server) {
	addWith(s, "test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, sample)
	addWith(s, "test_elicitation", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ Message string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			return elicit(ctx, req, "User response", in.Message, `{"type":"object","properties":{
"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
		})
	add(s, "test_elicitation_sep1034_defaults", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return elicit(ctx, req, "Elicitation completed", "Please review the defaults", defaultsSchema)
	})
	add(s, "test_elicitation_sep1330_enums", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return elicit(ctx, req, "Elicitation completed", "Please choose", enumsSchema)
	})
}

const defaultsSchema = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
"verified":{"type":"boolean","default":true}}}`

const enumsSchema = `{"type":"object","properties":{
"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`

func sample(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	r, err := req.Session.CreateMessage(ctx, question(in.Prompt, 100))
	if err != nil {
		return nil, err
	}
	return told("LLM response: " + spoken(r.Content))
}

func elicit(ctx context.Context, req *sdk.CallToolRequest, prefix, message, schema string) (*sdk.CallToolResult, error) {
	r, err := req.Session.Elicit(ctx, form(message, schema))
	if err != nil {
		return nil, err
	}
	content, err := json.Marshal(r.Content)
	if err != nil {
		return nil, err
	}
	return told(fmt.Sprintf("%s: action=%s, content=%s", prefix, r.Action, content))
}

func question(prompt string, tokens int64) *sdk.CreateMessageParams {
	return &sdk.CreateMessageParams{MaxTokens: tokens, Messages: []*sdk.SamplingMessage{{Role: "user", Content: text(prompt)}}}
}

func form(message, schema string) *sdk.ElicitParams {
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(schema)}
}

// nameForm returns the form with one field that most of the suite's requests have.
func nameForm(message, field, kind string) *sdk.ElicitParams {
	return form(message, fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%[1]q]}`, field, kind))
}

func spoken(c sdk.Content) string {
	if t, ok := c.(*sdk.TextContent); ok {
		return t.Text
	}
	return fmt.Sprintf("%T", c)
}
