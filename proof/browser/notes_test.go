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

// notes is what a browser complains of, and where it goes, while a test looks at pages. Neither a message on its console
// nor a broken rule of the content security policy nor a dialog is expected, and no host but this one.
type notes struct {
	mu       sync.Mutex
	requests []string
	complain []string
	expected []string
}

// note takes one event of the browser. It runs where events are read and must not wait.
func (n *notes) note(ev any) {
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

func (n *notes) add(format string, args ...any) {
	n.complain = append(n.complain, fmt.Sprintf(format, args...))
}

// expect names a part of a complaint that is no fault.
func (n *notes) expect(part string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.expected = append(n.expected, part)
}

// forget is for a test whose page is meant to be bad.
func (n *notes) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests, n.complain = nil, nil
}

// asked is every address that the browser has asked for.
func (n *notes) asked() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.requests)
}

// heard waits for a complaint.
func (b *tab) heard(part string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
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

// faults are the complaints that no test expects, and the addresses of other hosts.
func (n *notes) faults() (out []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, at := range n.requests {
		if u, err := url.Parse(at); err != nil || u.Hostname() != "127.0.0.1" && at != "about:blank" {
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
