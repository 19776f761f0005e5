package lost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emend-dev/emend/hub/index"
)

// builtEmend returns the path of emend, which it builds once for all tests, in its own module.
var builtEmend = sync.OnceValues(func() (string, error) {
	hub, err := built()
	if err != nil {
		return "", err
	}
	file := filepath.Join(filepath.Dir(hub), "emend")
	if out, err := exec.Command("go", "-C", "../../..", "build", "-o", file, "./cmd/emend").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return file, nil
})

// agents runs sessions of scripted models in one workspace, one after the other, and counts what they were told. Each is a client of the official SDK
// with "emend serve" over standard input and output. Claude Code's also run its hooks, as "emend setup claude-code" installs them.
type agents struct {
	*onDisk
	emend    string
	sessions int
	turns    int
	done     []acknowledged
	refused  int
}

// acknowledged is a change that a client was told of.
type acknowledged struct{ tx, session, turn, call, tool string }

// session is one session of an agent.
type session struct {
	*agents
	*mcp.ClientSession
	t     *testing.T
	ctx   context.Context // of the calls; it does not end with the writing, so that every call has an answer
	name  string
	codex bool
	turn  string
	call  int
}

// work runs sessions until ctx ends.
func (a *agents) work(t *testing.T, ctx context.Context) {
	for ctx.Err() == nil {
		if err := a.session(t, ctx); err != nil {
			t.Errorf("%s: session %d: %v", a.dir, a.sessions, err)
			return
		}
	}
}

func (a *agents) session(t *testing.T, ctx context.Context) (err error) {
	a.sessions++
	s := &session{agents: a, t: t, ctx: context.WithoutCancel(ctx), codex: a.sessions%2 == 0,
		name: fmt.Sprintf("session-%s-%d", a.m.Joined.Workspace[50:], a.sessions)}
	client := &mcp.Implementation{Name: "claude-code", Version: "2.1.329"}
	args := []string{"serve", "--session", s.name}
	if s.codex { // it names its session with each call
		client, args = &mcp.Implementation{Name: "codex-mcp-client", Version: "0.159.0"}, args[:1]
	}
	var said bytes.Buffer
	serve := s.run(args...)
	serve.Stderr = &said
	if s.ClientSession, err = mcp.NewClient(client, nil).Connect(s.ctx, &mcp.CommandTransport{Command: serve}, nil); err != nil {
		return fmt.Errorf("%w: %s", err, said.String())
	}
	defer func() {
		if closeErr := s.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("%w: %s", closeErr, said.String())
		}
	}()
	for n := range 5 {
		if ctx.Err() != nil {
			return nil
		}
		if err := s.prompt(ctx, n); err != nil {
			return fmt.Errorf("turn %d: %w", n, err)
		}
	}
	return nil
}

func (s *session) run(args ...string) *exec.Cmd {
	cmd := exec.Command(s.emend, args...)
	cmd.Dir, cmd.Env = s.dir, s.env()
	return cmd
}

// hook tells emend of a moment, as Claude Code does.
func (s *session) hook(moment string) error {
	if s.codex {
		return nil
	}
	text, err := json.Marshal(map[string]any{"hook_event_name": moment, "session_id": s.name, "prompt_id": s.turn, "cwd": s.dir,
		"tool_name": "Bash", "tool_use_id": s.id(), "tool_input": map[string]string{"command": "make"}})
	if err != nil {
		return err
	}
	cmd := s.run("hook", "claude-code")
	cmd.Stdin = bytes.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", moment, err, out)
	}
	return nil
}

func (s *session) id() string { return fmt.Sprintf("toolu_%s_%d", s.name, s.call) }

