package browser

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// fleetHub is emend-hub serve, with a directory of its own.
type fleetHub struct {
	t                  *testing.T
	program, data      string
	url, token, invite string
	key                string // the public key of policy packs
}

// serveHub builds emend-hub, and starts a hub.
func serveHub(t *testing.T) *fleetHub {
	t.Helper()
	dir := t.TempDir()
	h := &fleetHub{t: t, program: filepath.Join(dir, "emend-hub"), data: filepath.Join(dir, "data")}
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", h.program, "./cmd/emend-hub")
	build.Dir = filepath.Join("..", "..", "hub")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	h.key = strings.TrimSpace(h.run("policy", "key", filepath.Join(dir, "pack.key")))
	cmd := h.command("serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--policy-key", h.key)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h.start(cmd)
	lines := bufio.NewScanner(out)
	for h.invite == "" && lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) > 1 && f[0] == "pages":
			h.url = f[1]
		case len(f) > 2 && f[0] == "sign":
			h.token = f[2]
		case len(f) > 3 && f[0] == "join":
			h.invite = strings.Trim(f[3], "'")
		}
	}
	if h.url == "" || h.token == "" || h.invite == "" {
		t.Fatalf("emend-hub serve does not say how to come in: %+v", h)
	}
	return h
}

func (h *fleetHub) command(args ...string) *exec.Cmd {
	cmd := exec.Command(h.program, append(args, "--data", h.data)...)
	cmd.Env = []string{"HOME=" + filepath.Dir(h.data), "PATH=/usr/bin:/bin", "LANG=C.UTF-8", "TZ=UTC"}
	return cmd
}

func (h *fleetHub) run(args ...string) string {
	h.t.Helper()
	out, err := h.command(args...).Output()
	if err != nil {
		if e, ok := errors.AsType[*exec.ExitError](err); ok {
			h.t.Fatalf("emend-hub %s: %v\n%s", strings.Join(args, " "), err, e.Stderr)
		}
		h.t.Fatal(err)
	}
	return string(out)
}

// start starts a program that ends when it is told to.
func (h *fleetHub) start(cmd *exec.Cmd) (stop func()) {
	h.t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	stop = sync.OnceFunc(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(timeLimit, func() { cmd.Process.Kill() })
		defer late.Stop()
		if err := cmd.Wait(); err != nil {
			h.t.Errorf("%s, told to end: %v\n%s", cmd, err, said.String())
		}
	})
	h.t.Cleanup(stop)
	return stop
}

// join joins a workspace, which allows everything.
func (h *fleetHub) join(w *world, name string) {
	h.t.Helper()
	cmd := exec.Command(h.program, "join", h.invite, w.work, "--name", name, "--allow", "undo,approve,policy,stop", "--ship", "diffs")
	cmd.Env = w.env
	h.start(cmd)
}

