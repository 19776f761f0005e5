package report

import (
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
)

// diffHeader begins the diff of a file. No other line of a diff begins like this: lines of content have a prefix, and
// names in headers are quoted if they contain a line end.
const diffHeader = "diff --git "

// SplitDiff splits the output of [PlanDiffs] into one diff for each file, in order. Joined they are the input again,
// whatever it is.
func SplitDiff(diff string) []string {
	var out []string
	for diff != "" {
		n := len(diff)
		if i := strings.Index(diff, "\n"+diffHeader); i >= 0 {
			n = i + 1
		}
		out = append(out, diff[:n])
		diff = diff[n:]
	}
	return out
}

// DiffOf returns the diff of one change, or "" if parts has none. i is the index at which it is expected. The file
// from was moved to to, unless that is empty. Both paths are from the top of a tree, while a diff may have paths from
// a directory below it.
func DiffOf(parts []string, i int, from, to string) string {
	if to == "" {
		to = from
	}
	if i < len(parts) && isDiffOf(parts[i], from, to) {
		return parts[i]
	}
	for _, p := range parts {
		if isDiffOf(p, from, to) {
			return p
		}
	}
	return ""
}

// isDiffOf reports whether a diff is of these paths, or of what remains of them without a common leading directory.
func isDiffOf(part, from, to string) bool {
	head, _, _ := strings.Cut(part, "\n")
	for {
		if head == diffHeader+dialect.QuotePath("a/"+from)+" "+dialect.QuotePath("b/"+to) {
			return true
		}
		first, restFrom, fromDeeper := strings.Cut(from, "/")
		second, restTo, toDeeper := strings.Cut(to, "/")
		if !fromDeeper || !toDeeper || first != second {
			return false
		}
		from, to = restFrom, restTo
	}
}
