package web

import (
	"strings"
	"testing"

	"github.com/emend-dev/emend"
	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/logtest"
)

// TestChangeOutcomes: over a long log, the page of each call shows the outcome that the timeline shows, and links to the
// calls before and after it.
func TestChangeOutcomes(t *testing.T) {
	dir := t.TempDir()
	must(t, logtest.Make(dir, 3000))
	ws, err := emend.Open(dir)
	must(t, err)
	t.Cleanup(func() { ws.Close() })
	p := &testPages{t: t, dir: dir, ws: ws, grants: map[string]*emend.Grants{}}
	p.serve(false)
	list, err := ws.Timeline(t.Context(), api.TimelineRequest{Limit: 1000})
	must(t, err)
	seen := map[api.Outcome]int{}
	for i, c := range list.Calls {
		if seen[c.Outcome]++; seen[c.Outcome] > 3 {
			continue
		}
		body := p.get(p.entryPage(c.Entry))
		says(t, body, string(c.Outcome), "record")
		if i > 0 && !strings.Contains(body, `href="`+p.entryPage(list.Calls[i-1].Entry)+`" rel="next"`) {
			t.Errorf("%s does not lead to the newer %s", c.Entry, list.Calls[i-1].Entry)
		}
		if !strings.Contains(body, `href="`+p.entryPage(list.Calls[i+1].Entry)+`" rel="prev"`) {
			t.Errorf("%s does not lead to the older %s", c.Entry, list.Calls[i+1].Entry)
		}
		if undo := strings.Contains(body, "/confirm/undo?entry="+c.Entry); undo != (c.Outcome == api.Done || c.Outcome == api.Recovered) && c.Kind != "purge" {
			t.Errorf("%s, %s: to be undone: %t", c.Entry, c.Outcome, undo)
		}
	}
	for _, o := range []api.Outcome{api.Done, api.Refused, api.Aborted, api.Recovered, api.Reverted, api.Undone} {
		if seen[o] == 0 {
			t.Errorf("the past has no call that was %s", o)
		}
	}
}
