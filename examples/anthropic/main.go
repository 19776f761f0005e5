// Anthropic lets a model of Anthropic change the files of a directory with the text editor tool of the Messages API, and keep notes
// below memories/ with the memory tool. emend makes each edit, entirely or not at all, on record and reversible:
//
//	ANTHROPIC_API_KEY=... go run ./examples/anthropic -model claude-opus-4-1 -dir . "Fix the syntax error in primes.py"
//	emend log; emend undo
//
// ANTHROPIC_BASE_URL names another server that has the API.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/profile"
)

func main() {
	dir := flag.String("dir", ".", "the directory whose files may change")
	model := flag.String("model", "claude-opus-4-1", "the model")
	flag.Parse()
	c := client{base: cmp.Or(os.Getenv("ANTHROPIC_BASE_URL"), "https://api.anthropic.com"), key: os.Getenv("ANTHROPIC_API_KEY"), model: *model}
	if c.key == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "anthropic: set ANTHROPIC_API_KEY and say what to do: anthropic [-dir DIR] [-model MODEL] TASK")
		os.Exit(2)
	}
	if err := run(context.Background(), c, *dir, strings.Join(flag.Args(), " "), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "anthropic:", err)
		os.Exit(1)
	}
}

// maxTurns ends a conversation that goes nowhere.
const maxTurns = 20

// run has the model do a task in dir, and writes what it did and said to out.
func run(ctx context.Context, c client, dir, task string, out io.Writer) error {
	ws, err := emend.Open(dir)
	if err != nil {
		return err
	}
	defer ws.Close()
	messages := []message{{"user", task}}
	for range maxTurns {
		r, err := c.send(ctx, messages)
		if err != nil {
			return err
		}
		var results []toolResult
		for _, raw := range r.Content {
			var b block
			if err := json.Unmarshal(raw, &b); err != nil {
				return err
			}
			switch b.Type {
			case "tool_use":
				done := profile.Call(ctx, ws, "anthropic", b.Name, b.Input)
				fmt.Fprintf(out, "%s: %s\n", b.Name, done.Text())
				results = append(results, toolResult{"tool_result", b.ID, done.Text(), !done.OK()})
			case "text":
				fmt.Fprintln(out, b.Text)
			}
		}
		if len(results) == 0 {
			return nil
		}
		messages = append(messages, message{"assistant", r.Content}, message{"user", results})
	}
	return fmt.Errorf("the model did not come to an end in %d turns", maxTurns)
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// block is what the program reads of a block. The whole block goes back to the API.
type block struct {
	Type, ID, Name, Text string
	Input                json.RawMessage
}

// toolResult says what became of a tool_use block.
type toolResult struct {
	Type      string `json:"type"`
	ToolUseID string `json:"tool_use_id"`
	Content   string `json:"content"`
	IsError   bool   `json:"is_error"`
}

type response struct{ Content []json.RawMessage }

type client struct{ base, key, model string }

// send sends the conversation to the API.
func (c client) send(ctx context.Context, messages []message) (*response, error) {
	text, err := json.Marshal(map[string]any{"model": c.model, "max_tokens": 8192, "messages": messages, "tools": []any{
		map[string]string{"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
		map[string]string{"type": "memory_20250818", "name": "memory"},
	}})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/v1/messages", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Api-Key", c.key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("Content-Type", "application/json")
	r, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
	if err != nil {
		return nil, err
	}
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the API says %s: %.1000s", r.Status, answer)
	}
	var out response
	return &out, json.Unmarshal(answer, &out)
}
