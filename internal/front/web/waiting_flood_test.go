package web

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
)

// TestManyQuestions: an agent that asks as many and as large questions as it can does not make the page unusable. A question
// that is not shown can be denied there, and has a page of its own where it can be allowed.
func TestManyQuestions(t *testing.T) {
	p := newTestSite(t, nil)
	b := p.signIn()
	b.get("/ui/default/waiting").want(t, 200)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const most = 64
	for range most {
		q := api.Question{Root: p.ws.Root(), Actor: api.Actor{Client: "c", Agent: "a", Session: "s", Tool: "create_file"}, Digest: "d",
			Paths: []api.AskedPath{{Path: "p", Write: true, Rule: "p"}}, Diff: "--- a/p\n+++ b/p\n@@ -0,0 +1,2500 @@\n" + strings.Repeat("+\n", 2500)}
		go p.ws.Host().AskAtPage(ctx, q, time.Minute, new(emend.Grants)) //nolint:errcheck // nobody answers
	}
	eventually(t, "they wait", func() bool { w, _ := p.ws.Waiting(t.Context()); return len(w) == most })
	a := b.get("/ui/default/waiting")
	a.want(t, 200, `<article class="question"`)
	if n := strings.Count(a.body, `<article class="question"`); n != most || strings.Count(a.body, `class="deny"`) != most {
		t.Errorf("%d of %d questions are shown", n, most)
	}
	if len(a.body) > 2<<20 || strings.Count(a.body, `class="once"`) != 1 || strings.Count(a.body, `class="session"`) != 1 {
		t.Errorf("the page has %d bytes, and %d can be allowed", len(a.body), strings.Count(a.body, `class="once"`))
	}
	one := regexp.MustCompile(`/ui/default/waiting\?id=q[a-z2-7]+`).FindAllString(a.body, -1)
	if len(one) != most-1 {
		t.Fatalf("%d lead to a page of their own", len(one))
	}
	alone := b.get(one[most/2])
	alone.want(t, 200, `class="once"`, `class="session"`, `class="deny"`, "All pending approvals", strings.TrimPrefix(one[most/2], "/ui/default/waiting?id="))
	if rows := strings.Count(alone.body, `<tr class="add`); rows != 2500 || strings.Count(alone.body, `<article class="question"`) != 1 {
		t.Errorf("%d rows of 2500", rows)
	}
}

// TestLongQuestion: a question whose change is too long to be shown says so.
func TestLongQuestion(t *testing.T) {
	p := newAskingPages(t)
	c := p.startCall("s1", "apply_patch", migration(strings.Repeat("x", 70<<10)))
	body := p.waitForQuestions(1)
	says(t, body, "bytes are not shown")
	p.get("/ui/default/waiting")
	p.submit(body, "deny")
	p.result(c)
}
