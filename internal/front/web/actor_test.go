package web

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"

	"github.com/emend-dev/emend/internal/audit"
)

func TestActorOf(t *testing.T) {
	for _, c := range []struct{ agent, client, tool, name, initial string }{
		{"", "claude-code/2.1.329", "edit_file", "Claude Code 2.1", "CC"},
		{"", "codex-mcp-client/0.159.0", "edit_file", "Codex 0.159", "Cx"},
		{"person", "emend ui", "undo", "you", "Y"},
		{"", "", audit.Between, "Outside emend", "O"},
		{"", "", "edit_file", "Unknown", "U"},
		{"<b>\u202e", "", "", `<b>\u202e`, "B"},
		{"…", "", "", "…", "?"},
	} {
		got := actorOf(c.agent, c.client, c.tool)
		if got.Name != c.name || got.Initial != c.initial || got.Hue == "" {
			t.Errorf("%+v is %+v", c, got)
		}
	}
	if a, b := actorOf("", "claude-code/2.1.329", ""), actorOf("", "claude-code/3.0.1", ""); a.Hue != b.Hue {
		t.Error("another version has another colour")
	}
	if you := actorOf("person", "cli", ""); you.Hue != "hue-you" {
		t.Errorf("a person has the colour %s", you.Hue)
	}
}

func TestSessionTitle(t *testing.T) {
	call := func(outcome api.Outcome, operations ...string) api.LoggedCall {
		c := api.LoggedCall{Kind: "commit", Outcome: outcome}
		for i := 0; i < len(operations); i += 2 {
			c.Files = append(c.Files, api.LogEntry{Operation: operations[i], Path: operations[i+1]})
		}
		return c
	}
	list := func(calls ...api.LoggedCall) []api.LoggedCall { return calls } // the newest first
	undo := call(api.Done, "update", "src/z.go")
	undo.Kind = "undo"
	for want, calls := range map[string][]api.LoggedCall{
		"No files":      nil,
		"Reverted z.go": list(undo),
		"Edited a.go":   list(call(api.Done, "update", "src/a.go"), call(api.Undone, "update", "src/a.go"), undo),
		"Edited a.go and b.go, created c.go": list(call(api.Refused, "delete", "x"), call(api.Done, "update", "src/a.go", "update", "b.go"),
			call(api.Done, "update", "c.go"), call(api.Done, "add", "c.go")),
		"Created 3 files in src, deleted d": list(call(api.Done, "delete", "d"), call(api.Done, "add", "src/x/a", "add", "src/x/b", "add", "src/xy")),
		"Edited 3 files":                    list(call(api.Done, "update", "a", "update", "b/c", "update", "b/d")),
		"Tried to delete x":                 list(call(api.Refused, "delete", "x")),
	} {
		if got := sessionTitle(calls); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := clock(time.Date(2020, 5, 6, 7, 8, 0, 0, time.Local), time.Now()); got != "6 May 2020, 07:08" {
		t.Error(got)
	}
}

// TestProject: every page has the name of the directory and the branch, also after another branch was checked out.
func TestProject(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n", ".git/HEAD": "ref: refs/heads/main\n"})
	name := filepath.Base(p.dir)
	for _, branch := range []string{"main", "fix/cart"} {
		must(t, os.WriteFile(filepath.Join(p.dir, ".git", "HEAD"), []byte("ref: refs/heads/"+branch+"\n"), 0o644))
		for _, path := range []string{"", "trash", "change/999"} {
			_, body := p.try("/ui/default/" + path)
			if !strings.Contains(body, " · "+name+" ("+branch+") · emend</title>") || !strings.Contains(body, "<strong>"+name+"</strong> <code class=\"branch\" title=\"Branch\">"+branch+"</code>") {
				t.Errorf("%s does not say %s and %s", path, name, branch)
			}
		}
	}
	must(t, os.RemoveAll(filepath.Join(p.dir, ".git")))
	if body := p.get("/ui/default/"); !strings.Contains(body, " · "+name+" · emend</title>") {
		t.Error("no title without a repository")
	}
}

// TestAttempt: the page of refused edits shows each of them beside the nearest lines, and a purge removes them.
func TestAttempt(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "alpha\nfirst of many lines\nbeta one\ngamma\nepsilon\n", "b.txt": "b\n"})
	p.tryCall("edit_file", map[string]any{"path": "a.txt", "expectedSha256": p.sum("a.txt"), "edits": []any{
		map[string]any{"oldText": "first of many lines\nbeta two\ngamma", "newText": "<b>new</b>"}, map[string]any{"oldText": "alpha", "newText": "omega"}}})
	entry := p.lastEntry()
	body := p.get(p.entryPage(entry))
	says(t, body, "Attempted changes", "beta two", "beta one", "<b>new</b>", "omega", "Hunk 1", "Hunk 2", "Compared with the files as they are now.")
	p.patch(update("a.txt", "beta one", "BETA"))
	says(t, p.get(p.entryPage(entry)), "Compared with the files as they were then.", "beta one")
	if strings.Contains(body, "<b>new</b>") || !strings.Contains(body, "<mark>") {
		t.Error(body)
	}
	p.tryCall("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: a.txt\nnonsense\n"})
	says(t, p.get(p.entryPage(p.lastEntry())), "Attempted changes", "nonsense")
	p.tryCall("edit_file", map[string]any{"path": ".env", "expectedSha256": p.shaOf("x"), "edits": []any{map[string]any{"oldText": "a", "newText": "SECRET"}}})
	saysNot(t, p.get(p.entryPage(p.lastEntry())), "SECRET")

	change := p.patch(update("b.txt", "b", "c"))
	p.submit(p.get("/ui/default/confirm/purge?entries="+change), "do")
	saysNot(t, p.get(p.entryPage(entry)), "beta two")
}

// TestDiffOptions: white space is hidden and context shown as the address says, also in the rows that are fetched later.
func TestDiffOptions(t *testing.T) {
	var before, after strings.Builder
	for i := range 900 {
		line := "line " + grouped(i) + "\n"
		before.WriteString(line)
		switch {
		case i == 450:
			after.WriteString("changed\n")
		case i%100 == 0:
			after.WriteString("  " + line)
		default:
			after.WriteString(line)
		}
	}
	p := newTestPages(t, map[string]string{"a.txt": before.String()})
	p.agentCall("write_file", map[string]any{"path": "a.txt", "content": after.String(), "expectedSha256": p.sum("a.txt")})
	at := p.entryPage(p.lastEntry())
	body := p.get(at)
	says(t, body, "Hide white space changes", "+10 −10")
	body = p.get(at + "?w=1")
	says(t, body, "Show white space changes", "+1 −1", "changed")
	if strings.Count(body, `<tr class="hunk">`) != 1 {
		t.Error("hunks that are nothing but white space are shown")
	}
	says(t, p.get(at+"?context=10"), "line 441", "line 459")
	body = p.get(at + "?context=all")
	if !strings.Contains(body, `id="f0R200"`) || strings.Count(body, `<tr class="hunk">`) != 1 {
		t.Error("all lines are not shown")
	}
	more := linkTo(t, body, regexp.MustCompile(`<p class="more"><a href="([^"]+)"`), 0)
	if part := p.get(more + "&part=1"); !strings.Contains(part, `id="f0R450"`) || !strings.Contains(more, "context=all") {
		t.Errorf("%s has not the next lines", more)
	}
	says(t, p.get(strings.Replace(at, "/change/", "/patch/", 1)+".patch"), "diff --git a/a.txt b/a.txt")
}
