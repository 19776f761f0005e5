package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolResult makes a result of the protocol. Some clients show the model only the text and others only the object, so
// both hold the same facts. A refusal is a result too, marked as an error.
func toolResult(t *tool.Tool, r api.Result) (*sdk.CallToolResult, error) {
	out := &sdk.CallToolResult{IsError: !r.OK(), Content: textContent(r.Text())}
	if t.Form == tool.TextOnly && !t.Mutates {
		return out, nil
	}
	object, err := json.Marshal(r)
	switch {
	case err != nil:
		return nil, err
	case t.Form == tool.TextOnly:
		out.Meta, err = metaOf(object)
		return out, err
	case t.Form == tool.ObjectOnly:
		out.Content = textContent(string(object))
	default:
		object = shortenDiffs(object)
	}
	out.StructuredContent = json.RawMessage(object)
	return out, nil
}

// maxDiff is how many bytes of each diff are sent to a client. A model pays for every byte, and has just written what
// the diff says.
const maxDiff = 8 << 10

// shortenDiffs shortens the diffs in a result.
func shortenDiffs(object []byte) []byte {
	if len(object) <= maxDiff {
		return object
	}
	var result any
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	if err := dec.Decode(&result); err != nil {
		return object
	}
	shortenDiffsIn(result)
	out, err := json.Marshal(result)
	if err != nil {
		return object
	}
	return out
}

func shortenDiffsIn(v any) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			shortenDiffsIn(item)
		}
	case map[string]any:
		for name, item := range v {
			if diff, ok := item.(string); ok && name == "diff" && len(diff) > maxDiff {
				head := diff[:strings.LastIndexByte(diff[:maxDiff], '\n')+1]
				v[name] = fmt.Sprintf("%s… %d more bytes; emend show has all of it\n", head, len(diff)-len(head))
			} else {
				shortenDiffsIn(item)
			}
		}
	}
}

func textContent(s string) []sdk.Content { return []sdk.Content{&sdk.TextContent{Text: s}} }

// metaOf returns the _meta of a result: where each hunk landed, and the transaction. It is for programs, where the
// result itself is only text.
func metaOf(object []byte) (sdk.Meta, error) {
	var result struct {
		Meta sdk.Meta `json:"_meta"`
	}
	err := json.Unmarshal(object, &result)
	return result.Meta, err
}
