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
	out := &sdk.CallToolResult{IsError: !r.OK(), Content: text(r.Text())}
	if t.Tell == tool.Text && !t.Mutates {
		return out, nil
	}
	object, err := json.Marshal(r)
	switch {
	case err != nil:
		return nil, err
	case t.Tell == tool.Text:
		out.Meta, err = aside(object)
		return out, err
	case t.Tell == tool.Whole:
		out.Content = text(string(object))
	}
	out.StructuredContent = json.RawMessage(object)
	return out, nil
}

func text(s string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: s}} }

// aside is what a system whose words stand alone has no place for, where each hunk landed and the transaction: for programs.
func aside(object []byte) (sdk.Meta, error) {
	var has struct {
		Meta sdk.Meta `json:"_meta"`
	}
	err := json.Unmarshal(object, &has)
	return has.Meta, err
}
