package web

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
)

// TestFilterRoundTrip removes each condition by its chip: exactly that one goes.
func TestFilterRoundTrip(t *testing.T) {
	all := url.Values{}
	for _, c := range conditions {
		all.Set(c.name, "x & y="+c.name)
	}
	all.Set("outcome", "refused")
	all.Set("since", "2026-01-31")
	all.Set("until", "2h")
	f := parseFilter(all, time.Now())
	if len(f.Problems) > 0 {
		t.Fatal(f.Problems)
	}
	chips := f.chips("/ui/shop/")
	if len(chips) != len(conditions) {
		t.Fatalf("%d chips for %d conditions", len(chips), len(conditions))
	}
	for i, c := range chips {
		page, query, _ := strings.Cut(c.Href, "?")
		got, err := url.ParseQuery(query)
		if err != nil || page != "/ui/shop/" {
			t.Fatalf("%q: %v", c.Href, err)
		}
		want := maps.Clone(all)
		delete(want, conditions[i].name)
		if !maps.EqualFunc(got, want, slices.Equal) {
			t.Errorf("without %s: %v, want %v", conditions[i].name, got, want)
		}
	}
}

func TestFilterRequest(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	f := parseFilter(url.Values{"q": {"pay"}, "session": {"s"}, "agent": {"a"}, "client": {"c"}, "tool": {"t"}, "path": {"p"}, "outcome": {"undone"},
		"since": {"2h"}, "until": {"2026-02-28"}, "before": {"17"}, "chart": {"month"}}, now)
	want := api.TimelineRequest{SessionID: "s", Agent: "a", Client: "c", Tool: "t", Path: "p", Text: "pay", Outcome: api.Undone,
		Since: now.Add(-2 * time.Hour), Until: time.Date(2026, 3, 1, 0, 0, 0, 0, time.Local), Before: 17}
	if f.request != want {
		t.Errorf("got %+v\nwant %+v", f.request, want)
	}
	if f.Query.Has("before") || f.Query.Has("chart") {
		t.Errorf("what is no condition became one: %v", f.Query)
	}
}

func TestParseTime(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.Local)
	for text, want := range map[string]time.Time{
		"90m": now.Add(-90 * time.Minute), "7d": now.AddDate(0, 0, -7), "2w": now.AddDate(0, 0, -14),
		"2026-01-31": time.Date(2026, 1, 31, 0, 0, 0, 0, time.Local), "2026-01-31 13:45": time.Date(2026, 1, 31, 13, 45, 0, 0, time.Local),
		"2026-01-31T13:45:00Z": time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC),
	} {
		if at, ok := parseTime(text, now, false); !ok || !at.Equal(want) {
			t.Errorf("%q: %v %v, want %v", text, at, ok, want)
		}
	}
	for _, text := range []string{"yesterday", "7", "-2h", "2026-13-01", "9999999d", "<script>"} {
		if at, ok := parseTime(text, now, false); ok {
			t.Errorf("%q is understood as %v", text, at)
		}
	}
}

// TestFilterProblem: no list is shown if a condition is not understood, since a list without it would look like the answer.
func TestFilterProblem(t *testing.T) {
	f := parseFilter(url.Values{"since": {"soon"}, "outcome": {"great"}}, time.Now())
	if f.Problems["since"] == "" || f.Problems["outcome"] == "" {
		t.Errorf("got %v", f.Problems)
	}
}
