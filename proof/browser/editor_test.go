//go:build npm

package browser

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/emend-dev/emend/proof/npm"
)

// codeServer returns the program of code-server, which is VS Code in a browser.
func codeServer(t *testing.T) string {
	t.Helper()
	dir, err := npm.Install(t.Context(), "testdata/code-server")
	if err != nil {
		t.Skipf("NOT RUN: code-server is not to be had: %v", err)
	}
	server := filepath.Join(dir, "node_modules", "code-server")
	code := filepath.Join(server, "lib", "vscode")
	for _, dir := range []string{code, filepath.Join(code, "extensions")} {
		if err := npm.InstallWithin(t.Context(), dir); err != nil {
			t.Skipf("NOT RUN: the packages of code-server are not to be had: %v", err)
		}
	}
	if err := os.Symlink("node_modules", filepath.Join(code, "node_modules.asar")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	return filepath.Join(server, "out", "node", "entry.js")
}

// editor is a window of VS Code over the world's workspace, with the extension.
type editor struct {
	*tab
	w *world
}

// vsix packs the extension.
func vsix(t *testing.T) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "emend.vsix")
	cmd := exec.Command("go", "run", "./editors/vscode", "-version", "1.2.3", "-out", out)
	cmd.Dir = filepath.Join("..", "..")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return out
}

// settings are those of the editor: quiet, and with emend where the test built it.
func (w *world) settings(emendPath string) {
	w.t.Helper()
	text, err := json.Marshal(map[string]any{"emend.path": emendPath, "workbench.startupEditor": "none", "telemetry.telemetryLevel": "off", "workbench.tips.enabled": false,
		"extensions.ignoreRecommendations": true, "window.commandCenter": false, "chat.commandCenter.enabled": false, "workbench.layoutControl.enabled": false,
		"files.simpleDialog.enable": true, "window.dialogStyle": "custom", "workbench.colorTheme": "Default Light Modern"})
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(filepath.Join(w.home, "code", "Machine", "settings.json"), string(text))
	w.put(filepath.Join(w.home, "code", "User", "settings.json"), string(text))
}

// node returns a command that runs code-server as the person of this account.
func (w *world) node(entry string, args ...string) *exec.Cmd {
	node, err := exec.LookPath("node")
	if err != nil {
		w.t.Skip("NOT RUN: node is not installed")
	}
	cmd := exec.Command(node, append([]string{entry, "--user-data-dir", filepath.Join(w.home, "code"), "--extensions-dir", filepath.Join(w.home, "extensions")}, args...)...)
	cmd.Dir, cmd.Env = w.work, w.env
	return cmd
}

var listening = regexp.MustCompile(`HTTP server listening on (http://127\.0\.0\.1:\d+)`)

// editor installs the extension in code-server, starts it and opens the workspace.
func (w *world) editor(emendPath string) *editor {
	w.t.Helper()
	entry := codeServer(w.t)
	w.settings(emendPath)
	if said, err := w.node(entry, "--install-extension", vsix(w.t)).CombinedOutput(); err != nil || !strings.Contains(string(said), "was successfully installed") {
		w.t.Fatalf("code-server does not install the extension: %v\n%s", err, said)
	}
	cmd := w.node(entry, "--auth", "none", "--bind-addr", "127.0.0.1:0", "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", "--disable-getting-started-override")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) //nolint:errcheck // it has ended
		cmd.Wait()                                      //nolint:errcheck // it was killed
	})
	late := time.AfterFunc(6*timeLimit, func() { cmd.Process.Kill() })
	lines, base, said := bufio.NewScanner(out), "", ""
	for base == "" && lines.Scan() {
		said += lines.Text() + "\n"
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			base = m[1]
		}
	}
	late.Stop()
	if base == "" {
		w.t.Fatalf("code-server does not start:\n%s", said)
	}
	go func() {
		for lines.Scan() { // drain the pipe, so that the program does not block
		}
	}()
	e := &editor{w: w, tab: w.workbench()}
	ctx, cancel := context.WithTimeout(e.ctx, 6*timeLimit)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/?folder="+w.work)); err != nil {
		w.t.Fatalf("open the workspace: %v", err)
	}
	e.untilSlow("the side bar has emend", `document.querySelector('.activitybar a[aria-label^="emend"]')`)
	return e
}

// workbench opens a private window. What an editor's page says on its console is no complaint about emend.
func (w *world) workbench() *tab {
	ctx, cancel := chromedp.NewContext(chrome, chromedp.WithNewBrowserContext())
	w.t.Cleanup(cancel)
	b := &tab{t: w.t, ctx: ctx, complaints: &complaints{}}
	if err := chromedp.Listen(ctx, b.record); err != nil {
		w.t.Fatal(err)
	}
	command(b, network.Enable, network.EnableParams{})
	command(b, page.Enable, page.EnableParams{})
	b.setScreen(screen{name: "light", width: 1400, height: 900})
	w.t.Cleanup(func() {
		if w.t.Failed() {
			b.keepPicture(filepath.Join(os.TempDir(), "editor-failed.png"))
		}
	})
	return b
}

