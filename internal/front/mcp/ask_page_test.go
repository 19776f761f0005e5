package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// paged returns a server whose calls wait for a person, and the workspace as the process of an open page has it.
func paged(t *testing.T) (s *Server, page *emend.Workspace, dir string) {
	t.Helper()
	s, dir = policed(t)
	s.AskWait = 45 * time.Second
	page, err := emend.Open(dir)
	must(t, err)
	t.Cleanup(func() { page.Close() })
	leave, err := page.Host().PageOpen(api.AnsweredByPage)
	must(t, err)
	t.Cleanup(leave)
	return s, page, dir
}

// firstWaiting waits until a call waits for a person.
func firstWaiting(t *testing.T, page *emend.Workspace) api.Waiting {
	t.Helper()
	for range 3000 {
		all, err := page.Waiting(t.Context())
		must(t, err)
		if len(all) > 0 {
			return all[0]
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("nothing waits")
	return api.Waiting{}
}

// noneWaits fails unless no call waits any more within a short time.
func noneWaits(t *testing.T, s *Server, page *emend.Workspace) {
	t.Helper()
	for range 3000 {
		all, err := page.Waiting(t.Context())
		must(t, err)
		if len(all) == 0 && len(s.askSlots) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Error("a call waits still")
}

// patching applies the patch in the background.
func patching(ctx context.Context, t *testing.T, cs *sdk.ClientSession, meta sdk.Meta) <-chan *sdk.CallToolResult {
	out := make(chan *sdk.CallToolResult, 1)
	var calls sync.WaitGroup
	calls.Go(func() {
		r, err := cs.CallTool(ctx, &sdk.CallToolParams{Meta: meta, Name: "apply_patch", Arguments: map[string]any{"patch": patchSQL}})
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		out <- r
	})
	t.Cleanup(calls.Wait)
	return out
}

// TestAnsweredAtThePage checks that for every transport and revision, the call of a client that cannot ask waits for
// the page.
func TestAnsweredAtThePage(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s, page, dir := paged(t)
			cs := connect(t, s, nil, way.revision, way.http)
			done := patching(t.Context(), t, cs, nil)
			is := firstWaiting(t, page)
			if q := is.Question; q.Actor.Client != "tester/1" || q.Actor.Session == "" || q.Actor.Tool != "apply_patch" || len(q.Paths) != 2 || strings.Count(q.Diff, "+two") != 3 {
				t.Errorf("a person is shown %+v", is)
			}
			_, err := page.Deny(t.Context(), api.DenyRequest{ID: is.ID, Reason: "use a new migration"})
			must(t, err)
			if r := <-done; !r.IsError || !strings.Contains(textOf(r), "use a new migration") || contents(t, dir) != before {
				t.Errorf("denied: %s", textOf(r))
			}
			done = patching(t.Context(), t, cs, nil)
			_, err = page.Allow(t.Context(), api.AllowRequest{ID: firstWaiting(t, page).ID})
			must(t, err)
			if r := <-done; r.IsError || contents(t, dir) != after {
				t.Errorf("allowed: %s", textOf(r))
			}
			noneWaits(t, s, page)
		})
	}
}

// TestClientIsAskedFirst checks that a client with a dialog of its own is asked, even if a page is open.
func TestClientIsAskedFirst(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			s, page, dir := paged(t)
			p := &person{answer: says("deny", "no")}
			r := callPatch(t, connect(t, s, p, way.revision, way.http), false)
			if all, err := page.Waiting(t.Context()); len(all) > 0 || err != nil || len(p.questions) != 1 || !r.IsError || contents(t, dir) != before {
				t.Errorf("%d questions to the client; %+v, %v: %s", len(p.questions), all, err, textOf(r))
			}
		})
	}
}

// TestDialogFails checks that the page is asked if the client's own dialog fails.
func TestDialogFails(t *testing.T) {
	s, page, dir := paged(t)
	p := &person{answer: func(*sdk.ElicitParams) (*sdk.ElicitResult, error) { return nil, errors.New("no window") }}
	done := patching(t.Context(), t, connect(t, s, p, "2025-06-18", false), nil)
	_, err := page.Allow(t.Context(), api.AllowRequest{ID: firstWaiting(t, page).ID})
	must(t, err)
	if r := <-done; r.IsError || len(p.questions) != 1 || contents(t, dir) != after {
		t.Errorf("%d questions to the client: %s", len(p.questions), textOf(r))
	}
	noneWaits(t, s, page)
}

