package browser

import (
	"context"
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agent is a scripted client of emend serve over standard input and output. It cannot ask a person itself.
type agent struct {
	t *testing.T
	*mcp.ClientSession
}

// answer is the result of a call of a tool.
type answer struct {
	OK     bool
	Output string
	Data   map[string]any
	Error  struct{ Kind, Message, SuggestedNextAction string }
	Acked  time.Time // when the answer came
}

// agent starts emend serve as a client does, with a session of its own.
func (w *world) agent(session string, flags ...string) *agent {
	w.t.Helper()
	return w.client("claude-code", "2.1.329", append([]string{"--session", session}, flags...)...)
}

func (w *world) client(name, version string, flags ...string) *agent {
	w.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: version}, nil)
	s, err := client.Connect(w.t.Context(), &mcp.CommandTransport{Command: w.command(append([]string{"serve"}, flags...)...)}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { s.Close() })
	return &agent{w.t, s}
}

// try calls a tool.
func (a *agent) try(ctx context.Context, name string, args map[string]any) (answer, error) {
	r, err := a.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return answer{}, err
	}
	out := answer{Acked: time.Now()}
	text, err := json.Marshal(r.StructuredContent)
	if err == nil && r.StructuredContent != nil {
		err = json.Unmarshal(text, &out)
	}
	out.OK = !r.IsError
	if len(r.Content) > 0 {
		if c, ok := r.Content[0].(*mcp.TextContent); ok {
			out.Output = c.Text
		}
	}
	return out, err
}

// call calls a tool, which must succeed.
func (a *agent) call(name string, args map[string]any) answer {
	a.t.Helper()
	r, err := a.try(a.t.Context(), name, args)
	if err != nil || !r.OK {
		a.t.Fatalf("%s: %v %s", name, err, r.Output)
	}
	return r
}

// refused calls a tool, which must refuse.
func (a *agent) refused(name string, args map[string]any) answer {
	a.t.Helper()
	r, err := a.try(a.t.Context(), name, args)
	if err != nil || r.OK {
		a.t.Fatalf("%s: %v, done: %s", name, err, r.Output)
	}
	return r
}

// begin starts a call that waits for a person.
func (a *agent) begin(name string, args map[string]any) <-chan answer {
	out := make(chan answer, 1)
	go func() {
		r, err := a.try(a.t.Context(), name, args)
		if err != nil {
			r.Output = err.Error()
		}
		out <- r
	}()
	return out
}

// patch applies a patch in emend's own dialect.
func (a *agent) patch(text string) answer {
	a.t.Helper()
	return a.call("apply_patch", map[string]any{"patch": text})
}

// edit replaces a text in a file, with the hash of the file.
func (a *agent) edit(path, old, text string) answer {
	a.t.Helper()
	return a.call("edit_file", map[string]any{"path": path, "expectedSha256": a.sha(path), "edits": []any{map[string]any{"oldText": old, "newText": text}}})
}

var hash = regexp.MustCompile(`sha256 ([0-9a-f]{64})`)

// sha reads a file and returns its hash.
func (a *agent) sha(path string) string {
	a.t.Helper()
	m := hash.FindStringSubmatch(a.call("read_file", map[string]any{"path": path}).Output)
	if m == nil {
		a.t.Fatalf("no hash of %s", path)
	}
	return m[1]
}
