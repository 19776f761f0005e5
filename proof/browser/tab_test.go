package browser

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// timeLimit is the time limit for a page to reach an expected state.
const timeLimit = 10 * time.Second

// tab is a private window, which has no cookie of another test.
type tab struct {
	t    *testing.T
	ctx  context.Context
	base string // prefix of the addresses that open takes
	*complaints
}

// window opens a tab. The test fails if the browser complains: see [complaints].
func window(t *testing.T, base string) *tab {
	t.Helper()
	needBrowser(t)
	ctx, cancel := chromedp.NewContext(chrome, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{t: t, ctx: ctx, base: base, complaints: &complaints{}}
	if err := chromedp.Listen(ctx, b.record); err != nil {
		t.Fatal(err)
	}
	command(b, network.Enable, network.EnableParams{})
	command(b, audits.Enable, cdp.Empty{})
	command(b, page.Enable, page.EnableParams{})
	t.Cleanup(func() {
		for _, f := range b.faults() {
			t.Errorf("the browser complains: %s", f)
		}
	})
	return b
}

// command sends one command of the protocol.
func command[P, R any](b *tab, c cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	out, err := chromedp.Call(ctx, c, params)
	if err != nil {
		b.t.Fatalf("%s: %v", c.Method, err)
	}
	return out
}

// do runs an action without a result.
func (b *tab) do(what string, a chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	if err := chromedp.Do(ctx, a); err != nil {
		b.t.Fatalf("%s: %v\n%s", what, err, b.state())
	}
}

// open loads a path below the tab's base. The answer to a form that was sent just before may come in between and take its place; the
// path is loaded then.
func (b *tab) open(path string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Navigate(b.base+path))
		if err == nil {
			return
		}
		if !strings.Contains(err.Error(), "net::ERR_ABORTED") {
			b.t.Fatalf("open %s: %v\n%s", path, err, b.state())
		}
	}
}

// eval returns the value of an expression.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// until waits until an expression is true, also across navigations, and returns how long that took.
func (b *tab) until(what, expression string) time.Duration {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	start, tick := time.Now(), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		if err == nil && ok {
			return time.Since(start)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.t.Fatalf("never: %s (%s)\n%s", what, expression, b.state())
		}
	}
}

// waitFor waits until an element matches a selector.
func (b *tab) waitFor(selector string) {
	b.t.Helper()
	b.until(selector, "document.querySelector("+quote(selector)+")")
}

// says waits until an element contains all words. It scrolls to the element, since the page may not lay out what is far out of
// sight. Each try looks the element up again, since another document may have replaced the last one.
func (b *tab) says(selector string, words ...string) {
	b.t.Helper()
	for _, w := range words {
		b.until(selector+" says "+w, "(e => { e.scrollIntoView(); return e.innerText.includes("+quote(w)+") })(document.querySelector("+quote(selector)+"))")
	}
}

// count returns the number of elements that match a selector.
func (b *tab) count(selector string) int {
	b.t.Helper()
	return eval[int](b, "document.querySelectorAll("+quote(selector)+").length")
}

// keys presses keys, one after the other.
func (b *tab) keys(keys string) { b.t.Helper(); b.do("press "+keys, chromedp.KeyEvent(keys, rawKeys)) }

// rawKeys makes a key press behave as on a keyboard: the character follows, unless the page handles the key.
func rawKeys(p *input.DispatchKeyEventParams) {
	if p.Type == input.DispatchKeyEventTypeKeyDown {
		p.Type = input.DispatchKeyEventTypeRawKeyDown
	}
}

// disableScripts disables JavaScript for the pages that follow. It leaves the open page first, since its scripts would be stopped
// halfway.
func (b *tab) disableScripts() {
	b.t.Helper()
	b.do("leave", chromedp.Navigate("about:blank"))
	command(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// state describes what the tab shows, for an error message.
func (b *tab) state() string {
	ctx, cancel := context.WithTimeout(b.ctx, time.Second)
	defer cancel()
	out, err := chromedp.Run(ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 3000)`))
	if err != nil {
		return err.Error()
	}
	return out
}

// evaluate runs an expression without a result.
func evaluate(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](expression)
}

// quote quotes a text for JavaScript.
func quote(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