// TestWithdrawn checks that the question of a cancelled call, or of a client that is gone, is withdrawn.
func TestWithdrawn(t *testing.T) {
	for _, way := range ways {
		for _, leaves := range []bool{false, true} {
			t.Run(way.name, func(t *testing.T) {
				s, page, dir := paged(t)
				cs := connect(t, s, nil, way.revision, way.http)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := patching(ctx, t, cs, nil)
				id := firstWaiting(t, page).ID
				cancel()
				if leaves {
					cs.Close()
				}
				noneWaits(t, s, page)
				if _, err := page.Allow(t.Context(), api.AllowRequest{ID: id}); err == nil {
					t.Error("it could be allowed afterwards")
				}
				<-done
				if got := contents(t, dir); got != before {
					t.Errorf("changed: %q", got)
				}
			})
		}
	}
}

// TestAllowedForASession checks that a call that was allowed for its session takes no slot of those that wait, and
// that the permission ends with the session.
func TestAllowedForASession(t *testing.T) {
	s, page, dir := paged(t)
	cs := connect(t, s, nil, "2025-11-25", true)
	done := patching(t.Context(), t, cs, nil)
	_, err := page.Allow(t.Context(), api.AllowRequest{ID: firstWaiting(t, page).ID, Session: true})
	must(t, err)
	if r := <-done; r.IsError {
		t.Fatal(textOf(r))
	}
	restore := func() {
		for _, name := range []string{"a.sql", "b.sql", "free"} {
			must(t, os.WriteFile(filepath.Join(dir, name), []byte("one\n"), 0o644))
		}
	}
	restore()
	for range cap(s.askSlots) {
		s.askSlots <- struct{}{}
	}
	if r := callPatch(t, cs, false); r.IsError || contents(t, dir) != after {
		t.Errorf("again: %s", textOf(r))
	}
	restore()
	other := connect(t, s, nil, "2025-11-25", true)
	if r := callPatch(t, other, false); !r.IsError || !strings.Contains(textOf(r), "too many requests") || contents(t, dir) != before {
		t.Errorf("another session: %s", textOf(r))
	}
}

// TestProgressWhileItWaits checks that a client that asked for progress is told every five seconds that a person is
// asked, and that it is told if nobody answers.
func TestProgressWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, page, dir := paged(t)
		mine, theirs := sdk.NewInMemoryTransports()
		served, err := s.SDK().Connect(t.Context(), theirs, nil)
		must(t, err)
		told := make(chan string, 100)
		c := sdk.NewClient(&sdk.Implementation{Name: "tester"}, &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context, n *sdk.ProgressNotificationClientRequest) { told <- n.Params.Message }})
		cs, err := c.Connect(t.Context(), mine, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
		must(t, err)
		from := time.Now()
		r := <-patching(t.Context(), t, cs, sdk.Meta{"progressToken": "p"})
		if took := time.Since(from); !r.IsError || contents(t, dir) != before || !strings.Contains(textOf(r), "nobody answered at the page within 45s") || took > 46*time.Second {
			t.Errorf("after %v: %s", took, textOf(r))
		}
		if n, first := len(told), <-told; n != 8 || !strings.Contains(first, "waiting for approval, 40 s left") {
			t.Errorf("told %d times, first %q", n, first)
		}
		cs.Close()
		served.Close()
		page.Close()
	})
}

// TestAgentsHaveNoAnswers checks that no agent has the tools that answer questions.
func TestAgentsHaveNoAnswers(t *testing.T) {
	s, _, _ := paged(t)
	cs := connect(t, s, nil, "2025-11-25", false)
	for _, name := range []string{"allow", "deny"} {
		if r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: map[string]any{"id": "q22222222222"}}); err == nil {
			t.Errorf("%s: %s", name, textOf(r))
		}
	}
}
