package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestProgress checks that progress only grows, comes at most ten times a second and never after the result, and that
// a client without a token gets none.
func TestProgress(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.srv.SDK().AddTool(&sdk.Tool{Name: "stage", InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				_, staged, end := c.srv.startProgress(ctx, req)
				for i := range 100 {
					time.Sleep(10 * time.Millisecond)
					if staged != nil {
						staged(i, 100)
					}
				}
				time.Sleep(stagedEvery)
				if staged != nil {
					staged(3, 100) // never backwards
				}
				end()
				time.Sleep(stagedEvery)
				if staged != nil {
					staged(1000, 100) // not reported
				}
				return &sdk.CallToolResult{}, nil
			})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"p"},"name":"stage"}}`)
		last, told := 0.0, 0
		for {
			var m struct {
				ID     any
				Error  any
				Params *sdk.ProgressNotificationParams
			}
			if err := json.Unmarshal([]byte(c.wants("{")), &m); err != nil {
				t.Fatal(err)
			}
			if m.ID != nil {
				if m.Error != nil {
					t.Errorf("%v", m.Error)
				}
				break
			}
			if told++; m.Params.Progress <= last || m.Params.Total != 100 || m.Params.ProgressToken != "p" || m.Params.Message == "" {
				t.Errorf("after %v: %+v", last, m.Params)
			}
			last = m.Params.Progress
		}
		if told < 5 || told > 10 {
			t.Errorf("told %d times in a second", told)
		}
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"stage"}}`)
		c.wants(`"id":2`)
		c.in.Close()
		c.over()
	})
}

// slow returns the arguments of a search that reads every byte of a megabyte, in that many files.
func slow(r *testClient, files int) map[string]any {
	first := filepath.Join(r.dir, "first")
	if err := os.WriteFile(first, []byte(strings.Repeat("a line that is like all others\n", 1<<15)), 0o644); err != nil {
		r.Fatal(err)
	}
	for i := range files - 1 { // one directory each, since progress is reported between directories
		dir := filepath.Join(r.dir, fmt.Sprint(i))
		if err := errors.Join(os.Mkdir(dir, 0o755), os.Link(first, filepath.Join(dir, "f"))); err != nil {
			r.Fatal(err)
		}
	}
	return map[string]any{"query": "([a-z]+ )+[0-9]", "mode": "regex"}
}

// TestProgressNobodyReads checks that if a client reads again after a while, no delayed progress follows the result.
func TestProgressNobodyReads(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		over := make(chan struct{})
		c.srv.SDK().AddTool(&sdk.Tool{Name: "steps", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			_, staged, end := c.srv.startProgress(ctx, req)
			for i := range 3 {
				time.Sleep(stagedEvery)
				staged(i+1, 3)
			}
			end()
			close(over)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
		})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","_meta":{"progressToken":"p"}}}`)
		<-over
		c.wants("notifications/progress", `"progress":1`) // was being sent
		c.wants(`"id":1`, "done")
		c.in.Close()
		c.over()
	})
}

// TestProgressOfASearch checks that a long search of the engine reports its progress.
func TestProgressOfASearch(t *testing.T) {
	r := newTestClient(t, Config{})
	args := slow(r, 4)
	var told, last atomic.Int64
	s := r.serve(&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		if told.Add(1); int64(req.Params.Progress) <= last.Swap(int64(req.Params.Progress)) {
			t.Errorf("progress %v, after more", req.Params.Progress)
		}
	}}, "")
	from := time.Now()
	r.call(s, "search_files", args, sdk.Meta{"progressToken": 1})
	took := time.Since(from)
	t.Logf("a search of %v told its progress %d times, the last time at %d files", took.Round(time.Millisecond), told.Load(), last.Load())
	if most := int64(took/(100*time.Millisecond)) + 1; told.Load() > most {
		t.Errorf("told %d times in %v", told.Load(), took)
	}
}

