//go:build npm

package interop

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func resources(s *sdk.Server) {
	static(s, "test://static-text", sdk.ResourceContents{MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	static(s, "test://static-binary", sdk.ResourceContents{MIMEType: "image/png", Blob: pixel})
	static(s, "test://watched-resource", sdk.ResourceContents{MIMEType: "text/plain", Text: "watched"})
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", Description: "for the conformance suite",
		MIMEType: "application/json"},
		func(_ context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			body, err := json.Marshal(map[string]any{"id": id, "templateTest": true, "data": "Data for ID: " + id})
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: string(body)}}}, err
		})
}

func static(s *sdk.Server, uri string, c sdk.ResourceContents) {
	c.URI = uri
	s.AddResource(&sdk.Resource{URI: uri, Name: strings.TrimPrefix(uri, "test://"), Description: "for the conformance suite", MIMEType: c.MIMEType},
		func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{&c}}, nil
		})
}

func prompts(s *sdk.Server) {
	prompt(s, "test_simple_prompt", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{text("This is a simple prompt for testing.")}
	})
	prompt(s, "test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []sdk.Content {
		return []sdk.Content{text("Prompt with arguments: arg1='" + a["arg1"] + "', arg2='" + a["arg2"] + "'")}
	})
	prompt(s, "test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []sdk.Content {
		return []sdk.Content{embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."),
			text("Please process the embedded resource above.")}
	})
	prompt(s, "test_prompt_with_image", nil, func(map[string]string) []sdk.Content {
		return []sdk.Content{image(), text("Please analyze the image above.")}
	})
	s.AddPrompt(&sdk.Prompt{Name: "test_input_required_result_prompt", Description: "for the conformance suite"}, askingPrompt)
}

func prompt(s *sdk.Server, name string, args []string, say func(map[string]string) []sdk.Content) {
	p := &sdk.Prompt{Name: name, Description: "for the conformance suite"}
	for _, a := range args {
		p.Arguments = append(p.Arguments, &sdk.PromptArgument{Name: a, Description: a, Required: true})
	}
	s.AddPrompt(p, func(_ context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		out := &sdk.GetPromptResult{}
		for _, c := range say(req.Params.Arguments) {
			out.Messages = append(out.Messages, &sdk.PromptMessage{Role: "user", Content: c})
		}
		return out, nil
	})
}
