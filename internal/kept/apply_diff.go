package kept

import (
	"fmt"
	"strings"
)

// ApplyDiff applies the diff of one file, in the form that emend writes, to the text before. Every hunk has to fit at the
// line that it names. That the result is right only its sum can tell.
func ApplyDiff(before, diff string) (string, bool) {
	return ApplyHunks(before, diff, func(int) bool { return true })
}

// ApplyHunks is [ApplyDiff] with some of the hunks, which have numbers from 1. The lines of the others stay as they were before.
func ApplyHunks(before, diff string, wanted func(n int) bool) (string, bool) {
	old := strings.SplitAfter(before, "\n")
	var b strings.Builder
	next, n := 0, 0 // the first line of old that is not written yet, and the number of the hunk
	_, body, found := strings.Cut(diff, "\n@@ ")
	if !found {
		return before, diff != ""
	}
	for hunk := range strings.SplitSeq(body, "\n@@ ") {
		n++
		header, lines, ok := strings.Cut(hunk, "\n")
		line, count, valid := oldRange(header)
		if !ok || !valid {
			return "", false
		}
		first := line - 1
		if count == 0 {
			first = line
		}
		if first < next || first > len(old) {
			return "", false
		}
		b.WriteString(strings.Join(old[next:first], ""))
		if next, ok = applyHunk(&b, old, first, lines, wanted(n)); !ok {
			return "", false
		}
	}
	b.WriteString(strings.Join(old[next:], ""))
	return b.String(), true
}

// oldRange reads "-line,count +line,count @@", and returns what it says of the text before.
func oldRange(header string) (line, count int, ok bool) {
	from, rest, ok := strings.Cut(header, " ")
	to, _, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 {
		return 0, 0, false
	}
	if _, _, ok = parseRange(to, "+"); !ok {
		return 0, 0, false
	}
	return parseRange(from, "-")
}

func parseRange(s, sign string) (line, count int, ok bool) {
	if s, ok = strings.CutPrefix(s, sign); !ok {
		return 0, 0, false
	}
	if _, err := fmt.Sscanf(s, "%d,%d", &line, &count); err == nil {
		return line, count, true
	}
	_, err := fmt.Sscanf(s, "%d", &line)
	return line, 1, err == nil
}

// applyHunk checks the old lines of a hunk, writes the new ones, or the old ones if it is not wanted, and returns the line of old behind
// it.
func applyHunk(b *strings.Builder, old []string, at int, lines string, wanted bool) (int, bool) {
	all := strings.SplitAfter(lines, "\n")
	for i, l := range all {
		if l == "" {
			continue
		}
		if i+1 < len(all) && strings.HasPrefix(all[i+1], `\ `) {
			l = strings.TrimSuffix(l, "\n")
		} else if i+1 == len(all) && !strings.HasSuffix(l, "\n") {
			l += "\n"
		}
		switch l[0] {
		case ' ', '-':
			if at >= len(old) || strings.TrimSuffix(old[at], "\n") != strings.TrimSuffix(l[1:], "\n") {
				return 0, false
			}
			at++
			if l[0] == ' ' || !wanted {
				b.WriteString(old[at-1])
			}
		case '+':
			if wanted {
				b.WriteString(l[1:])
			}
		case '\\':
		default:
			return 0, false
		}
	}
	return at, true
}
