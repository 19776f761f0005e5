package web

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend"
)

// TestFlood: an agent that puts as many questions as there is room for, as large as they may be, makes no page that cannot
// be used. What the page does not show can be denied there, and is allowed where it is shown.
func TestFlood(t *testing.T) {
	p := build(t, nil)
	b := p.in()
	b.get("/ui/default/waiting").want(t, 200)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	const most = 64
	for range most {
		q := emend.Question{Root: p.ws.Root(), Actor: emend.Actor{Client: "c", Agent: "a", Session: "s", Tool: "create_file"}, Digest: "d",
			Paths: []emend.AskedPath{{Path: "p", Write: true, Rule: "p"}}, Diff: "--- a/p\n+++ b/p\n@@ -0,0 +1,2500 @@\n" + strings.Repeat("+\n", 2500)}
		go p.ws.AskThere(ctx, q, time.Minute) //nolint:errcheck // nobody answers
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
	alone.want(t, 200, `class="once"`, `class="session"`, `class="deny"`, "All that waits", strings.TrimPrefix(one[most/2], "/ui/default/waiting?id="))
	if rows := strings.Count(alone.body, `<tr class="add`); rows != 2500 || strings.Count(alone.body, `<article class="question"`) != 1 {
		t.Errorf("%d rows of 2500", rows)
	}
}

// TestQuestionCut: a change that is too long to be asked about as a whole says so.
func TestQuestionCut(t *testing.T) {
	p := asking(t)
	c := p.waits("s1", "apply_patch", migration(strings.Repeat("x", 70<<10)))
	body := p.shown(1)
	says(t, body, "bytes are not shown")
	p.get("/ui/default/waiting")
	p.done(body, "deny")
	p.comes(c)
}
