package kept

import (
	"fmt"
	"strings"
)

// Redo applies to before what the diff of one file, in our own form, says, line by line where it says. It is true only if
// the caller finds the sum that it expects.
func Redo(before, diff string) (string, bool) {
	old := strings.SplitAfter(before, "\n")
	var b strings.Builder
	at := 0
	_, body, found := strings.Cut(diff, "\n@@ ")
	if !found {
		return before, diff != ""
	}
	for hunk := range strings.SplitSeq(body, "\n@@ ") {
		head, lines, ok := strings.Cut(hunk, "\n")
		var a, n, c, m int
		if !ok || !ranged(head, &a, &n, &c, &m) {
			return "", false
		}
		first := a - 1
		if n == 0 {
			first = a
		}
		if first < at || first > len(old) {
			return "", false
		}
		b.WriteString(strings.Join(old[at:first], ""))
		end, ok := redoHunk(&b, old, first, lines)
		if !ok {
			return "", false
		}
		at = end
	}
	b.WriteString(strings.Join(old[at:], ""))
	return b.String(), true
}

// ranged reads "-a,n +c,m @@".
func ranged(head string, a, n, c, m *int) bool {
	*n, *m = 1, 1
	from, rest, ok := strings.Cut(head, " ")
	to, _, ok2 := strings.Cut(rest, " ")
	return ok && ok2 && numbers(from, "-", a, n) && numbers(to, "+", c, m)
}

func numbers(s, sign string, at, count *int) bool {
	s, ok := strings.CutPrefix(s, sign)
	if !ok {
		return false
	}
	if _, err := fmt.Sscanf(s, "%d,%d", at, count); err == nil {
		return true
	}
	_, err := fmt.Sscanf(s, "%d", at)
	return err == nil
}

// redoHunk writes a hunk's new lines, and checks its old ones.
func redoHunk(b *strings.Builder, old []string, at int, lines string) (int, bool) {
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
			if l[0] == ' ' {
				b.WriteString(old[at-1])
			}
		case '+':
			b.WriteString(l[1:])
		case '\\':
		default:
			return 0, false
		}
	}
	return at, true
}
