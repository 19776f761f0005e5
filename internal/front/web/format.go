package web

import (
	"fmt"
	"html/template"
	"strconv"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/report"
)

// templateFuncs are the functions of the templates. "show" is text of a file, a name or a message for a person: control
// characters, marks that change the direction of writing and invisible characters become escapes.
var templateFuncs = template.FuncMap{
	"show":         report.Escape,
	"ago":          func(t time.Time) string { return ago(t, time.Now()) },
	"exact":        exactTime,
	"machine":      func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"plural":       plural,
	"grouped":      grouped,
	"size":         size,
	"short":        shortHash,
	"sign":         outcomeSign,
	"meaning":      outcomeMeaning,
	"actor":        actorOf,
	"clock":        func(t time.Time) string { return clock(t, time.Now()) },
	"first":        upperFirst,
	"verdict":      verdictText,
	"program":      report.ClientName,
	"outcomeCount": func(o api.Outcome, n int) outcomeCount { return outcomeCount{o, n} },
	"legend":       func() []string { return []string{"done", "refused", "undone"} },
}

// outcomeCount is a number of calls with one outcome.
type outcomeCount struct {
	Outcome api.Outcome
	N       int
}

// ago says how long ago t was, or in how long it will be. static/app.js words it in the same way.
func ago(t, now time.Time) string {
	d := now.Sub(t)
	if d < 0 {
		return "in " + duration(-d)
	}
	if d < time.Minute {
		return "just now"
	}
	return duration(d) + " ago"
}

// duration words a length of time in its largest unit.
func duration(d time.Duration) string {
	for _, u := range []struct {
		name string
		long time.Duration
	}{{"year", 365 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour}, {"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / u.long); n > 0 {
			return plural(n, u.name)
		}
	}
	return plural(int(d/time.Second), "second")
}

// exactTime formats a time to the second, in local time.
func exactTime(t time.Time) string { return t.Local().Format("Monday, 2 January 2006, 15:04:05 MST") }

// dayHeading returns the heading of a day: Today, Yesterday or its date.
func dayHeading(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch t.Format(time.DateOnly) {
	case now.Format(time.DateOnly):
		return "Today"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	}
	if t.Year() == now.Year() {
		return t.Format("Monday, 2 January")
	}
	return t.Format("Monday, 2 January 2006")
}

// plural words a number of things: 1 file, 2 files, 12,000 files.
func plural(n int, one string) string {
	switch stem := one[:len(one)-1]; {
	case n == 1:
		return "1 " + one
	case one[len(one)-1] == 'h' || one[len(one)-1] == 's':
		return grouped(n) + " " + one + "es"
	case one[len(one)-1] == 'y' && one[len(one)-2] != 'a':
		return grouped(n) + " " + stem + "ies"
	}
	return grouped(n) + " " + one + "s"
}

// grouped formats a number with a comma before every three digits.
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// size words a number of bytes: 999 bytes, 1.5 KiB, 12 MiB.
func size(n int64) string {
	if n < 1024 {
		return plural(int(n), "byte")
	}
	f, unit := float64(n), ""
	for _, unit = range []string{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"} {
		if f /= 1024; f < 1023.95 {
			break
		}
	}
	if f < 9.95 {
		return fmt.Sprintf("%.1f %s", f, unit)
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}

// shortHash shortens a hash. The name of a transaction, which differs from others at its end, stays whole.
func shortHash(name string) string {
	if len(name) < 64 {
		return name
	}
	return name[:12]
}
