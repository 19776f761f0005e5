package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/front/seal"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// person answers the questions that a client shows.
type person struct {
	answer    func(*sdk.ElicitParams) (*sdk.ElicitResult, error)
	questions []string
}

func (p *person) asked(_ context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	p.questions = append(p.questions, req.Params.Message)
	return p.answer(req.Params)
}

func says(answer, reason string) func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
	content := map[string]any{"answer": answer}
	if reason != "" {
		content["reason"] = reason
	}
	return func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "accept", Content: content}, nil
	}
}

func does(action string) func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
	return func(*sdk.ElicitParams) (*sdk.ElicitResult, error) { return &sdk.ElicitResult{Action: action}, nil }
}

// policed returns a server over a workspace whose policy asks a person.
func policed(t *testing.T) (s *Server, dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"a.sql": "one\n", "b.sql": "one\n", "free": "one\n", "secret": "hush\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	file := filepath.Join(t.TempDir(), "policy.toml")
	must(t, os.WriteFile(file, []byte("[read]\nask = [\"secret\"]\n[write]\nask = [\"*.sql\"]\n"), 0o600))
	ws, err := emend.Open(dir, emend.Policy(file))
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	return New(Config{Workspaces: []tool.Workspace{{Workspace: ws}}}), dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ways are the transports and the revisions of the protocol.
var ways = []struct {
	name, revision string
	http           bool
}{
	{"streams, 2025-06-18", "2025-06-18", false},
	{"streams, 2025-11-25", "2025-11-25", false},
	{"streams, 2026-07-28", "2026-07-28", false},
	{"http, 2025-11-25", "2025-11-25", true},
	{"http, 2026-07-28", "2026-07-28", true},
}

// connect connects a client. Without a person it cannot ask anybody.
func connect(t *testing.T, s *Server, p *person, revision string, overHTTP bool) *sdk.ClientSession {
	t.Helper()
	var o sdk.ClientOptions
	if p != nil {
		o.ElicitationHandler = p.asked
	}
	return connectAs(t, s, &o, revision, overHTTP)
}

func connectAs(t *testing.T, s *Server, o *sdk.ClientOptions, revision string, overHTTP bool) *sdk.ClientSession {
	t.Helper()
	var client sdk.Transport
	if overHTTP {
		served := httptest.NewServer(s.HTTP(HTTPConfig{Token: "token"}))
		t.Cleanup(served.Close)
		client = &sdk.StreamableClientTransport{Endpoint: served.URL + "/mcp", HTTPClient: &http.Client{Transport: bearer{}}}
	} else {
		client = overStreams(t, s)
	}
	c := sdk.NewClient(&sdk.Implementation{Name: "tester", Version: "1"}, o)
	cs, err := c.Connect(t.Context(), client, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	must(t, err)
	t.Cleanup(func() { cs.Close() })
	if got := cs.InitializeResult(); got != nil && got.ProtocolVersion != revision {
		t.Fatalf("revision %s, want %s", got.ProtocolVersion, revision)
	}
	return cs
}

// overStreams serves one client over streams, as over standard input and output.
func overStreams(t *testing.T, s *Server) sdk.Transport {
	in, toServer := io.Pipe()
	out, fromServer := io.Pipe()
	var served sync.WaitGroup
	served.Go(func() { s.Stdio(context.WithoutCancel(t.Context()), in, fromServer) }) // ends with its input
	t.Cleanup(served.Wait)
	return &sdk.IOTransport{Reader: out, Writer: toServer}
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Authorization", "Bearer token")
	return http.DefaultTransport.RoundTrip(r)
}

const patchSQL = "*** Begin Patch\n*** Update File: a.sql\n@@\n-one\n+two\n*** Update File: free\n@@\n-one\n+two\n*** Update File: b.sql\n@@\n-one\n+two\n*** End Patch\n"

// callPatch applies the patch, section by section if sequential is set.
func callPatch(t *testing.T, cs *sdk.ClientSession, sequential bool) *sdk.CallToolResult {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "apply_patch", Arguments: map[string]any{"patch": patchSQL, "atomic": !sequential}})
	must(t, err)
	return r
}

