package web

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	callIDs  = regexp.MustCompile(`<li class="call" id="(call-[0-9]+)" data-entry="([^"]+)" data-outcome="([a-z]+)">`)
	chipRefs = regexp.MustCompile(`(?s)<ul class="chips".*?</ul>`)
	hrefs    = regexp.MustCompile(`href="([^"]+)"`)
	olders   = regexp.MustCompile(`rel="next" href="([^"]+)"`)
)

// outcomesIn returns the outcomes of the calls on a page, newest first.
func outcomesIn(body string) (out []string) {
	for _, m := range callIDs.FindAllStringSubmatch(body, -1) {
		out = append(out, m[3])
	}
	return out
}

func TestTimelineEmpty(t *testing.T) {
	p := newTestPages(t, nil)
	body := p.get("/ui/default/")
	says(t, body, "No changes yet", "emend setup claude-code")
	if !strings.Contains(body, `<div class="empty">`) || len(outcomesIn(body)) > 0 || strings.Contains(body, "<figure") {
		t.Error(body)
	}
	says(t, p.get("/ui/default/?q=x"), "No results", "Clear all")
	says(t, p.get("/ui/default/sessions"), "No sessions yet", "emend setup claude-code")
}

// TestTimelinePage shows a call of each outcome that needs no crash.
func TestTimelinePage(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n"})
	p.agentCall("create_file", map[string]any{"path": "b.txt", "content": "b\n"})
	undone := p.lastEntry()
	p.agentCall("undo", map[string]any{"entry": undone})
	p.tryCall("edit_file", p.editArguments("a.txt", "not there", "x"))
	p.agentCall("delete_file", map[string]any{"path": "a.txt"})
	body := p.get("/ui/default/")
	if got := outcomesIn(body); !slices.Equal(got, []string{"done", "refused", "done", "undone"}) {
		t.Errorf("outcomes are %v", got)
	}
	says(t, body, "Deleted a.txt", "Tried to edit a.txt: the old text was not found", "Reverted b.txt", "Created b.txt", "Undone",
		"robot 1.2", "session of", "Today", "just now", "Last 24 hours", "2 done", "1 refused", "1 undone", "Peak 4", "Data")
	if !strings.Contains(body, `<ol class="calls" data-live="calls">`) || !strings.Contains(body, `<a class="open" href="`+p.entryPage(undone)+`">`) {
		t.Error(body)
	}
}

// TestTimelineFilters sets each condition, and removes it by its chip.
func TestTimelineFilters(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n"})
	p.agentCall("create_file", map[string]any{"path": "b & c.txt", "content": "b\n"})
	p.tryCall("edit_file", p.editArguments("a.txt", "not there", "x"))
	for query, want := range map[string]int{
		"outcome=refused": 1, "outcome=done": 1, "tool=create_file": 1, "tool=nothing": 0, "q=B+%26": 1, "session=s1": 2, "agent=robot": 2,
		"client=robot+1.2": 2, "path=a.txt": 1, "since=1h": 2, "until=1h": 0, "since=1h&outcome=done&q=b": 1,
	} {
		body := p.get("/ui/default/?" + query)
		if got := outcomesIn(body); len(got) != want {
			t.Errorf("%s: %d calls, want %d", query, len(got), want)
		}
		chips := hrefs.FindAllStringSubmatch(chipRefs.FindString(body), -1)
		if len(chips) != strings.Count(query, "&")+2 {
			t.Errorf("%s: %d chips", query, len(chips))
		}
		for _, c := range chips {
			p.get(html.UnescapeString(c[1]))
		}
	}
	body := p.get("/ui/default/?since=soon")
	says(t, body, "Write a date (2026-01-31)")
	if len(outcomesIn(body)) > 0 || strings.Contains(body, `class="empty"`) {
		t.Error("a list stands beside a condition that was not understood")
	}
}