// untilSlow waits longer than until: an editor starts slowly on a busy machine.
func (b *tab) untilSlow(what, expression string) {
	b.t.Helper()
	for end := time.Now().Add(6 * timeLimit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && ok {
			return
		}
	}
	b.t.Fatalf("never: %s (%s)\n%s", what, expression, b.state())
}

func (b *tab) keepPicture(path string) {
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(path, png, 0o644)
	}
	b.t.Logf("picture: %s %v", path, err)
}

// point is the middle of an element that an expression finds, once it is in sight.
func (e *editor) point(what, element string) (x, y float64) {
	e.t.Helper()
	e.untilSlow(what, element)
	type at struct{ X, Y float64 }
	p := eval[at](e.tab, `(e => { const r = e.getBoundingClientRect(); return {X: r.x + r.width/2, Y: r.y + r.height/2} })(`+element+`)`)
	return p.X, p.Y
}

// press clicks on an element that an expression finds.
func (e *editor) press(what, element string) {
	e.t.Helper()
	x, y := e.point(what, element)
	e.do("press "+what, chromedp.MouseClickXY(x, y))
}

// row is an expression for the row of a tree that has a name, and more words beside it.
func row(name string, words ...string) string {
	var out strings.Builder
	out.WriteString("[...document.querySelectorAll('.pane-body .monaco-list-row')].find(r => r.querySelector('.label-name')?.innerText === " + quote(name))
	for _, word := range words {
		out.WriteString(" && r.innerText.includes(" + quote(word) + ")")
	}
	return out.String() + ")"
}

