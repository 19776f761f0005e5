package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Anthropic plays the Messages API with the text editor and the memory tool.
func Anthropic(turns ...[]Call) *Server {
	return &Server{turns: turns, vendor: vendor{"/v1/messages", anthropicResults, anthropicReply}}
}

// anthropicTools are the tools that a request may have, by their type, and the names that they have to have.
var anthropicTools = map[string]string{"text_editor_20250728": "str_replace_based_edit_tool", "memory_20250818": "memory"}

func anthropicResults(r *http.Request, body []byte, turn int, pending []string) ([]Result, error) {
	var q struct {
		Model     string
		MaxTokens int `json:"max_tokens"`
		Tools     []struct{ Type, Name string }
		Messages  []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	key := r.Header.Get("X-Api-Key") != "" || strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") // SDKs send one or the other
	switch {
	case !key || r.Header.Get("Anthropic-Version") == "":
		return nil, errors.New("the request has no key, or no version")
	case q.Model == "" || q.MaxTokens < 1 || len(q.Tools) == 0:
		return nil, errors.New("the request needs a model, max_tokens and tools")
	case len(q.Messages) != 2*turn+1:
		return nil, fmt.Errorf("the request has %d messages, want %d", len(q.Messages), 2*turn+1)
	}
	for _, t := range q.Tools {
		if name, ok := anthropicTools[t.Type]; !ok || name != t.Name {
			return nil, fmt.Errorf("the tool %q of type %q", t.Name, t.Type)
		}
	}
	if turn == 0 {
		return nil, nil
	}
	var blocks []struct {
		Type, Content string
		ToolUseID     string `json:"tool_use_id"`
		IsError       bool   `json:"is_error"`
	}
	if err := json.Unmarshal(q.Messages[2*turn].Content, &blocks); err != nil {
		return nil, err
	}
	got := map[string]Result{}
	for _, b := range blocks {
		if b.Type != "tool_result" {
			return nil, fmt.Errorf("a block of type %q where results are due", b.Type)
		}
		got[b.ToolUseID] = Result{b.IsError, b.Content}
	}
	return inOrder(pending, got, len(blocks))
}

func anthropicReply(turn int, ids []string, calls []Call) any {
	content, stop := []any{}, "end_turn"
	for i, c := range calls {
		stop = "tool_use"
		content = append(content, map[string]any{"type": "tool_use", "id": ids[i], "name": c.Name, "input": json.RawMessage(c.Input)})
	}
	if len(calls) == 0 {
		content = append(content, map[string]any{"type": "text", "text": "Done."})
	}
	return map[string]any{"id": fmt.Sprintf("msg_%d", turn), "type": "message", "role": "assistant", "model": "fake", "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 1, "output_tokens": 1}}
}
