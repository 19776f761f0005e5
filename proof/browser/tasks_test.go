package browser

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// clicker counts what a person does on the pages.
type clicker struct {
	*tab
	clicks, keys int
}

// on clicks on the first element that matches a selector and whose text begins with words.
func (c *clicker) on(selector, words string) {
	c.t.Helper()
	found := fmt.Sprintf(`[...document.querySelectorAll(%q)].find(e => e.innerText.trim().startsWith(%q) && e.checkVisibility())`, selector, words)
	c.until(selector+" "+words, found)
	type at struct{ X, Y float64 }
	p := eval[at](c.tab, `(e => { e.scrollIntoView({block: "center"}); const r = e.getBoundingClientRect(); return {X: r.x + r.width/2, Y: r.y + r.height/2} })(`+found+`)`)
	c.do("click "+words, chromedp.MouseClickXY(p.X, p.Y))
	c.clicks++
}

// TestTaskClicks does the tasks of bench/tasks on the pages, from the timeline on, and compares the clicks with those of its table.
func TestTaskClicks(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	w := newWorld(t, map[string]string{"cart.go": numbered(nil), "notes.md": "# Notes\nnot committed\n"})
	w.policy("[write]\nask = [\"deploy.yml\"]\n")
	run := func(args ...string) {
		t.Helper()
		if out, err := w.command(append([]string{"--session", "s1", "--agent", "coder"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run("edit", "cart.go", "--old", "line 02", "--new", "two")
	lines := map[int]string{2: "two", 6: "six", 18: "eighteen"}
	w.write("edit.patch", "*** Begin Patch\n*** Update File: cart.go\n@@\n-line 06\n+six\n@@\n-line 18\n+eighteen\n*** End Patch\n")
	run("apply", "edit.patch")
	run("run", "--mode", "witness", "--turn", "t2", "--", "sh", "-c", "rm notes.md; echo last > last.txt")
	b := w.ui().pages(t)
	for _, task := range []struct {
		name         string
		clicks, keys int
		do           func(*clicker)
	}{
		{"see what an agent did since the last commit", 2, 0, func(c *clicker) {
			c.on("header nav a", "Sessions")
			c.on("li.session a.open", "")
			c.says("main", "cart.go", "last.txt")
		}},
		{"find who changed a line", 2, len("eighteen\r"), func(c *clicker) {
			c.on("summary", "Filters")
			c.on(`label[for="content"]`, "Changed line")
			c.tab.keys("eighteen\r")
			c.keys += len("eighteen\r")
			c.until("the change alone", `document.querySelectorAll("li.call").length === 1`)
			c.says("main", "coder", "cart.go")
		}},
		{"undo what came of the last prompt", 2, 0, func(c *clicker) {
			c.on("li.turn a", "Undo turn")
			c.on("form.do button", "Undo")
			c.until("it is done", `location.search.includes("done=1")`)
			w.holds("undone", "last.txt", "")
			w.holds("undone", "notes.md", "# Notes\nnot committed\n")
			run("rm", "notes.md")
		}},
		{"restore a deleted file by its name", 3, 0, func(c *clicker) {
			c.on("header nav a", "Trash")
			c.on("li.trashed a", "Restore")
			c.on("form.do button", "Restore")
			c.until("it is done", `location.search.includes("done=1")`)
			w.holds("restored", "notes.md", "# Notes\nnot committed\n")
		}},
		{"undo one hunk of several", 3, 0, func(c *clicker) {
			c.on("li.call a.open", "Edited") // the newest edit
			c.on("tr.hunk a.piece", "Undo")
			c.on("form.do button", "Undo")
			c.until("it is done", `location.search.includes("done=1")`)
			delete(lines, 6)
			w.holds("undone", "cart.go", numbered(lines))
		}},
		{"approve an agent's call", 2, 0, func(c *clicker) {
			c.open("")
			c.until("the page is live", live)
			call := w.agent("s-2").begin("create_file", map[string]any{"path": "deploy.yml", "content": "replicas: 9\n"})
			c.on("header nav a", "Waiting")
			c.on("form.once button", "Allow once")
			if r := answered(t, call); !r.OK {
				t.Errorf("%s", r.Output)
			}
		}},
	} {
		b.open("")
		c := &clicker{tab: b}
		task.do(c)
		if c.clicks != task.clicks || c.keys != task.keys {
			t.Errorf("%s: %d clicks and %d keys, the table has %d and %d", task.name, c.clicks, c.keys, task.clicks, task.keys)
		}
		t.Logf("tasks: %s: %s", task.name, strings.TrimSpace(fmt.Sprintf("%d clicks, %d keys", c.clicks, c.keys)))
	}
}

// numbered returns twenty lines, of which some are replaced.
func numbered(changed map[int]string) string {
	var b strings.Builder
	for i := 1; i <= 20; i++ {
		b.WriteString(cmp.Or(changed[i], fmt.Sprintf("line %02d", i)) + "\n")
	}
	return b.String()
}
