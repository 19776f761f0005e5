package browser

import (
	"strings"
	"testing"
	"time"
)

// migration returns the arguments of a call that the shop's policy asks about.
func migration(name string) map[string]any {
	return map[string]any{"path": "migrations/" + name, "content": "ALTER TABLE orders ADD COLUMN vat INTEGER;\n"}
}

// answered waits for the end of a call.
func answered(t *testing.T, c <-chan answer) answer {
	t.Helper()
	select {
	case r := <-c:
		return r
	case <-time.After(timeLimit):
		t.Fatal("the call goes on waiting")
		return answer{}
	}
}

// TestWaiting has a person, who watches the timeline, allow one waiting call and deny another.
func TestWaiting(t *testing.T) {
	w := shop(t)
	b := w.ui().pages(t)
	b.until("the page is live", live)
	a := w.agent("s-1")

	call := a.begin("create_file", migration("0002_vat.sql"))
	b.until("the page says that a call waits", `document.querySelector("header nav").innerText.includes("1")`)
	b.do("see what waits", clickOn(`header nav a[href$="/waiting"]`))
	b.says("article.question", "migrations/0002_vat.sql", "Claude Code 2.1", "create")
	b.says("article.question table.diff", "ADD COLUMN vat")
	w.holds("while it waits", "migrations/0002_vat.sql", "")
	b.press("article.question", "Allow once")
	if r := answered(t, call); !r.OK {
		t.Errorf("allowed: %s", r.Output)
	}
	w.holds("allowed", "migrations/0002_vat.sql", migration("")["content"].(string))

	b.open("waiting")
	b.waitFor("div.empty")
	b.until("the page is live", live)
	call = a.begin("create_file", migration("0003_more.sql"))
	b.waitFor("article.question") // without a reload
	b.fill("article.question", "Reason", "one column at a time")
	b.press("article.question", "Deny")
	r := answered(t, call)
	if r.OK || !strings.Contains(r.Output, "one column at a time") {
		t.Errorf("denied: %v %s", r.OK, r.Output)
	}
	w.holds("denied", "migrations/0003_more.sql", "")
	b.entry("refused", "migrations/0003_more.sql")
}

// live is true while the page receives updates.
const live = `/\blive\b/i.test(document.querySelector("header").innerText)`

// TestWaitingForSession allows all calls under the same rule until the session ends.
func TestWaitingForSession(t *testing.T) {
	w := shop(t)
	b := w.ui().pages(t)
	b.open("waiting")
	b.until("the page is live", live)
	a := w.agent("s-1")
	call := a.begin("create_file", migration("0002_vat.sql"))
	b.press("article.question", "Allow for the session")
	if r := answered(t, call); !r.OK {
		t.Fatalf("allowed: %s", r.Output)
	}
	if r := answered(t, a.begin("create_file", migration("0003_more.sql"))); !r.OK {
		t.Errorf("the same session asks again: %s", r.Output)
	}
}

// TestNobodyThere checks that a call that needs a person is refused at once if no page is open.
func TestNobodyThere(t *testing.T) {
	w := shop(t)
	w.ui()
	start := time.Now()
	r := answered(t, w.agent("s-1").begin("create_file", migration("0002_vat.sql")))
	took := time.Since(start)
	t.Logf("waiting: without a page the call is refused after %v", took.Round(time.Millisecond))
	if r.OK || took > timeLimit/2 || !strings.Contains(r.Output, "emend ui") {
		t.Errorf("without a page: %v after %v\n%s", r.OK, took, r.Output)
	}
}

// TestWaitingWithoutScript answers with JavaScript disabled: the page reloads itself.
func TestWaitingWithoutScript(t *testing.T) {
	w := shop(t)
	b := w.ui().pages(t)
	b.disableScripts()
	b.open("waiting")
	b.waitFor("div.empty")
	call := w.agent("s-1").begin("create_file", migration("0002_vat.sql"))
	b.waitFor("article.question")
	b.press("article.question", "Allow once")
	if r := answered(t, call); !r.OK {
		t.Errorf("allowed: %s", r.Output)
	}
}
