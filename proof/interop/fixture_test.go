//go:build npm

//lint:file-ignore SA1019 the suite asks for what the protocol is about to drop

package interop

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The conformance suite calls tools, resources and prompts with fixed names. The fixture adds them, as the suite describes
// them, to a server of [mcp.New], so that their requests take the same path as those of emend's own tools.

// fixture adds everything that the suite calls.
func fixture(s *sdk.Server) {
	plainTools(s)
	talkingTools(s)
	askingTools(s)
	roundTools(s)
	resources(s)
	prompts(s)
}

// add adds a tool without arguments.
func add(s *sdk.Server, name string, h sdk.ToolHandler) {
	addWith(s, name, `{"type":"object","properties":{}}`, h)
}

func addWith(s *sdk.Server, name, schema string, h sdk.ToolHandler) {
	s.AddTool(&sdk.Tool{Name: name, Description: "for the conformance suite: " + name, InputSchema: json.RawMessage(schema)}, h)
}

// always returns a handler that always answers with content.
func always(content ...sdk.Content) sdk.ToolHandler {
	return func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: content}, nil
	}
}

func text(s string) *sdk.TextContent { return &sdk.TextContent{Text: s} }

func told(s string) (*sdk.CallToolResult, error) {
	return &sdk.CallToolResult{Content: []sdk.Content{text(s)}}, nil
}

func embedded(uri, kind, body string) *sdk.EmbeddedResource {
	return &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: uri, MIMEType: kind, Text: body}}
}

// pixel is a PNG of one pixel, silence a WAV of no samples.
var (
	pixel   = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==")
	silence = decoded("UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=")
)

func decoded(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func image() *sdk.ImageContent { return &sdk.ImageContent{Data: pixel, MIMEType: "image/png"} }

func plainTools(s *sdk.Server) {
	add(s, "test_simple_text", always(text("This is a simple text response for testing.")))
	add(s, "test_image_content", always(image()))
	add(s, "test_audio_content", always(&sdk.AudioContent{Data: silence, MIMEType: "audio/wav"}))
	add(s, "test_embedded_resource", always(embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")))
	add(s, "test_multiple_content_types", always(text("Multiple content types test:"), image(),
		embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)))
	add(s, "test_error_handling", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		r, _ := told("This tool intentionally returns an error for testing")
		r.IsError = true
		return r, nil
	})
	// This tool is for the inspector: clients treat a property with two types differently.
	addWith(s, "test_two_types", `{"type":"object","properties":{"list":{"type":["null","array"]}}}`, always(text("ok")))
	addWith(s, "json_schema_2020_12_tool", richSchema, always(text("ok")))
	addWith(s, "test_custom_header", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`, always(text("ok")))
}

// richSchema uses the keywords of JSON Schema 2020-12 that the suite looks for.
const richSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
"phone":{"type":"string"},"email":{"type":"string"}},
"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
"additionalProperties":false}`

// talkingTools send notifications before they answer.
func talkingTools(s *sdk.Server) {
	add(s, "test_tool_with_logging", logging)
	add(s, "test_logging_tool", logging)
	add(s, "test_tool_with_progress", func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		token := req.Params.GetProgressToken()
		for done := 0.0; done <= 100; done += 50 {
			if token == nil {
				break
			}
			if err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
				return nil, err
			}
			pause(ctx)
		}
		return told("done")
	})
}

func logging(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	for what := range strings.SplitSeq("Tool execution started,Tool processing data,Tool execution completed", ",") {
		if err := req.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: what}); err != nil {
			return nil, err
		}
		pause(ctx)
	}
	return told("done")
}

// pause waits for as long as the suite wants between two notifications.
func pause(ctx context.Context) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
}
