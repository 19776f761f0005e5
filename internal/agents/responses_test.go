//go:build npm && linux

package agents

import (
	"encoding/json"
	"io"
	"strings"
)

// responses is how Codex asks: POST /responses.
var responses = protocol{
	asks:  func(path string) bool { return strings.HasSuffix(path, "/responses") },
	read:  readResponses,
	write: writeResponses,
}

// namespace is a tool, or several under one name: Codex offers the tools of an MCP server so.
type namespace struct {
	Type, Name string
	Tools      []namespace
}

func readResponses(_ string, body []byte) (out shown, err error) {
	var in struct {
		Stream bool
		Tools  []namespace
		Input  []struct {
			Type   string
			Output json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return out, err
	}
	out.stream = in.Stream
	for _, t := range in.Tools {
		out.tools = append(out.tools, t.names("")...)
	}
	for _, i := range in.Input {
		if i.Type == "function_call_output" {
			out.results = append(out.results, text(i.Output))
		}
	}
	return out, nil
}

// names are the names of a tool, those in a namespace with a point after it.
func (n namespace) names(in string) []string {
	name := n.Name
	if name == "" {
		name = n.Type // a tool of the model's own side
	}
	if len(n.Tools) == 0 {
		return []string{in + name}
	}
	var out []string
	for _, t := range n.Tools {
		out = append(out, t.names(name+" ")...)
	}
	return out
}

func writeResponses(w io.Writer, _ bool, s said) {
	item := object{"type": "message", "role": "assistant", "id": "msg_1", "content": []object{{"type": "output_text", "text": s.words}}}
	if s.tool != "" {
		in, name, ok := strings.Cut(s.tool, " ")
		item = object{"type": "function_call", "id": "fc_" + s.id, "call_id": s.id, "name": name, "namespace": in, "arguments": s.args}
		if !ok {
			delete(item, "namespace")
			item["name"] = s.tool
		}
	}
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "resp_1"}})
	event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(w, "response.completed", object{"type": "response.completed", "response": object{"id": "resp_1",
		"usage": object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
}
