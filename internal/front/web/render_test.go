package web

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// everyPage makes some changes, and returns the addresses of all kinds of pages.
func everyPage(p *testPages) []string {
	p.agentCall("create_file", map[string]any{"path": "b.txt", "content": "b\n"})
	p.agentCall("edit_file", p.editArguments("a.txt", "one", "two"))
	edit := p.lastEntry()
	p.agentCall("delete_file", map[string]any{"path": "b.txt"})
	p.tryCall("edit_file", p.editArguments("a.txt", "not there", "x"))
	return []string{"/ui/default/", "/ui/default/?q=x&since=soon", "/ui/default/sessions", "/ui/default/session?id=s1", p.entryPage(edit),
		"/ui/default/file?path=a.txt", "/ui/default/trash", "/ui/default/waiting", "/ui/default/health?verify=1", "/ui/default/confirm/undo?entry=" + edit,
		"/ui/default/change/999"}
}

var (
	headings = regexp.MustCompile(`<h([1-6])[ >]`)
	ids      = regexp.MustCompile(` id="([^"]*)"`)
	fields   = regexp.MustCompile(`<(?:input|select|textarea) [^>]*>`)
	scripts  = regexp.MustCompile(`<script[^>]*>[^<]`)
)

// liveParts are the parts of each page that scripts update.
var liveParts = map[string][]string{"": {"calls", "chart", "more"}, "sessions": {"sessions"}, "session": {"files", "calls"}, "waiting": {"waiting"}, "trash": {"trash"}}

// TestFrame checks every page: landmarks, headings in order, labels of fields, unique ids, parts that are updated, and no
// inline script or style.
func TestFrame(t *testing.T) {
	p := newTestPages(t, map[string]string{"a.txt": "one\n"})
	for _, at := range everyPage(p) {
		_, body := p.try(at)
		for part, n := range map[string]int{"<h1": 1, "<main": 1, `<nav aria-label="Pages" data-live="nav">`: 1, `<html lang="en">`: 1, `<dialog id="keys"`: 1,
			`id="said" role="status"`: 1, `href="#main"`: 1, ` style="`: 0, "<style": 0} {
			if got := strings.Count(body, part); got != n {
				t.Errorf("%s has %s %d times, want %d", at, part, got, n)
			}
		}
		if scripts.MatchString(body) {
			t.Errorf("%s has a script in it", at)
		}
		for _, part := range liveParts[strings.SplitN(strings.TrimPrefix(at, "/ui/default/"), "?", 2)[0]] {
			if !strings.Contains(body, ` data-live="`+part+`"`) {
				t.Errorf("%s: the part %q is not kept up to date", at, part)
			}
		}
		checkHeadings(t, at, body)
		checkFields(t, at, body)
	}
}

func checkHeadings(t *testing.T, at, body string) {
	t.Helper()
	before := 0
	for _, m := range headings.FindAllStringSubmatch(body, -1) {
		level, _ := strconv.Atoi(m[1])
		if level > before+1 {
			t.Errorf("%s: a heading of level %d comes after one of %d", at, level, before)
		}
		before = level
	}
	seen := map[string]bool{}
	for _, m := range ids.FindAllStringSubmatch(body, -1) {
		if seen[m[1]] {
			t.Errorf("%s: two elements have the id %q", at, m[1])
		}
		seen[m[1]] = true
	}
}

func checkFields(t *testing.T, at, body string) {
	t.Helper()
	for _, f := range fields.FindAllString(body, -1) {
		id := ids.FindStringSubmatch(f)
		if strings.Contains(f, `type="hidden"`) || id != nil && strings.Contains(body, `<label for="`+id[1]+`"`) {
			continue
		}
		t.Errorf("%s: nothing labels %s", at, f)
	}
}

// TestNav: the header marks the current page, and counts the calls that wait.
func TestNav(t *testing.T) {
	for path, want := range map[string]string{"": "Timeline page", "sessions": "Sessions page", "session": "Sessions true", "waiting": "Waiting page",
		"trash": "Trash page", "trash/x.1": "Trash true", "health": "Health page", "change/x": "", "file": ""} {
		f, here := &frame{Workspace: &Workspace{Name: "a b"}, Root: Base, Path: "/ui/a b/" + path, Waiting: 2}, ""
		for _, l := range f.Nav() {
			if l.Current != "" {
				here += l.Text + " " + l.Current
			}
			if (l.Count == 2) != (l.Text == "Waiting") || !strings.HasPrefix(l.Href, "/ui/a%20b/") {
				t.Errorf("%+v", l)
			}
		}
		if here != want {
			t.Errorf("on %q it marks %q, want %q", path, here, want)
		}
	}
}
