package mcp

import (
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// tell makes a result of the protocol. Some clients show a model only the text and others only the object, so that neither
// may have what the other lacks; a refusal is a result too, marked as an error.
func tell(t *tool.Tool, r emend.Result) (*sdk.CallToolResult, error) {
	out := &sdk.CallToolResult{IsError: !r.OK()}
	text := r.Text()
	if t.Tell != tool.Text {
		object, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		out.StructuredContent = json.RawMessage(object)
		if t.Tell == tool.Whole {
			text = string(object)
		}
	}
	out.Content = []sdk.Content{&sdk.TextContent{Text: text}}
	return out, nil
}
