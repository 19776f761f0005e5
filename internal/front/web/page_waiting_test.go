package web

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/tool"
)

// newAskingPages is a workspace whose policy asks, with its pages.
func newAskingPages(t *testing.T) *testPages {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "policy.toml")
	must(t, os.WriteFile(policy, []byte("[write]\nask = [\"migrations/**\"]\n[read]\nask = [\"customers\"]\n"), 0o600))
	return newTestPages(t, map[string]string{"migrations/1.sql": "select 1;\n", "customers": "Ann\n", "free": "free\n"}, emend.Policy(policy))
}

// startCall starts a call that waits for a person, and returns where its result will come.
func (p *testPages) startCall(session, name string, args map[string]any) <-chan *report.Object {
	p.t.Helper()
	p.get("/ui/default/waiting") // from now on somebody is there
	text, err := json.Marshal(args)
	must(p.t, err)
	out, grants := make(chan *report.Object, 1), p.grantsOf(session)
	ctx := emend.WithActor(p.t.Context(), api.Actor{Client: "robot 1.2", Agent: "robot", Session: session})
	ctx = emend.WithAsker(ctx, func(ctx context.Context, q api.Question) (string, error) {
		return p.ws.Host().AskAtPage(ctx, q, time.Minute, grants)
	})
	go func() { out <- tool.Call(ctx, p.ws, name, text).(*report.Object) }()
	return out
}

// grantsOf returns the grants of a session of this test, nil for none.
func (p *testPages) grantsOf(session string) *emend.Grants {
	if session != "" && p.grants[session] == nil {
		p.grants[session] = new(emend.Grants)
	}
	return p.grants[session]
}

// waitForQuestions returns the page as soon as it has n questions.
func (p *testPages) waitForQuestions(n int) string {
	p.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		body := p.get("/ui/default/waiting")
		if strings.Count(body, `<article class="question"`) == n {
			return body
		}
		if time.Now().After(end) {
			p.t.Fatalf("the page does not come to have %d questions:\n%s", n, words(body))
		}
	}
}

func (p *testPages) result(c <-chan *report.Object) *report.Object {
	p.t.Helper()
	select {
	case o := <-c:
		return o
	case <-time.After(20 * time.Second):
		p.t.Fatal("the call does not end")
		return nil
	}
}

func migration(text string) map[string]any {
	return map[string]any{"patch": "*** Begin Patch\n*** Update File: migrations/1.sql\n@@\n-select 1;\n+" + text + "\n*** End Patch\n"}
}

// TestWaitingAllow: the page shows who asks for what and by which rule, and a yes allows it once.
func TestWaitingAllow(t *testing.T) {
	p := newAskingPages(t)
	says(t, p.get("/ui/default/waiting"), "No pending approvals.", "policy.toml", `ask = ["migrations/**"`)
	call := p.startCall("s1", "apply_patch", migration("select 2;"))
	body := p.waitForQuestions(1)
	says(t, body, "robot 1.2 wants to edit migrations/1.sql", "Program, as it says", "robot 1.2", "s1", "apply_patch", "Edit migrations/1.sql rule migrations/**",
		"− select 1;", "+ select 2;", "Without an answer it is refused in", "The agent waits 1 minute", "Allow once", "Allow for the session", "Deny", "Reason")
	says(t, p.get("/ui/default/"), "Timeline")
	if nav := p.get("/ui/default/trash"); !strings.Contains(nav, "(1)") {
		t.Error("the other pages do not say that a call waits")
	}
	says(t, p.submit(body, "once"), "Allowed. The call continues.")
	if o := p.result(call); !o.OK() || p.read("migrations/1.sql") != "select 2;\n" {
		t.Fatalf("%s: %q", o.Text(), p.read("migrations/1.sql"))
	}
	says(t, p.get(p.entryPage(p.lastEntry())), "Approved by", "a person")
	p.waitForQuestions(0)

	if status, _, body := p.press(body, "deny"); status != 409 { // the same question in another window
		t.Errorf("%d %s", status, words(body))
	} else {
		says(t, body, "The answer was not accepted", "answered")
	}
}

// TestWaitingDeny: the agent gets the reason.
func TestWaitingDeny(t *testing.T) {
	p := newAskingPages(t)
	call := p.startCall("", "apply_patch", migration("drop table users;"))
	body := p.waitForQuestions(1)
	saysNot(t, body, "Allow for the session")
	says(t, p.submit(body, "deny", "reason", "frozen until <Monday> & later"), "Denied.")
	if o := p.result(call); o.OK() || !strings.Contains(o.Text(), "frozen until <Monday> & later") {
		t.Fatalf("the agent reads %s", o.Text())
	}
	says(t, p.get(p.entryPage(p.lastEntry())), "Tried to edit migrations/1.sql", "frozen until <Monday> & later")
}

// TestWaitingSession: after "Allow for the session" the same rules ask no more in that session.
func TestWaitingSession(t *testing.T) {
	p := newAskingPages(t)
	call := p.startCall("s1", "apply_patch", migration("select 2;"))
	body := p.waitForQuestions(1)
	says(t, body, "For the session: changing migrations/**, until the agent disconnects.")
	p.submit(body, "session")
	if o := p.result(call); !o.OK() {
		t.Fatal(o.Text())
	}
	if o := p.result(p.startCall("s1", "create_file", map[string]any{"path": "migrations/2.sql", "content": "x"})); !o.OK() {
		t.Fatal(o.Text())
	}
	p.startCall("s2", "create_file", map[string]any{"path": "migrations/3.sql", "content": "x"})
	p.waitForQuestions(1)
}

// TestWaitingReading: the question of a call that only reads shows nothing of the file.
func TestWaitingReading(t *testing.T) {
	p := newAskingPages(t)
	call := p.startCall("s1", "read_file", map[string]any{"path": "customers"})
	body := p.waitForQuestions(1)
	says(t, body, "robot 1.2 wants to read customers", "changes nothing")
	saysNot(t, body, "Ann")
	p.submit(body, "once")
	if o := p.result(call); !o.OK() {
		t.Fatal(o.Text())
	}
}

// TestSplitDiffs: a question is split into files with the notes before each. A patch stays whole.
func TestSplitDiffs(t *testing.T) {
	one, two := "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-# x\n+# y\n", "diff --git a/b b/b\n"
	for _, tc := range []struct {
		text string
		want []notedDiff
	}{
		{"", nil},
		{one, []notedDiff{{nil, one}}},
		{"# b is deleted permanently\n" + two, []notedDiff{{[]string{"b is deleted permanently"}, two}}},
		{one + "# note\n# more\n" + two, []notedDiff{{nil, one}, {[]string{"note", "more"}, two}}},
		{"*** Begin Patch\n# not a note\n*** End Patch\n", []notedDiff{{nil, "*** Begin Patch\n# not a note\n*** End Patch\n"}}},
	} {
		got := splitDiffs(tc.text)
		if len(got) != len(tc.want) {
			t.Fatalf("%q: %+v", tc.text, got)
		}
		for i := range got {
			if got[i].text != tc.want[i].text || strings.Join(got[i].notes, "|") != strings.Join(tc.want[i].notes, "|") {
				t.Errorf("%q: %+v, want %+v", tc.text, got[i], tc.want[i])
			}
		}
	}
}

func allow(context.Context, api.Question) (string, error) { return "a test", nil }
