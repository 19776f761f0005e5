package guard

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// boundsSection is what a policy file says about how much of the history, or of the log, is kept: age = "30d", size = "2GiB",
// or "any" for no bound.
type boundsSection struct {
	Age  string `toml:"age"`  // how long it is kept, as "30d"; "any" is for ever
	Size string `toml:"size"` // how large it may become, as "2GiB"
}

// parse returns 0 for what the section does not say, and -1 for no bound.
func (k boundsSection) parse(section string) (age time.Duration, bytes int64, err error) {
	n, err := parseAmount(section+".age", k.Age, []unit{{"h", int64(time.Hour)}, {"d", 24 * int64(time.Hour)}, {"w", 7 * 24 * int64(time.Hour)}})
	if err != nil {
		return 0, 0, err
	}
	bytes, err = parseAmount(section+".size", k.Size, []unit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}})
	return time.Duration(n), bytes, err
}

type unit struct {
	name string
	size int64
}

// parseAmount parses a number and its unit; "" is 0, and "any" is -1.
func parseAmount(key, text string, units []unit) (int64, error) {
	switch text {
	case "":
		return 0, nil
	case "any":
		return -1, nil
	}
	var names []string
	for _, u := range units {
		if digits, ok := strings.CutSuffix(text, u.name); ok {
			if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > 0 && n <= (1<<62)/u.size {
				return n * u.size, nil
			}
		}
		names = append(names, u.name)
	}
	return 0, fmt.Errorf("%s: %q is not \"any\", nor a number above 0 with one of %s", key, text, strings.Join(names, " "))
}
