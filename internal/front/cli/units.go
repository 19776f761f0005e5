package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/emend-dev/emend/internal/tool"
)

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

// parseSize reads a number of bytes with an optional unit. It returns 0 for "".
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(text, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n <= 0 || n > 1<<62/u.bytes {
			return 0, fmt.Errorf("not a size: %q", text)
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("not a size: %q", text)
}

func formatSize(n int64) string {
	for _, u := range sizeUnits {
		if u.bytes > 1 && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// formatColumnSize formats a size in at most nine columns: 999, 1.5 KiB, 12 MiB.
func formatColumnSize(n int64) string {
	if n < 1024 {
		return strconv.FormatInt(n, 10)
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

// formatBytes formats a size as words: 12 bytes, 1.5 KiB.
func formatBytes(n int64) string {
	if n < 1<<10 {
		return plural(int(n), "byte")
	}
	x, units := float64(n)/(1<<10), "KMGTPE"
	for x >= 1023.95 && len(units) > 1 {
		x, units = x/(1<<10), units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", x, units[0])
}

// formatAge returns the time since t in its largest whole unit.
func formatAge(t, now time.Time) string {
	d := now.Sub(t)
	for _, u := range []struct {
		name string
		long time.Duration
	}{{"year", 365 * 24 * time.Hour}, {"month", 30 * 24 * time.Hour}, {"day", 24 * time.Hour}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := int(d / u.long); n > 0 {
			return plural(n, u.name) + " ago"
		}
	}
	return "just now"
}

// timeBefore returns the time that is age before now, or the zero time for "".
func timeBefore(age string, now time.Time) (time.Time, error) {
	if age == "" {
		return time.Time{}, nil
	}
	d, err := tool.ParseAge(age)
	return now.Add(-d), err
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
