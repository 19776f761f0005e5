//go:build npm && linux

package agents

import (
	"encoding/json"
	"io"
	"strings"
)

// completions is the protocol of opencode: POST /chat/completions.
var completions = protocol{
	asks:  func(path string) bool { return strings.HasSuffix(path, "/chat/completions") },
	read:  readCompletions,
	write: writeCompletions,
}

func readCompletions(_ string, body []byte) (out shown, err error) {
	var in struct {
		Stream bool
		Tools  []struct {
			Function struct{ Name string }
		}
		Messages []struct {
			Role    string
			Content json.RawMessage
			ID      string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return out, err
	}
	out.stream = in.Stream
	for _, t := range in.Tools {
		out.tools = append(out.tools, t.Function.Name)
	}
	for _, m := range in.Messages {
		if m.Role == "tool" {
			out.add(m.ID, text(m.Content))
		}
	}
	return out, nil
}

func writeCompletions(w io.Writer, to shown, s said) {
	message, reason := object{"role": "assistant", "content": s.words}, "stop"
	if s.tool != "" {
		message, reason = object{"role": "assistant", "tool_calls": []object{{"index": 0, "id": s.id, "type": "function",
			"function": object{"name": s.tool, "arguments": s.args}}}}, "tool_calls"
	}
	usage := object{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
	if !to.stream {
		io.WriteString(w, encode(object{"id": "c1", "object": "chat.completion", "model": "scripted", "usage": usage,
			"choices": []object{{"index": 0, "message": message, "finish_reason": reason}}}))
		return
	}
	chunk := func(delta object, reason any) {
		event(w, "", object{"id": "c1", "object": "chat.completion.chunk", "model": "scripted",
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": reason}}, "usage": usage})
	}
	chunk(message, nil)
	chunk(object{}, reason)
	io.WriteString(w, "data: [DONE]\n\n")
}
