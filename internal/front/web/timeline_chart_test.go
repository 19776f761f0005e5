package web

import (
	"net/url"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
)

// TestChart draws a day and a month: bars are in order and inside of the drawing, blocks stand on each other, no call is
// lost, and a bar links to its own time.
func TestChart(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 34, 0, 0, time.Local)
	hour := now.Unix() / 3600
	hours := map[int64]api.Count{
		hour: {Done: 1}, hour - 1: {Done: 1000, Refused: 1, Undone: 3}, hour - 23: {Refused: 7}, hour - 24: {Done: 5}, hour - 24*29: {Undone: 2}, hour - 24*40: {Done: 9},
	}
	f := parseFilter(url.Values{"agent": {"a"}}, now)
	day, month := newChart(hours, &Workspace{Name: "shop"}, f, false, now), newChart(hours, &Workspace{Name: "shop"}, f, true, now)
	if day.Total != (api.Count{Done: 1001, Refused: 8, Undone: 3}) {
		t.Errorf("a day has %+v", day.Total)
	}
	if month.Total != (api.Count{Done: 1006, Refused: 8, Undone: 5}) {
		t.Errorf("a month has %+v", month.Total)
	}
	for name, c := range map[string]*chart{"day": day, "month": month} {
		if n := map[string]int{"day": 24, "month": 30}[name]; len(c.Bars) != n {
			t.Fatalf("%s: %d bars, want %d", name, len(c.Bars), n)
		}
		for i, b := range c.Bars {
			checkBar(t, c, i, b, now)
		}
	}
}

func checkBar(t *testing.T, c *chart, i int, b bar, now time.Time) {
	t.Helper()
	ground := c.Height
	for _, k := range b.Blocks {
		if k.Y+k.Height != ground || k.Y < 0 || k.Height < 2 || k.X < i*c.BarWidth() || k.X+k.W > (i+1)*c.BarWidth() || k.X+k.W > c.Width {
			t.Errorf("bar %d: %+v does not stand in its place, on %d", i, k, ground)
		}
		ground = k.Y
	}
	if (len(b.Blocks) > 0) != (totalCalls(b.Count) > 0) {
		t.Errorf("bar %d: %d blocks for %+v", i, len(b.Blocks), b.Count)
	}
	u, err := url.Parse(b.Href)
	if err != nil {
		t.Fatal(err)
	}
	back := parseFilter(u.Query(), now)
	from, to := c.barTimes(i, now)
	if len(back.Problems) > 0 || !back.request.Since.Equal(from) || !back.request.Until.Equal(to) || back.Get("agent") != "a" {
		t.Errorf("bar %d leads to %s: %v", i, b.Href, back.Problems)
	}
}

// TestChartOfNothing draws a chart without calls.
func TestChartOfNothing(t *testing.T) {
	c := newChart(nil, &Workspace{Name: "shop"}, parseFilter(nil, time.Now()), false, time.Now())
	if c.Most != 0 || len(c.Bars) != 24 {
		t.Errorf("got %+v", c)
	}
}