func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

func contents(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range []string{"a.sql", "b.sql", "free"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		b.Write(text)
	}
	return b.String()
}

const before, after = "one\none\none\n", "two\ntwo\ntwo\n"

func TestAllowed(t *testing.T) {
	for _, way := range ways {
		for _, sequential := range []bool{false, true} {
			t.Run(way.name, func(t *testing.T) {
				s, dir := policed(t)
				p := &person{answer: says("allow", "")}
				r := callPatch(t, connect(t, s, p, way.revision, way.http), sequential)
				if got := contents(t, dir); r.IsError || got != after {
					t.Fatalf("%s: %q", textOf(r), got)
				}
				if len(p.questions) != 1 {
					t.Fatalf("%d questions", len(p.questions))
				}
				for _, want := range []string{"tester/1", "apply_patch", "a.sql", "b.sql", `"*.sql"`, "+two"} {
					if !strings.Contains(p.questions[0], want) {
						t.Errorf("the question does not say %q:\n%s", want, p.questions[0])
					}
				}
				log, _ := os.ReadFile(filepath.Join(dir, ".emend/log/00000001.jsonl"))
				if !strings.Contains(string(log), `"asked":{"by":"elicitation","paths":["a.sql","b.sql"]}`) || strings.Contains(string(log), "denied") {
					t.Errorf("the log: %s", log)
				}
			})
		}
	}
}

func TestNotAllowed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		answer func(*sdk.ElicitParams) (*sdk.ElicitResult, error)
		says   string
	}{
		{"denied with a reason", says("deny", "use a new migration"), "use a new migration"},
		{"denied", says("deny", ""), "a person denied it"},
		{"declined", does("decline"), "a person denied it"},
		{"dismissed", does("cancel"), "dismissed"},
		{"accepted without an answer", does("accept"), "a person denied it"},
	} {
		for _, way := range ways {
			t.Run(tc.name+", "+way.name, func(t *testing.T) {
				s, dir := policed(t)
				p := &person{answer: tc.answer}
				r := callPatch(t, connect(t, s, p, way.revision, way.http), false)
				if got := contents(t, dir); !r.IsError || got != before || len(p.questions) != 1 {
					t.Fatalf("%s: %q after %d questions", textOf(r), got, len(p.questions))
				}
				object, _ := json.Marshal(r.StructuredContent)
				for _, shown := range []string{textOf(r), string(object)} {
					if !strings.Contains(shown, tc.says) || !strings.Contains(shown, "a.sql") {
						t.Errorf("the model reads: %s", shown)
					}
				}
			})
		}
	}
}

// TestClientFails checks that a failing dialog is not a yes.
func TestClientFails(t *testing.T) {
	s, dir := policed(t)
	p := &person{answer: func(*sdk.ElicitParams) (*sdk.ElicitResult, error) { return nil, errors.New("no window") }}
	r := callPatch(t, connect(t, s, p, "2025-06-18", false), false)
	if got := contents(t, dir); !r.IsError || got != before || !strings.Contains(textOf(r), "no window") {
		t.Errorf("%s: %q", textOf(r), got)
	}
}

func TestNobodyBehindTheClient(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s, dir := policed(t)
			r := callPatch(t, connect(t, s, nil, way.revision, way.http), false)
			if got := contents(t, dir); !r.IsError || got != before || !strings.Contains(textOf(r), "cannot ask a person") {
				t.Errorf("%s: %q", textOf(r), got)
			}
		})
	}
}

// TestReadIsAsked checks that reading asks too, and that a list does not reveal what it would ask about.
func TestReadIsAsked(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s, _ := policed(t)
			p := &person{answer: says("deny", "private")}
			cs := connect(t, s, p, way.revision, way.http)
			read := func() string {
				r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "secret"}})
				must(t, err)
				return textOf(r)
			}
			if got := read(); strings.Contains(got, "hush") || !strings.Contains(got, "private") {
				t.Errorf("denied: %s", got)
			}
			p.answer = says("allow", "")
			if got := read(); !strings.Contains(got, "hush") {
				t.Errorf("allowed: %s", got)
			}
			r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_directory", Arguments: map[string]any{"path": "."}})
			must(t, err)
			if got := textOf(r); strings.Contains(got, "secret") || !strings.Contains(got, "free") {
				t.Errorf("listed: %s", got)
			}
			if len(p.questions) != 2 || strings.Contains(p.questions[1], "hush") {
				t.Errorf("questions: %q", p.questions)
			}
		})
	}
}