// tool calls a tool, and returns the text of the answer. want is a word of the refusal, or "" if the call has to succeed.
func (s *session) tool(want, name string, args map[string]any) (string, error) {
	time.Sleep(time.Duration(rand.Int64N(int64(*think)))) // a model thinks
	s.call++
	p := &mcp.CallToolParams{Name: name, Arguments: args, Meta: mcp.Meta{"claudecode/toolUseId": s.id()}}
	if s.codex {
		p.Meta = mcp.Meta{"callId": s.id(), "x-codex-turn-metadata": map[string]string{"session_id": s.name, "turn_id": s.turn}}
	}
	r, err := s.CallTool(s.ctx, p)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	var text strings.Builder
	for _, c := range r.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text.WriteString(c.Text)
		}
	}
	if (want != "") != r.IsError || !strings.Contains(text.String(), want) {
		return "", fmt.Errorf("%s: want %q, got %s", name, want, text.String())
	}
	var is struct {
		Meta struct{ Tx string } `json:"_meta"`
	}
	if raw, err := json.Marshal(r.StructuredContent); err == nil && json.Unmarshal(raw, &is) == nil && is.Meta.Tx != "" && !r.IsError {
		s.done = append(s.done, acknowledged{is.Meta.Tx, s.name, s.turn, s.id(), name})
	}
	if want != "" && name != "read_file" {
		s.refused++
	}
	return text.String(), nil
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// prompt plays the calls of an agent for one prompt: it writes, reads, edits with the hash, is refused as stale since a person saved the file, reads and edits
// again, patches two files in two formats, deletes and restores, runs a command that writes, and undoes.
func (s *session) prompt(ctx context.Context, n int) error {
	s.turns++
	s.turn = fmt.Sprintf("turn-%d", n)
	dir := fmt.Sprintf("w%d", n)
	conf, a, b := dir+"/server.conf", dir+"/a.txt", dir+"/b.txt"
	var sha string
	hashed := func(text string, err error) error {
		if _, rest, ok := strings.Cut(text, "sha256 "); ok && len(rest) >= 64 {
			sha = strings.TrimSpace(rest)[:64]
		} else if err == nil {
			err = fmt.Errorf("no hash in %q", text)
		}
		return err
	}
	call := func(want, name string, args map[string]any) error {
		_, err := s.tool(want, name, args)
		return err
	}
	edit := func(want, from, to string) error {
		return call(want, "edit_file", map[string]any{"path": conf, "expectedSha256": sha, "edits": []map[string]string{{"oldText": from, "newText": to}}})
	}
	write := func(path, text string) error {
		err := os.RemoveAll(filepath.Join(s.dir, path)) // what a session before left: a person tidies up
		if err == nil {
			err = call("", "create_file", map[string]any{"path": path, "content": text, "createParentDirectories": true})
		}
		return err
	}
	steps := []func() error{
		func() error { return s.hook("UserPromptSubmit") },
		func() error { return write(conf, "port = 3000\nhost = a\n") },
		func() error { return write(a, "one\ntwo\nthree\n") },
		func() error { return write(b, "drei\n") },
		func() error { return hashed(s.tool("", "read_file", map[string]any{"path": conf})) },
		func() error { return edit("", "port = 3000", "port = 4000") },
		func() error { return edit("stale_file", "port = 4000", "port = 5000") },
		func() error {
			return os.WriteFile(filepath.Join(s.dir, conf), []byte("port = 4000\nhost = a person's\n"), 0o644)
		},
		func() error { return hashed(s.tool("", "read_file", map[string]any{"path": conf})) },
		func() error { return edit("", "port = 4000", "port = 5000") },
		func() error {
			return call("", "apply_patch", map[string]any{"patch": fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n one\n-two\n+zwei\n*** Update File: %s\n@@\n-drei\n+three\n*** End Patch\n", a, b)})
		},
		func() error {
			return call("", "apply_patch", map[string]any{"patch": fmt.Sprintf("--- a/%s\n+++ b/%[1]s\n@@ -1,3 +1,3 @@\n one\n-zwei\n+two\n three\n", a)})
		},
		func() error {
			return call("old_text_not_found", "edit_file", map[string]any{"path": a, "expectedSha256": sum("one\ntwo\nthree\n"), "edits": []map[string]string{{"oldText": "four", "newText": "five"}}})
		},
		func() error {
			return call("outside_workspace", "create_file", map[string]any{"path": "../out", "content": "x", "createParentDirectories": true})
		},
		func() error {
			text, err := s.tool("", "delete_file", map[string]any{"path": b, "expectedSha256": sum("three\n")})
			if err != nil {
				return err
			}
			_, rest, _ := strings.Cut(text, "in the trash as ")
			id, _, _ := strings.Cut(rest, "\n")
			return call("", "restore_file", map[string]any{"trashedPath": strings.TrimRight(strings.Fields(id + " ")[0], ".,)")})
		},
		func() error { return s.hook("PreToolUse") },
		func() error {
			return os.WriteFile(filepath.Join(s.dir, dir, "made"), fmt.Appendf(nil, "made by a command in %s, %s\n", s.name, s.turn), 0o644)
		},
		func() error { return s.hook("PostToolUse") },
		func() error {
			return call("", "move_file", map[string]any{"fromPath": a, "toPath": dir + "/c.txt", "expectedSha256": sum("one\ntwo\nthree\n")})
		},
		func() error { return call("", "undo", map[string]any{"entry": s.done[len(s.done)-1].tx}) },
		func() error {
			return call("", "delete_file", map[string]any{"path": a, "expectedSha256": sum("one\ntwo\nthree\n")})
		},
		func() error { return call("", "undo", map[string]any{}) },
	}
	for i, step := range steps {
		if ctx.Err() != nil {
			return nil
		}
		if err := step(); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

// check finds each change that a client was told of in the index of the hub, under its session and with the id of its call.
func (a *agents) check(t *testing.T, x *index.Index) (kinds map[string]int) {
	t.Helper()
	ws := a.m.Joined.Workspace
	for _, d := range a.done {
		e, err := x.Entry(t.Context(), ws, d.tx)
		if err != nil {
			t.Errorf("%s: %s of %s was acknowledged, and the hub: %v", a.dir, d.tool, d.session, err)
			continue
		}
		if r := e.Record; r.Actor.Session != d.session || r.Actor.Call != d.call || r.Actor.Tool != d.tool {
			t.Errorf("%s: the client was told of %+v, and the hub has %+v", a.dir, d, r.Actor)
		}
	}
	kinds = map[string]int{}
	for q := (index.Query{Workspaces: []string{ws}, Limit: 500}); ; {
		page, err := x.Find(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			kinds[e.Record.Kind]++
			if bytes.Contains(e.Record.Line, []byte(`"seen":{`)) {
				kinds["seen"]++
			}
			if e.Record.Actor.Turn != "" {
				kinds["turn"]++
			}
		}
		if q.Before = page.Next; q.Before == 0 {
			break
		}
	}
	if n := kinds["failed"] + kinds["denied"]; n != a.refused {
		t.Errorf("%s: %d calls were refused, and the hub has %d", a.dir, a.refused, n)
	}
	if n := kinds["commit"] + kinds["undo"] - kinds["seen"]; n != len(a.done) {
		t.Errorf("%s: %d changes were acknowledged, and the hub has %d", a.dir, len(a.done), n)
	}
	return kinds
}
