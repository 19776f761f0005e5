package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/audits"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// complaints collects complaints of the browser and the addresses that it requests. Tests expect no message on the console, no
// violation of the content security policy, no dialog and no other host.
type complaints struct {
	mu       sync.Mutex
	requests []string
	complain []string
	expected []string
}

// record handles an event of the browser. It must not block, since it runs where events are read.
func (n *complaints) record(ev any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		n.requests = append(n.requests, ev.Request.URL)
	case *runtime.EventConsoleAPICalled:
		n.add("console.%s: %s", ev.Type, asText(ev.Args))
	case *runtime.EventExceptionThrown:
		n.add("exception: %s", asText(ev.ExceptionDetails))
	case *log.EventEntryAdded:
		n.add("%s %s: %s (%s)", ev.Entry.Source, ev.Entry.Level, ev.Entry.Text, ev.Entry.URL)
	case *audits.EventIssueAdded:
		n.add("issue: %s", asText(ev.Issue))
	case *page.EventJavascriptDialogOpening:
		n.add("dialog: %s", ev.Message)
	}
}

func (n *complaints) add(format string, args ...any) {
	n.complain = append(n.complain, fmt.Sprintf(format, args...))
}

// expect allows complaints that contain part.
func (n *complaints) expect(part string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.expected = append(n.expected, part)
}

// forget drops all complaints, for a test with a bad page.
func (n *complaints) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests, n.complain = nil, nil
}

// asked returns every address that the browser has requested.
func (n *complaints) asked() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.requests)
}

// heard waits for a complaint that contains part.
func (b *tab) heard(part string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	b.retry(ctx, "a complaint of "+part, func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !slices.ContainsFunc(b.complain, func(c string) bool { return strings.Contains(c, part) }) {
			return fmt.Errorf("only %q", b.complain)
		}
		return nil
	})
}

// faults returns the complaints that no test expects, and requests to other hosts. What a page carries in an address is no request.
func (n *complaints) faults() (out []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, at := range n.requests {
		if u, err := url.Parse(at); err != nil || u.Scheme != "data" && u.Hostname() != "127.0.0.1" && at != "about:blank" {
			out = append(out, "it asked for "+at)
		}
	}
	for _, c := range n.complain {
		if !slices.ContainsFunc(n.expected, func(part string) bool { return strings.Contains(c, part) }) {
			out = append(out, c)
		}
	}
	return out
}

func asText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