// byHand returns a client that makes each round of a question itself.
func byHand(t *testing.T, s *Server) func(patch, state string, answer *sdk.ElicitResult) *sdk.CallToolResult {
	t.Helper()
	cs := connectAs(t, s, &sdk.ClientOptions{MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, ElicitationHandler: (&person{}).asked}, statelessRevision, false)
	return func(patch, state string, answer *sdk.ElicitResult) *sdk.CallToolResult {
		t.Helper()
		params := &sdk.CallToolParams{Name: "apply_patch", Arguments: map[string]any{"patch": patch}, RequestState: state}
		if answer != nil {
			params.InputResponses = sdk.InputResponseMap{elicitation: answer}
		}
		r, err := cs.CallTool(t.Context(), params)
		must(t, err)
		return r
	}
}

var yes = &sdk.ElicitResult{Action: "accept", Content: map[string]any{"answer": "allow"}}

// TestStates checks that a state which does not belong to this very question allows nothing. The person is asked
// again.
func TestStates(t *testing.T) {
	other := strings.ReplaceAll(patchSQL, "+two", "+three")
	for _, tc := range []struct {
		name  string
		state func(t *testing.T, s *Server, round func(patch, state string, answer *sdk.ElicitResult) *sdk.CallToolResult, good string) string
	}{
		{"none", func(*testing.T, *Server, func(string, string, *sdk.ElicitResult) *sdk.CallToolResult, string) string {
			return ""
		}},
		{"forged", func(_ *testing.T, _ *Server, _ func(string, string, *sdk.ElicitResult) *sdk.CallToolResult, good string) string {
			return "x" + good[1:]
		}},
		{"of another process", func(t *testing.T, s *Server, _ func(string, string, *sdk.ElicitResult) *sdk.CallToolResult, good string) string {
			s.tickets = seal.New(answerTime)
			return good
		}},
		{"of another change", func(_ *testing.T, _ *Server, round func(string, string, *sdk.ElicitResult) *sdk.CallToolResult, _ string) string {
			return round(other, "", nil).RequestState
		}},
		{"of an older file", func(t *testing.T, s *Server, _ func(string, string, *sdk.ElicitResult) *sdk.CallToolResult, good string) string {
			must(t, os.WriteFile(filepath.Join(s.Workspaces[0].Root(), "free"), []byte("zero\none\n"), 0o644))
			return good
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, dir := policed(t)
			round := byHand(t, s)
			first := round(patchSQL, "", nil)
			if first.InputRequests[elicitation] == nil || first.RequestState == "" || strings.Contains(first.RequestState, "sql") {
				t.Fatalf("the question: %+v", first)
			}
			again := round(patchSQL, tc.state(t, s, round, first.RequestState), yes)
			if got := contents(t, dir); strings.Contains(got, "two") || again.InputRequests[elicitation] == nil {
				t.Fatalf("%s: %q", textOf(again), got)
			}
			if done := round(patchSQL, again.RequestState, yes); done.IsError || !strings.HasPrefix(contents(t, dir), "two\ntwo\n") {
				t.Errorf("%s: %q", textOf(done), contents(t, dir))
			}
		})
	}
}

// TestStateIsGoodOnce checks that an answer allows a change once. It cannot be used again after the change was
// undone.
func TestStateIsGoodOnce(t *testing.T) {
	s, dir := policed(t)
	round := byHand(t, s)
	state := round(patchSQL, "", nil).RequestState
	if r := round(patchSQL, state, yes); r.IsError {
		t.Fatal(textOf(r))
	}
	for _, name := range []string{"a.sql", "b.sql", "free"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("one\n"), 0o644))
	}
	r := round(patchSQL, state, yes)
	if got := contents(t, dir); got != before || r.InputRequests[elicitation] == nil {
		t.Errorf("%s: %q", textOf(r), got)
	}
}

func TestTicketExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tickets, change := seal.New(answerTime), []string{"a", "w", "c"}
		good := func(state string, what ...string) bool { return tickets.Redeem(state, what...) == nil }
		late, soon := tickets.Issue(change...), tickets.Issue(change...)
		time.Sleep(answerTime - time.Second)
		if !good(soon, change...) {
			t.Error("a ticket is not good for long enough")
		}
		time.Sleep(time.Second)
		if good(late, change...) {
			t.Error("a ticket is good for too long")
		}
		if good(tickets.Issue(change...), "a", "other", "c") {
			t.Error("a ticket is good in another workspace")
		}
		if good(tickets.Issue("b", "", ""), change...) {
			t.Error("a ticket is good for another change")
		}
		if !good(tickets.Issue(change...), change...) || tickets.UsedCount() != 1 {
			t.Errorf("%d tickets are remembered, want the one that has not expired", tickets.UsedCount())
		}
	})
}

// TestCancelledWhileAsked checks that cancelling a call ends its question: nothing is changed and nobody waits.
func TestCancelledWhileAsked(t *testing.T) {
	s, dir := policed(t)
	ctx, cancel := context.WithCancel(t.Context())
	p := &person{answer: func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
		cancel()
		<-t.Context().Done()
		return nil, t.Context().Err()
	}}
	cs := connect(t, s, p, "2025-11-25", false)
	if _, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "apply_patch", Arguments: map[string]any{"patch": patchSQL}}); err == nil {
		t.Error("a cancelled call has a result")
	}
	if r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_file", Arguments: map[string]any{"path": "free"}}); err != nil || r.IsError {
		t.Errorf("the next call: %v", err)
	}
	if got := contents(t, dir); got != before {
		t.Errorf("changed: %q", got)
	}
}

// TestQuestionIsReadable checks that the diff in a question is cut, and that nothing in it controls a terminal.
func TestQuestionIsReadable(t *testing.T) {
	q := api.Question{Actor: api.Actor{Client: "x\x1b[2J\n", Tool: "edit_file"}, Paths: []api.AskedPath{{Path: "a\nb", Write: true, Rule: "a*"}},
		Diff: strings.Repeat("+line\n", 1000)}
	got := askMessage(q)
	if n := strings.Count(got, "\n"); n > maxDiffLines+10 || strings.Contains(got, "\x1b") || strings.Contains(got, "a\nb") || !strings.Contains(got, "more lines are not shown") {
		t.Errorf("%d lines: %q", n, got)
	}
}

// TestTooManyQuestions checks that unanswered questions do not block other calls.
func TestTooManyQuestions(t *testing.T) {
	s, _ := policed(t)
	for range cap(s.askSlots) {
		s.askSlots <- struct{}{}
	}
	p := &person{answer: says("allow", "")}
	r := callPatch(t, connect(t, s, p, "2025-11-25", false), false)
	if !r.IsError || !strings.Contains(textOf(r), "too many requests") || len(p.questions) > 0 {
		t.Errorf("%s, %d questions", textOf(r), len(p.questions))
	}
}

// TestNoAnswer checks that a call ends without a change if nobody answers.
func TestNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, dir := policed(t)
		ctx, cancel := context.WithCancel(t.Context())
		mine, theirs := sdk.NewInMemoryTransports()
		served, err := s.SDK().Connect(ctx, theirs, nil)
		must(t, err)
		c := sdk.NewClient(&sdk.Implementation{Name: "tester"}, &sdk.ClientOptions{
			ElicitationHandler: func(ctx context.Context, _ *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}})
		cs, err := c.Connect(ctx, mine, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		must(t, err)
		start := time.Now()
		r := callPatch(t, cs, false)
		if took := time.Since(start); !r.IsError || contents(t, dir) != before || !strings.Contains(textOf(r), "did not answer") || took != answerTime {
			t.Errorf("after %v: %s", took, textOf(r))
		}
		cs.Close()
		served.Close()
		cancel()
	})
}
