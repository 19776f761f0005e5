package tool

import (
	"fmt"
	"strconv"
	"time"

	"github.com/emend-dev/emend/fail"
)

// ParseAge parses an age: a number and s, m, h, d or w.
func ParseAge(text string) (time.Duration, error) {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	if n := len(text) - 1; n > 0 {
		number, err := strconv.ParseUint(text[:n], 10, 32)
		if unit := units[text[n]]; err == nil && unit > 0 && number <= uint64(1<<62/unit) {
			return time.Duration(number) * unit, nil
		}
	}
	return 0, fmt.Errorf("%q is not an age: write 90m, 12h, 30d or 2w", text)
}

// parseBefore parses a time, a date in UTC, or an age, which is relative to now. It returns the zero time for "".
func parseBefore(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at, nil
		}
	}
	d, err := ParseAge(text)
	if err != nil {
		return time.Time{}, badArguments("before: "+fail.Quote(text)+" is no time and no age",
			"Write a time (2026-01-31T12:00:00Z), a date (2026-01-31, in UTC) or an age (90m, 12h, 30d, 2w).")
	}
	return now.Add(-d), nil
}

// checkBefore checks the argument "before" before the call has any effect.
func checkBefore(v *value) error {
	if t, ok := v.get("before"); ok && t.kind == "string" {
		_, err := parseBefore(t.text, time.Now())
		return err
	}
	return nil
}
