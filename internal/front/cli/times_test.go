package cli

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the test, wherever it runs
)

func TestLocalTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		now, err := time.ParseInLocation(time.RFC3339, text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return now.In(berlin)
	}
	for _, tc := range []struct{ now, text, want, refused string }{
		{now: "2026-11-26T15:00:00+01:00", text: "14:05", want: "2026-11-26T14:05:00+01:00"},
		{now: "2026-11-26T14:05:00+01:00", text: "14:05", want: "2026-11-26T14:05:00+01:00"},
		{now: "2026-11-26T15:00:00+01:00", text: "14:05:06", want: "2026-11-26T14:05:06+01:00"},
		{now: "2026-11-26T00:30:00+01:00", text: "23:50", refused: `23:50 is still to come today. For yesterday write "2026-11-25 23:50"`},
		{now: "2026-01-01T00:30:00+01:00", text: "23:50", refused: `For yesterday write "2025-12-31 23:50"`},
		{now: "2026-11-26T15:00:00+01:00", text: "2026-07-01 14:05", want: "2026-07-01T14:05:00+02:00"},
		{now: "2026-11-26T15:00:00+01:00", text: "2026-07-01 14:05:07", want: "2026-07-01T14:05:07+02:00"},
		// The night of October in which 02:00 to 03:00 comes twice, and that of March in which it does not.
		{now: "2026-10-25T12:00:00+01:00", text: "02:30", refused: "02:30 came twice on 2026-10-25 here: the clock was put back. " +
			"Write 2026-10-25T02:30:00+02:00 for the first time or 2026-10-25T02:30:00+01:00 for the second"},
		{now: "2026-10-25T12:00:00+01:00", text: "01:59", want: "2026-10-25T01:59:00+02:00"},
		{now: "2026-10-25T12:00:00+01:00", text: "03:00", want: "2026-10-25T03:00:00+01:00"},
		{now: "2026-10-25T02:10:00+02:00", text: "01:00", want: "2026-10-25T01:00:00+02:00"},
		{now: "2026-11-26T15:00:00+01:00", text: "2026-10-25 02:30", refused: "2026-10-25 02:30 came twice"},
		{now: "2026-03-29T12:00:00+02:00", text: "02:30", refused: "there was no 02:30 on 2026-03-29 here"},
		{now: "2026-03-29T12:00:00+02:00", text: "03:00", want: "2026-03-29T03:00:00+02:00"},
		{now: "2026-03-29T12:00:00+02:00", text: "01:59", want: "2026-03-29T01:59:00+01:00"},
		// What is no local time stays.
		{now: "2026-11-26T15:00:00+01:00", text: "before-refactoring", want: "before-refactoring"},
		{now: "2026-11-26T15:00:00+01:00", text: "25:00", want: "25:00"},
		{now: "2026-11-26T15:00:00+01:00", text: "2026-01-31T12:00:00Z", want: "2026-01-31T12:00:00Z"},
		{now: "2026-11-26T15:00:00+01:00", text: "", want: ""},
	} {
		got, err := localTime(tc.text, at(tc.now))
		switch {
		case tc.refused != "" && (err == nil || !strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%s at %s: %q, %v, want the error %q", tc.text, tc.now, got, err, tc.refused)
		case tc.refused == "" && (err != nil || got != tc.want):
			t.Errorf("%s at %s: %q, %v, want %q", tc.text, tc.now, got, err, tc.want)
		}
	}
}
