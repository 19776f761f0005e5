package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/tool"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// waysToConnect are ways, and the other revisions that the server speaks over HTTP.
var waysToConnect = append(ways[:len(ways):len(ways)], []struct {
	name, revision string
	http           bool
}{{"http, 2025-06-18", "2025-06-18", true}, {"http, 2025-03-26", "2025-03-26", true}, {"streams, 2025-03-26", "2025-03-26", false}}...)

// asksOnce waits for the question of a call that runs, and fails if the call ends without one.
func asksOnce(t *testing.T, page *emend.Workspace, done <-chan *sdk.CallToolResult, who string) api.Waiting {
	t.Helper()
	for range 3000 {
		select {
		case r := <-done:
			t.Fatalf("%s is not asked about: %s", who, textOf(r))
		default:
		}
		all, err := page.Waiting(t.Context())
		must(t, err)
		if len(all) > 0 {
			return all[0]
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%s: nothing waits", who)
	return api.Waiting{}
}

// codexSession is the metadata in which Codex names its session, and in which any client can.
func codexSession(name string) sdk.Meta {
	if name == "" {
		return nil
	}
	return sdk.Meta{"x-codex-turn-metadata": map[string]any{"session_id": name}}
}

// loggedSessions returns the names of sessions that the tool history tells.
func loggedSessions(t *testing.T, cs *sdk.ClientSession) (out []string) {
	t.Helper()
	r, err := cs.CallTool(t.Context(), &sdk.CallToolParams{Name: "history", Arguments: map[string]any{}})
	must(t, err)
	text, err := json.Marshal(r)
	must(t, err)
	out = regexp.MustCompile(`(s-[0-9a-z]{12}|codex-of-a)`).FindAllString(string(text), -1)
	if len(out) == 0 {
		t.Fatalf("history names no session: %s", text)
	}
	return out
}

// TestGrantsBelongToASession: what a person allows for the session holds in the session of the protocol that was asked about,
// and in no other connection, whatever that says of itself: the same name of the client, and the name of the other's session,
// which history tells. Over HTTP without sessions there is no grant, and none is offered.
func TestGrantsBelongToASession(t *testing.T) {
	for _, way := range waysToConnect {
		for _, says := range []string{"", "codex-of-a"} {
			t.Run(way.name+", says "+says, func(t *testing.T) {
				s, page, dir := paged(t)
				restore := func() {
					for _, name := range []string{"a.sql", "b.sql", "free"} {
						must(t, os.WriteFile(filepath.Join(dir, name), []byte("one\n"), 0o644))
					}
				}
				a, meta := connect(t, s, nil, way.revision, way.http), codexSession(says)
				done := patching(t.Context(), t, a, meta)
				is := asksOnce(t, page, done, "A's first call")
				_, err := page.Allow(t.Context(), api.AllowRequest{ID: is.ID, Session: true})
				if hasSession := !way.http || way.revision < statelessRevision; is.ForSession != hasSession || (err == nil) != hasSession {
					t.Errorf("it may be allowed for the session: %v, %v", is.ForSession, err)
				}
				if err != nil {
					if !errors.Is(err, fail.CommandFailed) || !strings.Contains(err.Error(), "belongs to no session") {
						t.Error(err)
					}
					_, err = page.Allow(t.Context(), api.AllowRequest{ID: is.ID})
					must(t, err)
				}
				if r := <-done; r.IsError {
					t.Fatal(textOf(r))
				}
				restore()
				done = patching(t.Context(), t, a, meta)
				if is.ForSession {
					if r := <-done; r.IsError || contents(t, dir) != after {
						t.Errorf("A's second call: %s", textOf(r))
					}
					restore()
				} else {
					deny(t, page, asksOnce(t, page, done, "A's second call"))
					<-done
				}
				b := connect(t, s, nil, way.revision, way.http)
				for _, name := range append(loggedSessions(t, b), "", says) {
					done = patching(t.Context(), t, b, codexSession(name))
					deny(t, page, asksOnce(t, page, done, fmt.Sprintf("B, which says that its session is %q,", name)))
					if r := <-done; !r.IsError || contents(t, dir) != before {
						t.Errorf("B, as %q: %s", name, textOf(r))
					}
				}
				if most := map[bool]int{false: 0, true: 2}[is.ForSession]; s.grants.count() > most {
					t.Errorf("grants of %d sessions are kept", s.grants.count())
				}
				a.Close()
				b.Close()
				for range 3000 {
					if s.grants.count() == 0 {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				if n := s.grants.count(); n > 0 && !way.http { // over HTTP the server ends what its client did not
					t.Errorf("%d grants outlive their sessions", n)
				}
			})
		}
	}
}

func deny(t *testing.T, page *emend.Workspace, is api.Waiting) {
	t.Helper()
	_, err := page.Deny(t.Context(), api.DenyRequest{ID: is.ID})
	must(t, err)
}

// TestDeleteWithoutASession: the end of no session withdraws nobody's question.
func TestDeleteWithoutASession(t *testing.T) {
	s, page, dir := paged(t)
	served := httptest.NewServer(s.HTTP(HTTPConfig{Token: "token"}))
	t.Cleanup(served.Close)
	done := patching(t.Context(), t, connect(t, s, nil, "2026-07-28", true), nil)
	is := asksOnce(t, page, done, "the call")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, served.URL+"/mcp", bytes.NewReader(nil))
	must(t, err)
	r, err := bearer{}.RoundTrip(req)
	must(t, err)
	r.Body.Close()
	if _, err := page.Allow(t.Context(), api.AllowRequest{ID: is.ID}); err != nil {
		t.Errorf("after DELETE without a session: %v", err)
	}
	if r := <-done; r.IsError || contents(t, dir) != after {
		t.Error(textOf(r))
	}
}

// TestOnlyAPage: under answer = "page" no client's dialog is believed and no terminal answers, and somebody at a terminal is
// nobody who could answer.
func TestOnlyAPage(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			_, dir := policed(t)
			file := filepath.Join(t.TempDir(), "policy.toml")
			must(t, os.WriteFile(file, []byte("[ask]\nanswer = \"page\"\n[write]\nask = [\"*.sql\"]\n"), 0o600))
			ws, err := emend.Open(dir, emend.Policy(file))
			must(t, err)
			t.Cleanup(func() { ws.Close() })
			s := New(Config{Workspaces: []tool.Workspace{{Workspace: ws}}, AskWait: 45 * time.Second})
			page, err := emend.Open(dir)
			must(t, err)
			t.Cleanup(func() { page.Close() })
			leave, err := page.Host().PageOpen(api.AnsweredByTerminal)
			must(t, err)
			defer leave()
			p := &person{answer: says("allow", "")}
			cs := connect(t, s, p, way.revision, way.http)
			if r := callPatch(t, cs, false); !r.IsError || !strings.Contains(textOf(r), "only a page may answer") || len(p.questions) > 0 {
				t.Errorf("%d questions to the client; %s", len(p.questions), textOf(r))
			}
			leave, err = page.Host().PageOpen(api.AnsweredByPage)
			must(t, err)
			defer leave()
			done := patching(t.Context(), t, cs, nil)
			is := asksOnce(t, page, done, "the call")
			for _, means := range []string{api.AnsweredByTerminal, api.AnsweredByCommand, ""} {
				ctx := emend.WithAnsweredBy(t.Context(), means)
				_, allowed := page.Allow(ctx, api.AllowRequest{ID: is.ID})
				_, denied := page.Deny(ctx, api.DenyRequest{ID: is.ID})
				for _, err := range []error{allowed, denied} {
					if e, ok := errors.AsType[*fail.Error](err); !ok || e.Kind != fail.PermissionDenied || !strings.Contains(e.Hint, "emend ui") {
						t.Errorf("answered by %q: %v", means, err)
					}
				}
			}
			_, err = page.Allow(emend.WithAnsweredBy(context.WithoutCancel(t.Context()), api.AnsweredByPage), api.AllowRequest{ID: is.ID})
			must(t, err)
			if r := <-done; r.IsError || len(p.questions) > 0 || contents(t, dir) != after {
				t.Errorf("%d questions to the client: %s", len(p.questions), textOf(r))
			}
		})
	}
}