// action presses the button of a row.
func (e *editor) action(name, of string) {
	e.t.Helper()
	x, y := e.point("the row "+of, row(of))
	e.do("point at "+of, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
	e.press(name+" of "+of, `[...(`+row(of)+`).querySelectorAll('.actions a')].find(a => a.getAttribute('aria-label') === `+quote(name)+` && a.getBoundingClientRect().width > 0)`)
}

// expand opens a row.
func (e *editor) expand(name string) {
	e.t.Helper()
	e.untilSlow("the row "+name, row(name))
	if eval[bool](e.tab, `(`+row(name)+`).getAttribute("aria-expanded") === "false"`) {
		e.press("the arrow of "+name, `(`+row(name)+`).querySelector('.monaco-tl-twistie')`)
	}
}

// button presses a button of the dialog, or of a notification that has a text.
func (e *editor) button(within, name string) {
	e.t.Helper()
	e.press(name, `[...document.querySelectorAll(`+quote(within)+`)].flatMap(d => [...d.querySelectorAll('.monaco-button')]).find(b => b.innerText.trim() === `+quote(name)+`)`)
}

const (
	dialog       = ".monaco-dialog-box"
	notification = ".notifications-toasts .notification-list-item"
)

// saysSlow waits until the window shows a text.
func (e *editor) saysSlow(text string) {
	e.t.Helper()
	e.untilSlow(text, `document.body.innerText.replaceAll("\u00a0", " ").includes(`+quote(text)+`)`)
}

// TestEditor has a person who works in VS Code see what an agent does, undo one hunk of it, allow one waiting call and deny
// another.
func TestEditor(t *testing.T) {
	t.Parallel()
	w := shop(t)
	e := w.editor(program)
	e.press("emend in the side bar", `document.querySelector('.activitybar a[aria-label^="emend"]')`)
	e.saysSlow("Agents have changed nothing here")

	// what an agent does is there at once
	a := w.agent("s-1")
	a.call("create_file", map[string]any{"path": "lines.txt", "content": numbered(nil)})
	a.patch("*** Begin Patch\n*** Update File: lines.txt\n@@\n-line 02\n+two\n@@\n-line 10\n+ten\n@@\n-line 18\n+eighteen\n*** End Patch\n")
	e.untilSlow("the change is in the timeline", row("Edited lines.txt", "+3 −3"))
	e.untilSlow("its session", row("Claude Code 2.1"))

	// the diff, in the editor's own view
	e.expand("Edited lines.txt")
	e.press("the file", row("lines.txt"))
	e.untilSlow("a diff", `document.querySelector('.monaco-diff-editor .editor.modified .view-lines')?.innerText.includes("eighteen")`)
	e.untilSlow("its old side", `document.querySelector('.monaco-diff-editor .editor.original .view-lines')?.innerText.replaceAll("\u00a0", " ").includes("line 18")`)

	// one hunk is kept, another is undone
	e.action("Keep", "Hunk 3")
	e.untilSlow("it is kept", row("Hunk 3", "kept"))
	e.action("Undo…", "Hunk 2")
	e.untilSlow("the dialog says what would change", `document.querySelector('`+dialog+`')?.innerText.includes("Undo hunk 2 of lines.txt")`)
	w.holds("before the answer", "lines.txt", numbered(map[int]string{2: "two", 10: "ten", 18: "eighteen"}))
	e.button(dialog, "Undo")
	e.untilSlow("it is undone", row("Hunk 2", "undone"))
	w.holds("undone", "lines.txt", numbered(map[int]string{2: "two", 18: "eighteen"}))
	e.untilSlow("by the person", row("You"))

	// what conflicts is not undone, but the rest can be
	w.write("lines.txt", numbered(map[int]string{2: "mine", 18: "eighteen"}))
	e.action("Undo…", "Edited lines.txt")
	e.untilSlow("the dialog says what conflicts", `document.querySelector('`+dialog+`')?.innerText.includes("it was changed since")`)
	e.button(dialog, "Undo the Rest")
	e.untilSlow("the dialog says what stays", `document.querySelector('`+dialog+`')?.innerText.includes("Not undone")`)
	e.button(dialog, "Undo")
	e.untilSlow("the rest is undone", `(`+row("Hunk 3", "undone")+`) && true`)
	w.holds("the rest is undone", "lines.txt", numbered(map[int]string{2: "mine"}))

	// a call waits: it is shown, and allowed
	call := a.begin("create_file", migration("0002_vat.sql"))
	e.untilSlow("a notification", `[...document.querySelectorAll(`+quote(notification)+`)].find(n => n.innerText.includes("create migrations/0002_vat.sql"))`)
	e.untilSlow("the status bar", `document.querySelector('.statusbar').innerText.includes("1 waiting")`)
	e.press("the call", row("Create migrations/0002_vat.sql"))
	e.untilSlow("what it would write", `document.querySelector('.monaco-diff-editor .editor.modified .view-lines')?.innerText.replaceAll("\u00a0", " ").includes("ADD COLUMN vat")`)
	w.holds("while it waits", "migrations/0002_vat.sql", "")
	e.button(notification, "Allow")
	if r := answered(t, call); !r.OK {
		t.Errorf("allowed: %s", r.Output)
	}
	w.holds("allowed", "migrations/0002_vat.sql", migration("")["content"].(string))

	// another one is denied, with a reason
	call = a.begin("create_file", migration("0003_more.sql"))
	e.action("Deny…", "Create migrations/0003_more.sql")
	e.untilSlow("it asks for a reason", `document.querySelector('.quick-input-widget input')?.offsetParent`)
	e.do("type", chromedp.KeyEvent("one column at a time"))
	e.do("send", chromedp.KeyEvent("\r"))
	if r := answered(t, call); r.OK || !strings.Contains(r.Output, "one column at a time") {
		t.Errorf("denied: %v %s", r.OK, r.Output)
	}
	w.holds("denied", "migrations/0003_more.sql", "")
	e.untilSlow("the timeline has the refusal", row("Tried to create migrations/0003_more.sql: not allowed"))
}

// TestEditorImage takes the picture of docs/editor.md:
//
//	EMEND_IMAGES=write go -C proof test -tags npm -count 1 -run EditorImage ./browser
func TestEditorImage(t *testing.T) {
	if os.Getenv("EMEND_IMAGES") != "write" {
		t.Skip("NOT RUN: it writes a picture, and EMEND_IMAGES does not say so")
	}
	w := shop(t)
	w.story()
	e := w.editor(program)
	e.press("emend in the side bar", `document.querySelector('.activitybar a[aria-label^="emend"]')`)
	e.expand("Changed src/cart.ts and 2 more")
	call := w.agent("s-2").begin("create_file", migration("0002_vat.sql"))
	e.untilSlow("a call waits", row("Create migrations/0002_vat.sql"))
	e.press("a file", row("cart.ts"))
	e.untilSlow("a diff", `document.querySelector('.monaco-diff-editor .editor.modified .view-lines')?.innerText.includes("taxOn")`)
	e.untilSlow("the notification", `document.querySelector('`+notification+`')`)
	e.keepPicture(filepath.Join("..", "..", "docs", "images", "editor.png"))
	e.button(notification, "Allow")
	answered(t, call)
}

// TestEditorWithoutEmend: the extension says that there is no emend, or why it does not start.
func TestEditorWithoutEmend(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("NOT RUN: -short; TestEditor starts the editor")
	}
	w := shop(t)
	old := filepath.Join(t.TempDir(), "emend")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho 'emend: unknown flag: --until-eof' >&2\nexit 2\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	e := w.editor("/not/there/emend")
	e.press("emend in the side bar", `document.querySelector('.activitybar a[aria-label^="emend"]')`)
	e.saysSlow("emend is not installed")
	e.saysSlow("There is no /not/there/emend.")
	w.settings(old)
	e.saysSlow("This emend is too old for the extension.")
	w.settings(program)
	e.saysSlow("Agents have changed nothing here")
}
