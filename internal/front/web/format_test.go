package web

import (
	"testing"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
)

func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		back time.Duration
		want string
	}{
		{0, "just now"}, {59 * time.Second, "just now"}, {time.Minute, "1 minute ago"}, {119 * time.Second, "1 minute ago"},
		{59*time.Minute + 59*time.Second, "59 minutes ago"}, {time.Hour, "1 hour ago"}, {23 * time.Hour, "23 hours ago"}, {24 * time.Hour, "1 day ago"},
		{29 * 24 * time.Hour, "29 days ago"}, {30 * 24 * time.Hour, "1 month ago"}, {800 * 24 * time.Hour, "2 years ago"},
		{-time.Second, "in 1 second"}, {-45 * time.Second, "in 45 seconds"}, {-90 * time.Second, "in 1 minute"}, {-3 * time.Hour, "in 3 hours"},
	} {
		if got := ago(now.Add(-c.back), now); got != c.want {
			t.Errorf("ago(%v) = %q, want %q", c.back, got, c.want)
		}
	}
}

func TestDayHeading(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 30, 0, 0, time.Local)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{now, "Today"}, {now.Add(-time.Hour), "Yesterday"}, {now.AddDate(0, 0, -1), "Yesterday"}, {now.AddDate(0, 0, -2), "Friday, 27 February"},
		{now.AddDate(-1, 0, 0), "Saturday, 1 March 2025"},
	} {
		if got := dayHeading(c.at, now); got != c.want {
			t.Errorf("dayOf(%v) = %q, want %q", c.at, got, c.want)
		}
	}
}

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n         int
		one, want string
	}{
		{0, "file", "0 files"}, {1, "file", "1 file"}, {2, "entry", "2 entries"}, {3, "branch", "3 branches"}, {999, "call", "999 calls"},
		{1000, "call", "1,000 calls"}, {1234567, "call", "1,234,567 calls"}, {-1000, "day", "-1,000 days"}, {2, "day", "2 days"},
	} {
		if got := plural(c.n, c.one); got != c.want {
			t.Errorf("plural(%d, %q) = %q, want %q", c.n, c.one, got, c.want)
		}
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 1023: "1,023 bytes", 1024: "1.0 KiB", 1536: "1.5 KiB", 10 << 10: "10 KiB",
		1<<20 - 1: "1.0 MiB", 3 << 30: "3.0 GiB", 1 << 62: "4.0 EiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestSentence(t *testing.T) {
	file := func(operation, path, to string) []api.LogEntry {
		return []api.LogEntry{{Operation: operation, Path: path, ToPath: to}}
	}
	for _, c := range []struct {
		call api.LoggedCall
		want string
	}{
		{api.LoggedCall{Outcome: api.Done, Files: file("update", "a.go", ""), FileCount: 1}, "edited a.go"},
		{api.LoggedCall{Outcome: api.Done, Files: file("add", "a.go", ""), FileCount: 3}, "created a.go and 2 more"},
		{api.LoggedCall{Outcome: api.Done, Files: file("move", "a", "b"), FileCount: 1}, "moved a to b"},
		{api.LoggedCall{Outcome: api.Undone, Files: file("delete", "a", ""), FileCount: 1}, "deleted a"},
		{api.LoggedCall{Outcome: api.Done, Files: append(file("update", "a", ""), file("add", "b", "")...), FileCount: 2}, "changed a and 1 more"},
		{api.LoggedCall{Outcome: api.Refused, ErrorKind: "old_text_not_found", Files: file("update", "a", ""), FileCount: 1},
			"tried to edit a: the old text was not found"},
		{api.LoggedCall{Outcome: api.Refused, Kind: "denied", ErrorKind: "permission_denied", Files: file("delete", ".env", ""), FileCount: 1},
			"tried to delete .env: not allowed"},
		{api.LoggedCall{Outcome: api.Refused, ErrorKind: "patch_parse_error", ToolName: "apply_patch"}, "tried to use apply_patch: invalid patch"},
		{api.LoggedCall{Outcome: api.Refused, ErrorKind: "of_another_day", ToolName: "apply_patch"}, "tried to use apply_patch: refused"},
		{api.LoggedCall{Outcome: api.Aborted, Files: file("update", "a", ""), FileCount: 1}, "began to edit a, rolled back"},
		{api.LoggedCall{Outcome: api.Reverted, Files: file("update", "a", ""), FileCount: 1}, "began to edit a, rolled back after a crash"},
		{api.LoggedCall{Outcome: api.Recovered, Files: file("update", "a", ""), FileCount: 1}, "edited a, finished after a crash"},
		{api.LoggedCall{Outcome: api.Done, Kind: "undo", Files: file("update", "a", ""), FileCount: 1}, "reverted a"},
		{api.LoggedCall{Outcome: api.Done, Kind: "undo", Files: append(file("update", "a", ""), file("add", "b", "")...), FileCount: 10}, "reverted 10 files"},
		{api.LoggedCall{Outcome: api.Done, ToolName: "restore_file", Files: file("add", "a", ""), FileCount: 1}, "restored a"},
		{api.LoggedCall{Outcome: api.Done, ToolName: "put_back", Files: file("update", "a", ""), FileCount: 1}, "restored a"},
		{api.LoggedCall{Outcome: api.Done, Kind: "purge", Files: file("purge", "a", ""), FileCount: 1}, "purged the history of a"},
		{api.LoggedCall{Outcome: api.Done, Kind: "purge"}, "purged the history"},
		{api.LoggedCall{Outcome: api.Done}, "changed files"},
	} {
		if got := sentenceOf(&c.call).String(); got != c.want {
			t.Errorf("%+v:\n got %q\nwant %q", c.call, got, c.want)
		}
	}
}

// TestRefusalReasons: every kind of refusal has words, and every outcome a sign of its own.
func TestRefusalReasons(t *testing.T) {
	for _, k := range fail.Kinds {
		if refusalReasons[k] == "" {
			t.Errorf("no words for %s", k)
		}
	}
	for _, o := range outcomes {
		if outcomeSign(o.Outcome) == "" || outcomeMeaning(o.Outcome) == "" {
			t.Errorf("no sign or words for %s", o.Outcome)
		}
	}
}
