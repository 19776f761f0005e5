package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestWhoAsks checks that the log has what the client says about itself, in every revision of the protocol.
func TestWhoAsks(t *testing.T) {
	turn := map[string]any{"session_id": "0199-aa", "thread_id": "0199-bb", "model": "m"}
	for _, revision := range revisions {
		r := newTestClient(t, Config{})
		s := r.serve(nil, revision)
		process := r.srv.sessionNames.stdio
		for i, row := range []struct {
			meta sdk.Meta
			want api.LogEntry
		}{
			{nil, api.LogEntry{SessionID: process}},
			{sdk.Meta{"progressToken": 7}, api.LogEntry{SessionID: process}},
			{sdk.Meta{"claudecode/toolUseId": "toolu_01"}, api.LogEntry{SessionID: process, Call: "toolu_01"}},
			{sdk.Meta{"callId": "call_1", "x-codex-turn-metadata": turn}, api.LogEntry{SessionID: "0199-aa", Call: "call_1"}},
			{sdk.Meta{"callId": "call_2", "x-codex-turn-metadata": `{"thread_id":"0199-bb"}`}, api.LogEntry{SessionID: "0199-bb", Call: "call_2"}},
			{sdk.Meta{"x-codex-turn-metadata": map[string]any{"session_id": "s-abcdefghijkl"}}, api.LogEntry{SessionID: process}}, // the server's form
			{sdk.Meta{"x-codex-turn-metadata": map[string]any{"session_id": "S-0123456789ab"}}, api.LogEntry{SessionID: process}},
			{sdk.Meta{"x-codex-turn-metadata": map[string]any{"session_id": "s-1"}}, api.LogEntry{SessionID: "s-1"}},
			{sdk.Meta{"callId": 5, "x-codex-turn-metadata": "{"}, api.LogEntry{SessionID: process}},
			{sdk.Meta{"callId": "a\x1b[31m\n\u202eb" + strings.Repeat("é", 150)}, api.LogEntry{SessionID: process, Call: "a[31mb" + strings.Repeat("é", 97)}},
		} {
			r.call(s, "create_file", map[string]any{"path": fmt.Sprintf("f%d", i), "content": "x\n"}, row.meta)
			a, err := r.ws.History(t.Context(), api.HistoryRequest{Limit: 1})
			if err != nil {
				t.Fatal(err)
			}
			e := a.Data.Entries[0]
			if e.Client != "probe/1.2" || e.SessionID != row.want.SessionID || e.Call != row.want.Call || e.AgentName != "" || e.ToolName != "create_file" {
				t.Errorf("%s, %v: client %q, session %q, call %q, agent %q", revision, row.meta, e.Client, e.SessionID, e.Call, e.AgentName)
			}
		}
	}
}

// TestWhoAsksOverHTTP checks that the log names a session of the protocol, by a name that does not let anybody into
// it.
func TestWhoAsksOverHTTP(t *testing.T) {
	for _, revision := range revisions {
		r := newTestClient(t, Config{})
		seen := map[string]bool{}
		for i := range 4 {
			s := r.serveHTTP(revision)
			for j := range 2 {
				r.call(s, "create_file", map[string]any{"path": fmt.Sprintf("f%d%d", i, j), "content": "x\n"}, nil)
				a, err := r.ws.History(t.Context(), api.HistoryRequest{Limit: 1})
				if err != nil {
					t.Fatal(err)
				}
				e := a.Data.Entries[0]
				if len(e.SessionID) != 14 || e.SessionID == s.ID() || e.SessionID == r.srv.sessionNames.stdio || e.Client != "probe/1.2" {
					t.Errorf("%s: session %q, client %q", revision, e.SessionID, e.Client)
				}
				seen[e.SessionID] = true
			}
		}
		if want := map[bool]int{true: 1, false: 4}[revision >= statelessRevision]; len(seen) != want {
			t.Errorf("%s: %d sessions, want %d: %v", revision, len(seen), want, seen)
		}
	}
}

// TestCommandLineWins checks that a client cannot change the actor that the command line set.
func TestCommandLineWins(t *testing.T) {
	r := newTestClient(t, Config{Actor: api.Actor{Session: "mine", Agent: "me"}})
	s := r.serve(nil, "")
	r.call(s, "create_file", map[string]any{"path": "f", "content": "x\n"}, sdk.Meta{"x-codex-turn-metadata": map[string]any{"session_id": "theirs"}})
	a, err := r.ws.History(t.Context(), api.HistoryRequest{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e := a.Data.Entries[0]; e.SessionID != "mine" || e.AgentName != "me" || e.Client != "probe/1.2" {
		t.Errorf("session %q, agent %q, client %q", e.SessionID, e.AgentName, e.Client)
	}
}

// TestVisits checks that over HTTP without sessions, a client keeps its session until it was silent for long.
func TestVisits(t *testing.T) {
	v := newSessionNames()
	now := time.Now()
	first := v.recentName("a", now)
	if again := v.recentName("a", now.Add(sessionNameIdle)); again != first {
		t.Error("a client that came again soon is in another session")
	}
	if later := v.recentName("a", now.Add(2*sessionNameIdle+time.Second)); later == first {
		t.Error("a client that was away for long is in the same session")
	}
	if v.recentName("b", now) == first {
		t.Error("two clients are in one session")
	}
	for i := range 2 * maxRecentSessions {
		v.recentName(fmt.Sprint(i), now)
	}
	if len(v.recent) > maxRecentSessions {
		t.Errorf("%d visits are remembered", len(v.recent))
	}
	as := func(token, client string) string {
		return v.name(new(sdk.ServerSession), &sdk.RequestExtra{Header: http.Header{"Authorization": {token}}}, client)
	}
	if one := as("Bearer x", "c"); one != as("Bearer x", "c") || one == as("Bearer y", "c") || one == as("Bearer x", "d") || one == v.stdio || strings.Contains(one, "x") && len(one) != 14 {
		t.Errorf("the session %q of a visit", one)
	}
}

// TestLongTurn checks that turn metadata is not parsed if it is too long.
func TestLongTurn(t *testing.T) {
	for text, want := range map[string]string{`{"session_id":"me"}`: "me", `{"session_id":"me","x":"` + strings.Repeat("0,", maxTurnMetadata) + `"}`: ""} {
		if got := clientSession(sdk.Meta{"x-codex-turn-metadata": text}); got != want {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
	}
}