// TestTimelineOlder reads all pages: together they have every call once, newest first.
func TestTimelineOlder(t *testing.T) {
	p := newTestPages(t, nil)
	const n = callsPerPage + 7
	for i := range n {
		p.agentCall("create_file", map[string]any{"path": fmt.Sprintf("f%02d.txt", i), "content": "x\n"})
	}
	var ids []string
	for at := "/ui/default/?tool=create_file"; at != ""; {
		body := p.get(at)
		for _, m := range callIDs.FindAllStringSubmatch(body, -1) {
			ids = append(ids, m[2])
		}
		at = ""
		if m := olders.FindStringSubmatch(body); m != nil {
			if at = html.UnescapeString(m[1]); !strings.Contains(at, "tool=create_file") {
				t.Fatalf("%s forgets what was asked", at)
			}
			continue
		}
		says(t, body, "Back to the newest")
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(ids) != n || len(unique) != n {
		t.Errorf("%d calls on all pages, %d of them different, want %d", len(ids), len(unique), n)
	}
}

func TestSessions(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n", "same.txt": "same\n"})
	p.agentCall("edit_file", p.editArguments("a.txt", "one", "two"))
	p.agentCall("edit_file", p.editArguments("a.txt", "two", "three"))
	p.agentCall("edit_file", p.editArguments("same.txt", "same", "other"))
	p.agentCall("edit_file", p.editArguments("same.txt", "other", "same"))
	says(t, p.get("/ui/default/sessions"), "Edited a.txt and same.txt", "a.txt, same.txt", "robot 1.2", "+4 −4", "4 done")
	body := p.get("/ui/default/session?id=s1")
	says(t, body, "Edited a.txt and same.txt", "s1", "4 calls", "1 file changed, 1 file restored", "one", "three", "Undo the session", "Changed and restored same.txt", "Calls")
	if strings.Contains(words(body), "two") || strings.Count(body, `<section class="file"`) != 1 || len(outcomesIn(body)) != 4 {
		t.Error(words(body))
	}
	status, body := p.try("/ui/default/session?id=nobody")
	if status == 200 && strings.Contains(body, "Undo the session") {
		t.Errorf("a session that is not there can be undone: %d %s", status, words(body))
	}
}

func TestHealth(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n"})
	says(t, p.get("/ui/default/health"), "Problems None", "Log No records yet", "Interrupted changes None", "The first change creates it", "No interrupted changes")
	p.agentCall("edit_file", p.editArguments("a.txt", "one", "two"))
	p.agentCall("edit_file", p.editArguments("b.txt", "b", "c"))
	must(t, os.WriteFile(filepath.Join(p.dir, "a.txt"), []byte("by hand\n"), 0o644))
	body := p.get("/ui/default/health")
	for _, part := range []string{`id="doctor"`, `id="log"`, `id="recovery"`, `>Check the log</a>`, `href="/ui/default/health?verify=1#log"`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s", part)
		}
	}
	saysNot(t, body, "are unchanged")
	says(t, p.get("/ui/default/health?verify=1"), "intact", "are unchanged", "1 file matches the log.", "a.txt: changed outside emend")
}

// TestCheckIsNotWaitedFor: the page comes while the log is checked, says so, and starts no second check when it is reloaded.
func TestCheckIsNotWaitedFor(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n"})
	p.agentCall("edit_file", p.editArguments("a.txt", "one", "two"))
	c := p.site.checkers["default"]
	running := make(chan struct{})
	c.mu.Lock()
	c.last, c.done = logCheck{Number: 1, Started: time.Now(), Done: 3, Total: 1200}, running // a check that takes as long as the test wants
	c.mu.Unlock()
	body := p.get("/ui/default/health?verify=1")
	says(t, body, "Checking the log", "3 of 1,200 files compared")
	for _, part := range []string{`data-again="1"`, `<noscript><meta http-equiv="refresh"`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s", part)
		}
	}
	saysNot(t, body, "Check the log")
	c.run(p.ws, p.site.Log)
	for range 2 {
		body = p.get("/ui/default/health?verify=1")
		says(t, body, "up to record", "are unchanged")
		if strings.Contains(body, "data-again") || !strings.Contains(body, "verify=2#log") || c.last.Number != 1 {
			t.Errorf("it is checked again by itself, or cannot be: %+v", c.last)
		}
	}
	says(t, p.get("/ui/default/health?verify=2"), "are unchanged")
	if c.last.Number != 2 {
		t.Errorf("%+v", c.last)
	}
}

// TestCountsAreNotWaitedFor: the page comes while the log is counted, and says so.
func TestCountsAreNotWaitedFor(t *testing.T) {
	p := newTestPages(t, nil)
	p.agentCall("create_file", map[string]any{"path": "a.txt", "content": "x\n"})
	c := p.site.counters["default"]
	c.mu.Lock()
	c.done = make(chan struct{}) // a count that takes as long as the test wants
	c.mu.Unlock()
	body := p.get("/ui/default/")
	says(t, body, "Counting…", "Created a.txt")
	if !strings.Contains(body, `data-again="1"`) {
		t.Error("an open page will not ask again")
	}
	c.count(p.site.Log)
	if body = p.get("/ui/default/"); !strings.Contains(body, "<figure") || strings.Contains(body, `data-again`) {
		t.Error("what was counted is not shown")
	}
}

// TestCountEnds: closing the site ends a running count.
func TestCountEnds(t *testing.T) {
	p := newTestPages(t, nil)
	p.get("/ui/default/")
	must(t, p.site.Close())
	c := p.site.counters["default"]
	if err := c.ctx.Err(); err == nil {
		t.Error("the count goes on")
	}
	if got := c.latest(time.Minute, p.site.Log); got == nil {
		t.Error("what was counted before is lost")
	}
}

// editArguments are the arguments that replace a text in a file.
func (p *testPages) editArguments(path, before, after string) map[string]any {
	return map[string]any{"path": path, "expectedSha256": p.sum(path), "edits": []any{map[string]any{"oldText": before, "newText": after}}}
}