// watched serves a tool of the engine under the name watched. The channel receives the outcome of each call, whether
// it is answered or not. as returns the context and the options of the call.
func watched(r *testClient, name string, as func(ctx context.Context) (context.Context, tool.Options)) chan api.Result {
	ended := make(chan api.Result, 1)
	t, _ := tool.Named(name)
	r.srv.SDK().AddTool(&sdk.Tool{Name: "watched", InputSchema: t.Input()},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			ctx, o := as(ctx)
			result := o.Call(ctx, r.ws, name, req.Params.Arguments)
			ended <- result
			return toolResult(t, result)
		})
	return ended
}

// TestCancelledPatch checks that a patch that is cancelled while it is staged writes nothing, in every revision, over
// streams and over HTTP.
func TestCancelledPatch(t *testing.T) {
	for i, revision := range append(revisions, revisions...) {
		r := newTestClient(t, Config{}, "a.txt", "a\n")
		begun := make(chan bool)
		ended := watched(r, "apply_patch", func(ctx context.Context) (context.Context, tool.Options) {
			return ctx, tool.Options{Progress: func(done, _ int) {
				if done == 20 { // block until the call is cancelled
					begun <- true
					<-ctx.Done()
				}
			}}
		})
		var s *sdk.ClientSession
		if i < len(revisions) {
			s = r.serve(nil, revision)
		} else {
			s = r.serveHTTP(revision)
		}
		var text strings.Builder
		text.WriteString("*** Begin Patch\n*** Delete File: a.txt\n")
		for i := range 40 {
			fmt.Fprintf(&text, "*** Add File: n%d.txt\n+x\n", i)
		}
		text.WriteString("*** End Patch\n")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "watched", Arguments: map[string]any{"patch": text.String()}}); err == nil {
			t.Errorf("%s: the call was answered", revision)
		}
		if result := <-ended; result.OK() || !strings.Contains(result.Text(), "cancelled") {
			t.Errorf("%s: %s", revision, result.Text())
		}
		names, err := os.ReadDir(r.dir)
		if err != nil || len(names) != 2 || names[1].Name() != "a.txt" {
			t.Errorf("%s: %v, %v", revision, names, err)
		}
		s.Close()
	}
}

// TestCancelledLate checks that a cancellation after the change has no effect.
func TestCancelledLate(t *testing.T) {
	r := newTestClient(t, Config{})
	s := r.serve(nil, "2025-11-25")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "create_file", Arguments: map[string]any{"path": "f", "content": "x\n"}}); err != nil {
		t.Fatal(err)
	}
	cancel()
	r.call(s, "read_file", map[string]any{"path": "f"}, nil)
}

// asked is a context that counts how often it is checked. From the check with the number last on, it blocks the
// caller until it has ended.
type asked struct {
	context.Context
	times atomic.Int64
	last  int64  // 0 to block nobody
	held  func() // called when the first caller is blocked
}

func (a *asked) Err() error {
	n := a.times.Add(1)
	if a.last > 0 && n == a.last {
		a.held()
	}
	if a.last > 0 && n >= a.last {
		<-a.Done()
	}
	return a.Context.Err()
}

// TestCancelledSearch checks that a long search ends soon after it is cancelled, and says that it was.
func TestCancelledSearch(t *testing.T) {
	r := newTestClient(t, Config{})
	args := slow(r, 4)
	whole := &asked{}
	now := whole
	ended := watched(r, "search_files", func(ctx context.Context) (context.Context, tool.Options) {
		now.Context = ctx
		return now, tool.Options{}
	})
	s := r.serve(nil, "")
	r.call(s, "watched", args, nil)
	if result := <-ended; !result.OK() {
		t.Fatal(result.Text())
	}
	ctx, cancel := context.WithCancel(t.Context())
	now = &asked{last: whole.times.Load() / 10, held: cancel}
	_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: "watched", Arguments: args})
	result := <-ended
	if err == nil || result.OK() || !strings.Contains(result.Text(), "cancelled") {
		t.Errorf("%v, %.200s", err, result.Text())
	}
	n, of := now.times.Load(), whole.times.Load()
	t.Logf("a search asks %d times whether it is cancelled; one that was cancelled at time %d asked %d times", of, now.last, n)
	if now.last == 0 || n > of/5 {
		t.Errorf("it went on for %d of %d times", n-now.last, of)
	}
}
