//go:build npm && linux

package agents

import (
	"encoding/json"
	"io"
	"strings"
)

// messages is the protocol of Claude Code: POST /v1/messages.
var messages = protocol{
	asks:  func(path string) bool { return strings.HasSuffix(path, "/messages") },
	read:  readMessages,
	write: writeMessages,
}

func readMessages(_ string, body []byte) (out shown, err error) {
	var in struct {
		Stream   bool
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return out, err
	}
	out.stream = in.Stream
	for _, t := range in.Tools {
		out.tools = append(out.tools, t.Name)
		out.finds = out.finds || t.Name == toolSearch
	}
	if len(in.Messages) > 0 {
		out.first = text(in.Messages[0].Content)
	}
	for _, m := range in.Messages {
		for _, p := range parts(m.Content) {
			if p.Type == "tool_result" {
				out.add(p.ToolUseID, text(p.Content))
			}
		}
	}
	return out, nil
}

// part is a part of a content, in any protocol that has parts.
type part struct {
	Type    string
	Text    string
	Content json.RawMessage

	ToolUseID string `json:"tool_use_id"`
}

// parts returns the parts of a content, which may also be a string.
func parts(content json.RawMessage) []part {
	var many []part
	if json.Unmarshal(content, &many) == nil {
		return many
	}
	var one string
	if json.Unmarshal(content, &one) == nil {
		return []part{{Type: "text", Text: one}}
	}
	return nil
}

// text returns the text of a content.
func text(content json.RawMessage) string {
	var out []string
	for _, p := range parts(content) {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return strings.Join(out, "\n")
}

// toolSearch is the tool with which Claude Code's models search for others.
const toolSearch = "ToolSearch"

func writeMessages(w io.Writer, to shown, s said) {
	if s.find != "" {
		s.tool, s.args = toolSearch, encode(object{"query": s.find, "max_results": 5})
	}
	block, delta, reason := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": s.words}, "end_turn"
	whole := object{"type": "text", "text": s.words}
	if s.tool != "" {
		block = object{"type": "tool_use", "id": "toolu_" + s.id, "name": s.tool, "input": object{}}
		delta, reason = object{"type": "input_json_delta", "partial_json": s.args}, "tool_use"
		whole = object{"type": "tool_use", "id": "toolu_" + s.id, "name": s.tool, "input": json.RawMessage(s.args)}
	}
	message := object{"id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": []object{},
		"stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}
	if !to.stream {
		message["content"], message["stop_reason"] = []object{whole}, reason
		io.WriteString(w, encode(message))
		return
	}
	event(w, "message_start", object{"type": "message_start", "message": message})
	event(w, "content_block_start", object{"type": "content_block_start", "index": 0, "content_block": block})
	event(w, "content_block_delta", object{"type": "content_block_delta", "index": 0, "delta": delta})
	event(w, "content_block_stop", object{"type": "content_block_stop", "index": 0})
	event(w, "message_delta", object{"type": "message_delta", "delta": object{"stop_reason": reason, "stop_sequence": nil},
		"usage": object{"output_tokens": 1}})
	event(w, "message_stop", object{"type": "message_stop"})
}
