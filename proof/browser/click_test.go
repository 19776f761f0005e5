package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
)

// click clicks on the element that has a role and a name in the browser's accessibility tree, within the first element that
// matches a selector.
func (b *tab) click(within, role, name string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, timeLimit)
	defer cancel()
	what := fmt.Sprintf("%s %q in %s", role, name, within)
	var x, y float64
	b.retry(ctx, what, func() (err error) {
		x, y, err = b.place(ctx, within, role, name)
		return err
	})
	b.do("click "+what, chromedp.MouseClickXY(x, y))
}

// retry calls try until it returns no error.
func (b *tab) retry(ctx context.Context, what string, try func() error) {
	b.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			b.t.Fatalf("%s: %v\n%s", what, err, b.state())
		}
	}
}

// place scrolls to an element and returns the position of its middle.
func (b *tab) place(ctx context.Context, within, role, name string) (x, y float64, err error) {
	id, err := b.named(ctx, within, role, name)
	if err != nil {
		return 0, 0, err
	}
	if _, err = chromedp.Call(ctx, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: id}); err != nil {
		return 0, 0, err
	}
	at, err := chromedp.Call(ctx, dom.GetContentQuads, dom.GetContentQuadsParams{BackendNodeID: id})
	if err != nil || len(at.Quads) == 0 || len(at.Quads[0]) != 8 {
		return 0, 0, fmt.Errorf("it has no place: %v", err)
	}
	q := at.Quads[0]
	return (q[0] + q[4]) / 2, (q[1] + q[5]) / 2, nil
}

// named returns the one element with a role and a name.
func (b *tab) named(ctx context.Context, within, role, name string) (cdp.BackendNodeID, error) {
	doc, err := chromedp.Call(ctx, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return 0, err
	}
	root, err := chromedp.Call(ctx, dom.QuerySelector, dom.QuerySelectorParams{NodeID: doc.Root.NodeID, Selector: within})
	if err != nil {
		return 0, err
	}
	if root.NodeID == 0 {
		return 0, fmt.Errorf("there is no %s", within)
	}
	found, err := chromedp.Call(ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{NodeID: root.NodeID, AccessibleName: name, Role: role})
	if err != nil {
		return 0, err
	}
	var ids []cdp.BackendNodeID
	for _, n := range found.Nodes {
		if !n.Ignored {
			ids = append(ids, n.BackendDOMNodeID)
		}
	}
	if len(ids) != 1 {
		return 0, fmt.Errorf("%d elements are called so", len(ids))
	}
	return ids[0], nil
}

// follow clicks on a link.
func (b *tab) follow(within, name string) { b.t.Helper(); b.click(within, "link", name) }

// press clicks on a button.
func (b *tab) press(within, name string) { b.t.Helper(); b.click(within, "button", name) }

// fill types into the field with a name.
func (b *tab) fill(within, name, text string) {
	b.t.Helper()
	b.click(within, "textbox", name)
	b.keys(text)
}
