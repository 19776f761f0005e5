package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/internal/tool"
)

// talk is a server over a pair of pipes, and the client at the other ends. The server has two more tools: wait, which
// blocks until it is released or cancelled, and panic.
type talk struct {
	*testing.T
	srv   *Server
	in    *io.PipeWriter
	out   *io.PipeReader
	lines *bufio.Scanner
	ended chan error
	stop  context.CancelFunc

	begun   chan string // calls of wait, by their arguments
	release chan struct{}
	gaveUp  chan error
}

// talking runs a test in a synctest bubble, which detects deadlocks at once.
func talking(t *testing.T, f func(t *testing.T, c *talk)) {
	synctest.Test(t, func(t *testing.T) { f(t, begin(t)) })
}

func begin(t *testing.T) *talk {
	ctx, stop := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &talk{T: t, in: inW, out: outR, lines: bufio.NewScanner(outR), ended: make(chan error, 1), stop: stop,
		begun: make(chan string, maxRunning), release: make(chan struct{}), gaveUp: make(chan error, maxRunning)}
	c.lines.Buffer(nil, 1<<24)
	s := New(Config{Workspaces: []tool.Workspace{{Workspace: new(emend.Workspace)}}})
	c.srv = s
	object := json.RawMessage(`{"type":"object"}`)
	s.SDK().AddTool(&sdk.Tool{Name: "wait", InputSchema: object}, c.wait)
	s.SDK().AddTool(&sdk.Tool{Name: "panic", InputSchema: object}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		panic("on purpose")
	})
	s.SDK().AddTool(&sdk.Tool{Name: "ask", InputSchema: object}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		_, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "may I?", RequestedSchema: object})
		return nil, err
	})
	go func() { c.ended <- s.Stdio(ctx, inR, outW) }()
	c.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"probe","version":"1"}}}`)
	c.wants(`"id":0,"result"`)
	return c
}

func (c *talk) wait(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c.begun <- string(req.Params.Arguments)
	select {
	case <-c.release:
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
	case <-ctx.Done():
		c.gaveUp <- context.Cause(ctx)
		return nil, ctx.Err()
	}
}

func (c *talk) send(line string) {
	c.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.Error(err)
	}
}

func (c *talk) call(id int, name string) {
	c.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, id, name, id))
}

// wants reads a line that contains each part.
func (c *talk) wants(parts ...string) string {
	c.Helper()
	if !c.lines.Scan() {
		c.Fatalf("the output is over, and %q should come", parts)
	}
	for _, part := range parts {
		if !strings.Contains(c.lines.Text(), part) {
			c.Errorf("%.300s has no %s", c.lines.Text(), part)
		}
	}
	return c.lines.Text()
}

// over expects the end of the output, and of the server without an error.
func (c *talk) over() {
	c.Helper()
	if c.lines.Scan() {
		c.Errorf("a line too many: %.300s", c.lines.Text())
	}
	if err := <-c.ended; err != nil {
		c.Errorf("the server ended with %v", err)
	}
}

func TestSameIDTwice(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.call(1, "wait")
		<-c.begun
		c.call(1, "wait")
		c.wants(`"id":null`, "-32600", "the id 1 is that of a call in hand")
		close(c.release)
		c.wants(`"id":1`, "done")
		c.call(1, "wait") // the id may be used again
		<-c.begun
		c.wants(`"id":1`, "done")
		c.in.Close()
		c.over()
	})
}

// TestCancelled checks that a cancelled call ends and is not answered, whether it had begun or not.
func TestCancelled(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		for i := range maxRunning {
			c.call(i+1, "wait")
			<-c.begun
		}
		c.call(1000, "wait") // waits
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1000}}`)
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"enough"}}`)
		if err := <-c.gaveUp; err == nil {
			t.Error("a call was cancelled without a cause")
		}
		c.call(1001, "wait") // takes the place of the call that ended, since the one that waited is cancelled
		if got := <-c.begun; got != `{"n":1001}` {
			t.Errorf("the call with %s began", got)
		}
		close(c.release)
		seen := map[string]bool{}
		for range maxRunning {
			var a struct{ ID json.Number }
			json.Unmarshal([]byte(c.wants("done")), &a)
			seen[a.ID.String()] = true
		}
		if seen["7"] || seen["1000"] || !seen["1001"] || len(seen) != maxRunning {
			t.Errorf("answered: %v", seen)
		}
		c.in.Close()
		c.over()
	})
}

// TestEndOfInput checks that the calls in hand are run and answered before the output ends.
func TestEndOfInput(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		const calls = maxRunning + 20
		for i := range calls {
			c.call(i+1, "wait")
		}
		for range maxRunning {
			<-c.begun
		}
		c.in.Close()
		close(c.release)
		go func() {
			for range calls - maxRunning {
				<-c.begun
			}
		}()
		for range calls {
			c.wants("done")
		}
		c.over()
		if len(c.gaveUp) > 0 {
			t.Error("a call was cancelled by the end of the input")
		}
	})
}

// TestStopped checks that running calls are finished and answered, and waiting calls are refused.
func TestStopped(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		for i := range maxRunning + 1 {
			c.call(i+1, "wait")
		}
		for range maxRunning {
			<-c.begun
		}
		synctest.Wait() // the last call has arrived too
		c.stop()
		c.wants(fmt.Sprintf(`"id":%d`, maxRunning+1), "-32000", "not begun")
		close(c.release)
		for range maxRunning {
			c.wants("done")
		}
		c.over()
	})
}

// TestNobodyReads checks that the calls in hand are finished even if the output is closed.
func TestNobodyReads(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.call(1, "wait")
		c.call(2, "wait")
		<-c.begun
		<-c.begun
		c.out.Close()
		c.send("an answer to this cannot be written")
		c.release <- struct{}{}
		c.release <- struct{}{}
		if err := <-c.ended; err != nil {
			t.Error(err)
		}
		c.in.Close()
		if len(c.gaveUp) > 0 {
			t.Error("a call was cancelled when its answer could not be written")
		}
	})
}

// TestSlowReader checks that a client that does not read stops only the reading of its own calls, and cannot keep a
// stopping server alive.
func TestSlowReader(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		var sent atomic.Int64
		go func() {
			for i := range 10 * maxRunning {
				if _, err := fmt.Fprintf(c.in, "no message %d\n", i); err != nil {
					return
				}
				sent.Add(1)
			}
		}()
		synctest.Wait()
		if n := sent.Load(); n > 5 {
			t.Errorf("%d lines were read, and nobody read an answer", n)
		}
		c.stop()
		if err := <-c.ended; err != nil {
			t.Error(err)
		}
		c.out.Close()
		c.in.Close()
	})
}

// TestUnreadAnswers checks that a stopping server waits for a client that does not read its answers, but only for a
// while.
func TestUnreadAnswers(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.call(1, "wait")
		<-c.begun
		close(c.release)
		synctest.Wait()
		c.stop()
		from := time.Now()
		if err := <-c.ended; err != nil || time.Since(from) != clientPatience {
			t.Errorf("ended after %v with %v", time.Since(from), err)
		}
		c.out.Close()
		c.in.Close()
	})
}

// TestSlowAnswer checks that a stopping server waits for a slow client as long as it reads.
func TestSlowAnswer(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		text := strings.Repeat("x", 20*writeChunk)
		c.srv.SDK().AddTool(&sdk.Tool{Name: "long", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}}, nil
		})
		c.call(1, "long")
		synctest.Wait()
		c.stop()
		var got bytes.Buffer
		for b := make([]byte, writeChunk); !bytes.HasSuffix(got.Bytes(), []byte("\n")); {
			time.Sleep(clientPatience / 2)
			select {
			case err := <-c.ended:
				t.Fatalf("the server ended (%v) after %d bytes", err, got.Len())
			default:
			}
			n, err := c.out.Read(b)
			got.Write(b[:n])
			if err != nil {
				t.Fatal(err)
			}
		}
		if !strings.Contains(got.String(), text) {
			t.Error("the answer is not whole")
		}
		c.in.Close()
		c.over()
	})
}

// TestBusy checks that the number of waiting calls is bounded, that calls beyond it are refused, and that nothing
// else is lost.
func TestBusy(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		const over = 10
		go func() {
			for i := range maxRunning + maxQueued + over {
				c.call(i+1, "wait")
			}
		}()
		for range over {
			c.wants("-32000", "busy")
		}
		go func() {
			for range maxRunning + maxQueued {
				<-c.begun
			}
		}()
		close(c.release)
		for range maxRunning + maxQueued {
			c.wants("done")
		}
		c.in.Close()
		c.over()
	})
}

// TestRefusedLines checks that a message that is too expensive to parse is refused, and that answers repeat only a
// little of a message.
func TestRefusedLines(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"x":[` + strings.Repeat("0,", maxValues) + `0]}}}`)
		c.wants(`"id":1`, "-32600", "make several calls of it")
		c.send(`{"id":["` + strings.Repeat("x", 2*maxID) + `"]}`)
		if got := c.wants(`"id":null`, "-32600"); len(got) > maxID {
			t.Errorf("%d bytes are repeated", len(got))
		}
		close(c.release)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait","arguments":{"text":"` + strings.Repeat(`\",`, maxValues) + `"}}}`)
		c.wants(`"id":2`, "done")
		c.in.Close()
		c.over()
	})
}

// TestHeldBytes checks that the bytes of the calls in hand are bounded.
func TestHeldBytes(t *testing.T) {
	d := callQueue{}
	for _, row := range []struct {
		held, size int
		full       bool
	}{{0, maxLine, false}, {maxQueueBytes - maxLine, maxLine, false}, {maxQueueBytes - maxLine + 1, maxLine, true}, {maxQueueBytes, 1, true}} {
		if d.bytes = row.held; d.full(row.size) != row.full {
			t.Errorf("%d more than %d: full is %t", row.size, row.held, !row.full)
		}
	}
}

func TestPanic(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.call(1, "panic")
		c.wants(`"id":1`, "-32603", "a defect in emend")
		close(c.release)
		c.call(2, "wait")
		c.wants("done")
		c.in.Close()
		c.over()
	})
}

// TestAskedAtTheEnd checks that a call that waits for the client's answer ends when the input ends.
func TestAskedAtTheEnd(t *testing.T) {
	talking(t, func(t *testing.T, c *talk) {
		c.call(1, "ask")
		c.wants("elicitation/create", "may I?")
		c.in.Close()
		c.wants(`"id":1`, "the client has gone")
		c.over()
	})
}

func TestLines(t *testing.T) {
	const most = 10
	l := newLineReader(strings.NewReader(strings.Repeat("x", 10)+"\n"+strings.Repeat("y", 11)+"\n\nz"), most)
	for _, want := range []inputLine{{text: []byte("xxxxxxxxxx"), size: 10}, {text: []byte("yyyyyyyyyyy")[:10], size: 11}, {size: 0}, {text: []byte("z"), size: 1}} {
		got, err := l.next()
		if err != nil || got.size != want.size || got.tooLong() != (want.size > most) || !strings.HasPrefix(string(want.text), string(got.text)) {
			t.Errorf("%q, %d bytes, too long %t, %v; want %q", got.text, got.size, got.tooLong(), err, want.text)
		}
	}
	if _, err := l.next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

// FuzzMessage checks that no line makes parseMessage panic, and that every refusal is valid JSON.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"jsonrpc":"2.0","id":1,"method":"x","params":{}}`, `{"id":"a","result":1}`, `[1]`, `{"id":{}}`, "\xff", `{"a":"\ud800","id":1`, `{"jsonrpc":"2.0","id":01,"method":"x"}`} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, text []byte, long bool) {
		l := inputLine{text: text, size: len(text)}
		if long {
			l.tail = text
		}
		m, bad := parseMessage(l)
		if m != nil && bad != nil {
			t.Fatal("a message, and refused")
		}
		if bad != nil {
			b, err := json.Marshal(bad)
			if err != nil || !json.Valid(b) {
				t.Fatalf("%s, %v", b, err)
			}
		}
	})
}

// TestEncodeMessage checks that a message is encoded byte for byte as the SDK does it.
func TestEncodeMessage(t *testing.T) {
	long, _ := jsonrpc.MakeID("<a\"b\n&é")
	number, _ := jsonrpc.MakeID(float64(0))
	for _, m := range []jsonrpc.Message{
		&jsonrpc.Response{ID: number, Result: json.RawMessage(`{"content":[{"type":"text","text":"a<b>\n"}]}`)},
		&jsonrpc.Response{ID: long, Result: json.RawMessage(`{}`)},
		&jsonrpc.Response{ID: long, Result: json.RawMessage(`null`)},
		&jsonrpc.Response{ID: number, Error: &jsonrpc.Error{Code: 1, Message: "no"}},
		&jsonrpc.Response{Error: &jsonrpc.Error{Code: 1, Message: "no"}},
		&jsonrpc.Request{ID: number, Method: "m", Params: json.RawMessage(`{}`)},
	} {
		want, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := encodeMessage(m); err != nil || string(got) != string(want) {
			t.Errorf("%s, %v; the SDK has %s", got, err, want)
		}
	}
}