// pages opens a window that is signed in.
func (h *fleetHub) pages(t *testing.T) *tab {
	t.Helper()
	b := window(t, h.url+"/ui/")
	command(b, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	b.do("come in", chromedp.Navigate(h.url+"/ui/#token="+h.token))
	b.until("the fleet", `document.querySelector("header nav") && document.readyState === "complete"`)
	b.base = eval[string](b, "location.origin + location.pathname")
	return b
}

// set sets the value of a field.
func (b *tab) set(selector, value string) {
	b.t.Helper()
	b.waitFor(selector)
	b.do("set "+selector, evaluate("document.querySelector("+quote(selector)+").value = "+quote(value)))
}

// reload opens a path until an element says what is expected of other programs.
func (b *tab) reload(path, selector, says string) {
	b.t.Helper()
	for end := time.Now().Add(2 * timeLimit); ; time.Sleep(100 * time.Millisecond) {
		b.open(path)
		b.waitFor("main")
		if eval[bool](b, "(document.querySelector("+quote(selector)+")?.innerText ?? '').includes("+quote(says)+")") {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s never says %q\n%s", path, says, b.state())
		}
	}
}

// TestHub is the story of a fleet: two workspaces join, get a policy, ask, are undone and stopped, all from the pages of the hub. Every page is
// audited, and its picture taken; EMEND_IMAGES=write keeps those of the documentation.
func TestHub(t *testing.T) {
	needBrowser(t)
	root, images := t.TempDir(), t.TempDir()
	if os.Getenv("EMEND_IMAGES") == "write" {
		images = filepath.Join("..", "..", "docs", "images") // no pictured page shows the path of a workspace
	}
	h := serveHub(t)
	shop, site := worldAt(t, filepath.Join(root, "one"), map[string]string{"src/cart.ts": "export const total = 1;\n", "migrations/0001.sql": "CREATE TABLE orders;\n"}), worldAt(t, filepath.Join(root, "two"), map[string]string{"index.html": "<h1>Shop</h1>\n"})
	h.join(shop, "shop-7")
	h.join(site, "site")
	b := h.pages(t)
	b.reload("", "table", "shop-7")
	b.reload("", "table", "site")

	// A label, a policy that is signed elsewhere, and its rollout.
	b.follow("table", "shop-7")
	b.waitFor("dl.facts")
	b.do("open the form", clickOn("details.more-facts summary"))
	b.set("#labels", "payments")
	b.press("main", "Change")
	b.says(".flash", "Changed.")
	b.says("dl.facts", "payments")
	file := filepath.Join(t.TempDir(), "policy.toml")
	shop.put(file, "[write]\nask = [\"migrations/**\"]\n")
	pack := h.run("policy", "sign", "--key", filepath.Join(filepath.Dir(h.data), "pack.key"), "payments", "1", file)
	b.open("policy")
	b.set("#pack", pack)
	b.press("main", "Publish")
	b.says(".flash", "Published payments version 1.")
	b.set("select[name=label]", "payments")
	b.press("section.card", "Roll out")
	b.says(".flash", "1 workspace confirmed it at once.")
	b.reload("policy", "table", "1 of 1")

	// Work, and a call that waits.
	site.agent("s-41").call("create_file", map[string]any{"path": "about.html", "content": "<p>About us</p>\n"})
	agent := shop.client("claude-code", "2.1.329", "--session", "cart-rounding", "--wait", "1m")
	agent.edit("src/cart.ts", "total = 1", "total = Math.round(1)")
	agent.call("create_file", map[string]any{"path": "src/round.ts", "content": "export const round = Math.round;\n"})
	b.reload("timeline", "ol.calls", "src/round.ts")
	b.until("the page is live", live)
	asking := shop.client("claude-code", "2.1.329", "--session", "vat", "--wait", "1m")
	call := asking.begin("create_file", migration("0002_vat.sql"))
	b.until("the header counts it", `document.querySelector("header nav").innerText.includes("(1)")`)
	b.follow("header nav", "Waiting (1)")
	b.says("article.question", "migrations/0002_vat.sql", "Claude Code 2.1", "shop-7", "payments")
	b.says("article.question table.diff", "ADD COLUMN vat")
	h.auditPictures(b, images, pageState{"hub-waiting", "waiting", "article.question"})
	b.open("waiting")
	b.press("article.question", "Allow once")
	b.says(".flash", "Allowed.")
	if r := answered(t, call); !r.OK {
		t.Errorf("allowed: %s", r.Output)
	}
	shop.holds("allowed", "migrations/0002_vat.sql", migration("")["content"].(string))
	call = asking.begin("create_file", migration("0003_more.sql"))
	b.reload("waiting", "article.question", "0003_more.sql")
	b.fill("article.question", "Reason", "one column at a time")
	b.press("article.question", "Deny")
	b.says(".flash", "Denied.")
	if r := answered(t, call); r.OK || !strings.Contains(r.Output, "one column at a time") {
		t.Errorf("denied: %v %s", r.OK, r.Output)
	}

	// Without JavaScript, the same.
	plain := window(t, h.url+"/ui/")
	command(plain, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true})
	plain.disableScripts()
	plain.open("")
	plain.paste(h.token)
	plain.until("the fleet", `document.querySelector("header nav")`)
	plain.base = eval[string](plain, "location.origin + location.pathname")
	call = asking.begin("create_file", migration("0004_plain.sql"))
	plain.reload("waiting", "article.question", "0004_plain.sql")
	plain.do("allow", clickOn("form.once button"))
	plain.says(".flash", "Allowed.")
	if r := answered(t, call); !r.OK {
		t.Errorf("allowed without scripts: %s", r.Output)
	}

	// The keys, and the undo of a session.
	b.reload("sessions", "ol.sessions", "cart-rounding")
	b.keys("gt")
	b.until("the timeline", `location.pathname.endsWith("/timeline")`)
	b.open("timeline?workspace=shop-7&q=round.ts")
	b.says("ol.calls", "src/round.ts")
	h.auditPictures(b, images, pageState{"hub-entry", b.link("ol.calls", eval[string](b, `document.querySelector("ol.calls a.open").textContent.trim()`)), "section.file"})
	b.open("sessions")
	b.do("undo the session", clickOn("ol.sessions li:has(a[href*=cart-rounding]) a.undo"))
	b.says("section.dryrun", "src/cart.ts", "src/round.ts", "Math.round")
	undo := strings.TrimPrefix(eval[string](b, "location.href"), b.base)
	h.auditPictures(b, images, pageState{"hub-undo", undo, "section.dryrun"})
	b.open(undo)
	b.press("form.do", "Undo")
	b.says(".flash", "Undone.")
	shop.holds("undone", "src/cart.ts", "export const total = 1;\n")
	shop.holds("undone", "src/round.ts", "")

	// The kill switch.
	b.open("stop")
	b.fill("main", "Reason", "an incident")
	b.press("form.card", "Stop")
	b.says(".flash", "1 workspace confirmed it at once.")
	if r := agent.refused("create_file", map[string]any{"path": "x", "content": "x\n"}); !strings.Contains(r.Output, "an incident") {
		t.Errorf("a stopped workspace: %s", r.Output)
	}
	site.agent("s-42").call("create_file", map[string]any{"path": "x", "content": "x\n"})
	b.reload("stop", "main", "shop-7: since")
	b.reload("", "table", "stopped")
	h.auditPictures(b, images, pageState{"hub-fleet", "", "table"}, pageState{"hub-timeline", "timeline", "li.call"}, pageState{"hub-stop", "stop", "form.card"},
		pageState{"hub-policy", "policy", "table"}, pageState{"hub-acts", "acts?check=1", "[role=status]"}, pageState{"hub-sessions", "sessions", "ol.sessions"})
	session := b.sessionOf("cart-rounding")
	h.audit(b, pageState{"access", "access", "form.card"}, pageState{"none", "timeline?q=nothing+has+this", "div.empty"}, pageState{"session", session, "ol.calls"},
		pageState{"file", "timeline?path=src/cart.ts&since=1h", "li.call"}, pageState{"waiting-empty", "waiting", "div.empty"})
	b.open("stop")
	b.press("ul.stops", "Resume")
	b.says(".flash", "1 workspace confirmed it at once.")
	agent.call("create_file", map[string]any{"path": "x", "content": "x\n"})

	// What the terminal says of it.
	if said := h.run("verify"); !strings.Contains(said, " of 2 workspaces, 0 findings") {
		t.Errorf("emend-hub verify: %s", said)
	}
	b.press("header", "Sign out")
	b.waitFor("input[name=token]")
}

// sessionOf returns the page of a session.
func (b *tab) sessionOf(name string) string {
	b.t.Helper()
	b.open("sessions")
	return b.link("ol.sessions", name)
}

// audit audits pages on every screen.
func (h *fleetHub) audit(b *tab, places ...pageState) {
	h.t.Helper()
	for i := range places {
		places[i].path = strings.TrimPrefix(places[i].path, b.base)
	}
	b.auditAll(places)
}

// auditPictures audits pages, and takes their pictures on every screen.
func (h *fleetHub) auditPictures(b *tab, dir string, places ...pageState) {
	h.t.Helper()
	h.audit(b, places...)
	for _, s := range screens {
		b.setScreen(s)
		for _, p := range places {
			b.takePicture(p, filepath.Join(dir, p.name+"-"+s.name+".png"))
		}
	}
	b.setScreen(screens[0])
}
