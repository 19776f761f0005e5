package web

import (
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/logbook"
)

// chart is a bar chart of the numbers of calls that the list shows. A bar is an hour of the last day, or a day of the last thirty.
type chart struct {
	Month         bool
	OtherHref     string // the chart of the month, or of the day
	Bars          []bar
	Total         api.Count
	Most          int    // the number of calls of the highest bar
	First         string // the label of the first bar
	Width, Height int
}

// bar has the calls of one hour or one day.
type bar struct {
	api.Count
	Label  string // the hour or the day
	Href   string // the timeline of these calls
	X      int
	Blocks []block // from the bottom: done, refused, undone
}

// block is a part of a bar.
type block struct {
	Class           string
	X, Y, W, Height int
}

// Sizes, in units of the drawing.
const (
	chartWidth  = 240
	chartHeight = 48
	chartGap    = 2
	chartDays   = 30
)

// fillChart fills in the chart of the calls that the filter lets through: of the last day, or of the last month.
func (v *timelineView) fillChart(r *request, now time.Time) {
	month := r.URL.Query().Get("chart") == "month"
	if v.Counts == nil || len(v.Problems) > 0 || v.request.Content != "" { // to look into every change would take too long
		v.Counting = v.Counts == nil
		return
	}
	v.Counting = !v.Counts.Fresh
	hours := v.Counts.Hours
	if len(v.Query) > 0 {
		counts := r.site.filterCounts[r.ws.Name].of(r, v.filter, now)
		if counts == nil {
			v.Counting = true
			return
		}
		hours = counts
	}
	v.Chart = newChart(hours, r.ws, v.filter, month, now)
}

// newChart makes the chart of the last day, or of the last month, of counts by the hour.
func newChart(hours map[int64]api.Count, ws *Workspace, f *filter, month bool, now time.Time) *chart {
	c := &chart{Month: month, Width: chartWidth, Height: chartHeight}
	if month {
		c.OtherHref = f.address(ws.Page())
		c.days(hours, now.Local(), chartDays)
	} else {
		c.OtherHref = f.address(ws.Page(), "chart", "month")
		c.hours(hours, now.Local(), 24)
	}
	c.placeBars()
	for i := range c.Bars {
		from, to := c.barTimes(i, now.Local())
		c.Bars[i].Href = f.address(ws.Page(), "since", from.Format(time.RFC3339), "until", to.Format(time.RFC3339), "chart", map[bool]string{true: "month"}[month])
	}
	c.First = c.Bars[0].Label
	return c
}

func (c *chart) hours(counts map[int64]api.Count, now time.Time, n int) {
	last := now.Unix() / 3600
	for h := last - int64(n) + 1; h <= last; h++ {
		c.Bars = append(c.Bars, bar{Count: counts[h], Label: time.Unix(h*3600, 0).In(now.Location()).Format("15:04")})
	}
}

func (c *chart) days(counts map[int64]api.Count, now time.Time, n int) {
	for i := range n {
		day := midnight(now).AddDate(0, 0, i-n+1)
		b := bar{Label: day.Format("2 January")}
		for h := day.Unix() / 3600; h < day.AddDate(0, 0, 1).Unix()/3600; h++ {
			b.Count = logbook.AddCounts(b.Count, counts[h])
		}
		c.Bars = append(c.Bars, b)
	}
}

// barTimes returns the beginning and the end of a bar.
func (c *chart) barTimes(i int, now time.Time) (from, to time.Time) {
	back := len(c.Bars) - 1 - i
	if c.Month {
		from = midnight(now).AddDate(0, 0, -back)
		return from, from.AddDate(0, 0, 1)
	}
	from = time.Unix((now.Unix()/3600-int64(back))*3600, 0).In(now.Location())
	return from, from.Add(time.Hour)
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

func totalCalls(c api.Count) int { return c.Done + c.Refused + c.Undone }

// placeBars computes the sizes of the bars. A block that counts anything is high enough to be seen.
func (c *chart) placeBars() {
	for _, b := range c.Bars {
		c.Total = logbook.AddCounts(c.Total, b.Count)
		c.Most = max(c.Most, totalCalls(b.Count))
	}
	slot := c.Width / len(c.Bars)
	for i := range c.Bars {
		b := &c.Bars[i]
		b.X = i * slot
		ground := c.Height
		for _, part := range []struct {
			class string
			n     int
		}{{"done", b.Done}, {"refused", b.Refused}, {"undone", b.Undone}} {
			if part.n == 0 {
				continue
			}
			h := max(2, part.n*(c.Height-6)/c.Most)
			ground -= h
			b.Blocks = append(b.Blocks, block{part.class, b.X + chartGap/2, ground, slot - chartGap, h})
		}
	}
}

// BarWidth returns the width of a bar with its gap.
func (c *chart) BarWidth() int { return c.Width / len(c.Bars) }

// Count returns the number of calls of one class of blocks.
func (c *chart) Count(class string) int {
	return map[string]int{"done": c.Total.Done, "refused": c.Total.Refused, "undone": c.Total.Undone}[class]
}
