// Openai lets a model of OpenAI change the files of a directory with the apply_patch tool of the Responses API. emend makes each
// operation, entirely or not at all, on record and reversible:
//
//	OPENAI_API_KEY=... go run ./examples/openai -model gpt-5.1 -dir . "Rename fib to fibonacci in lib/fib.py"
//	emend log; emend undo
//
// OPENAI_BASE_URL names another server that has the API.
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
	model := flag.String("model", "gpt-5.1", "the model")
	flag.Parse()
	c := client{base: cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1"), key: os.Getenv("OPENAI_API_KEY"), model: *model}
	if c.key == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "openai: set OPENAI_API_KEY and say what to do: openai [-dir DIR] [-model MODEL] TASK")
		os.Exit(2)
	}
	if err := run(context.Background(), c, *dir, strings.Join(flag.Args(), " "), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "openai:", err)
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
	var previous string
	var input any = task
	for range maxTurns {
		r, err := c.respond(ctx, previous, input)
		if err != nil {
			return err
		}
		var outputs []callOutput
		for _, item := range r.Output {
			switch item.Type {
			case "apply_patch_call":
				done := profile.Call(ctx, ws, "openai", "apply_patch", item.Operation)
				answer := callOutput{Type: "apply_patch_call_output", CallID: item.CallID, Status: "completed", Output: done.Text()}
				if !done.OK() {
					answer.Status = "failed"
				}
				fmt.Fprintf(out, "%s: %s\n", answer.Status, answer.Output)
				outputs = append(outputs, answer)
			case "message":
				for _, part := range item.Content {
					fmt.Fprintln(out, part.Text)
				}
			}
		}
		if len(outputs) == 0 {
			return nil
		}
		previous, input = r.ID, outputs
	}
	return fmt.Errorf("the model did not come to an end in %d turns", maxTurns)
}

// callOutput says what became of an operation.
type callOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Status string `json:"status"`
	Output string `json:"output"`
}

// response is what the program reads of a response.
type response struct {
	ID     string
	Output []struct {
		Type      string
		CallID    string `json:"call_id"`
		Operation json.RawMessage
		Content   []struct{ Text string }
	}
}

type client struct{ base, key, model string }

// respond sends a request to the API.
func (c client) respond(ctx context.Context, previous string, input any) (*response, error) {
	body := map[string]any{"model": c.model, "input": input, "tools": []any{map[string]string{"type": "apply_patch"}}}
	if previous != "" {
		body["previous_response_id"] = previous
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/responses", bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
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
