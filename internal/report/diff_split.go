package report

import "strings"

// partLead begins the diff of a file. No other line of a diff begins like this: those of a content have a character
// before them, and names in headers are quoted when they have a line end.
const diffHeader = "diff --git "

// Parts splits the diffs of several files, as [Diffs] wrote them, into one for each, in order. Joined they are the
// text again, whatever it is.
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

// PartOf picks from parts the diff of the change at index i, of the file from, which was moved to to unless that is
// empty: paths from the top of a tree, while a diff has them from some directory on the way. It returns "" when there
// is none.
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

// speaksOf reports whether the part is of these paths, less any names that both begin with.
func isDiffOf(part, from, to string) bool {
	head, _, _ := strings.Cut(part, "\n")
	for {
		if head == diffHeader+quotePath("a/"+from)+" "+quotePath("b/"+to) {
			return true
		}
		first, restFrom, more := strings.Cut(from, "/")
		second, restTo, also := strings.Cut(to, "/")
		if !more || !also || first != second {
			return false
		}
		from, to = restFrom, restTo
	}
}
