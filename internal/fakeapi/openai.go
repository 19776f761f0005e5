package fakeapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// OpenAI plays the Responses API with its apply_patch tool. The inputs of the calls are operations.
func OpenAI(turns ...[]Call) *Server {
	return &Server{turns: turns, vendor: vendor{"/v1/responses", openAIResults, openAIReply}}
}

func openAIResults(r *http.Request, body []byte, turn int, pending []string) ([]Result, error) {
	var q struct {
		Model    string
		Previous string `json:"previous_response_id"`
		Input    json.RawMessage
		Tools    []struct{ Type string }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	want := ""
	if turn > 0 {
		want = fmt.Sprintf("resp_%d", turn)
	}
	switch {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "):
		return nil, errors.New("the request has no key")
	case q.Model == "" || len(q.Tools) != 1 || q.Tools[0].Type != "apply_patch":
		return nil, errors.New("the request needs a model and the tool apply_patch")
	case q.Previous != want:
		return nil, fmt.Errorf("previous_response_id is %q, want %q", q.Previous, want)
	case turn == 0:
		return nil, nil
	}
	var items []struct {
		Type, Status, Output string
		CallID               string `json:"call_id"`
	}
	if err := json.Unmarshal(q.Input, &items); err != nil {
		return nil, err
	}
	got := map[string]Result{}
	for _, i := range items {
		if i.Type != "apply_patch_call_output" || i.Status != "completed" && i.Status != "failed" {
			return nil, fmt.Errorf("an item of type %q with the status %q", i.Type, i.Status)
		}
		got[i.CallID] = Result{i.Status == "failed", i.Output}
	}
	return inOrder(pending, got, len(items))
}

func openAIReply(turn int, ids []string, calls []Call) any {
	output := []any{}
	for i, c := range calls {
		output = append(output, map[string]any{"type": "apply_patch_call", "id": "apc_" + ids[i], "call_id": ids[i], "status": "completed",
			"operation": json.RawMessage(c.Input)})
	}
	if len(calls) == 0 {
		output = append(output, map[string]any{"type": "message", "id": fmt.Sprintf("msg_%d", turn), "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": "Done.", "annotations": []any{}}}})
	}
	return map[string]any{"id": fmt.Sprintf("resp_%d", turn), "object": "response", "created_at": 1, "status": "completed", "model": "fake",
		"error": nil, "incomplete_details": nil, "output": output, "tools": []any{map[string]any{"type": "apply_patch"}}}
}
