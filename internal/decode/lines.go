package decode

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// MissingMarks names the decodings that put back marks.
const MissingMarks = "missing marks"

// withNewlines ends lines where the text has a backslash and an n. What follows must begin as a line of a patch does. It fails if
// an added line may hold the two letters in a string.
func (d *document) withNewlines() (string, bool) {
	const written = `\n`
	if d.format == Blocks || d.adds || !strings.Contains(d.text, written) {
		return "", false
	}
	out := make([]string, 0, len(d.lines))
	for _, l := range d.lines {
		pieces := strings.Split(l, written)
		for i, piece := range pieces[1:] {
			if strings.HasSuffix(pieces[i], `\`) || piece == "" && i+2 == len(pieces) || !mayFollow(pieces[i], piece) {
				return "", false
			}
		}
		out = append(out, pieces...)
	}
	return strings.Join(out, "\n"), true
}

// withoutEscapes reads every line with a backslash and an n as the inside of a JSON string, which has several lines.
func (d *document) withoutEscapes() (string, bool) {
	if d.format == Blocks || d.adds || !strings.Contains(d.text, `\n`) || slices.ContainsFunc(d.hunks, d.endsDiffer) {
		return "", false
	}
	out := make([]string, 0, len(d.lines))
	for _, l := range d.lines {
		if !strings.Contains(l, `\n`) {
			out = append(out, l)
			continue
		}
		var inner string
		if !utf8.ValidString(l) || json.Unmarshal([]byte(`"`+l+`"`), &inner) != nil || strings.ContainsAny(inner, "\r\x00\uFFFD") {
			return "", false
		}
		pieces := strings.Split(strings.TrimSuffix(inner, "\n"), "\n")
		for i, piece := range pieces[1:] {
			if !mayFollow(pieces[i], piece) {
				return "", false
			}
		}
		out = append(out, pieces...)
	}
	return strings.Join(out, "\n"), true
}

// endsDiffer reports whether some lines of h above its last one end in a backslash and an n, and others do not: there may be a blank line
// below them.
func (d *document) endsDiffer(h hunk) bool {
	with, without := false, false
	for _, n := range h.at[:len(h.at)-1] {
		end := strings.HasSuffix(d.lines[n], `\n`) && !strings.HasSuffix(d.lines[n], `\\n`)
		with, without = with || end, without || !end
	}
	return with && without
}

// mayFollow reports whether next begins as a line of a patch does, and is not the rest of a string that an added line holds.
func mayFollow(line, next string) bool {
	switch {
	case next == "", strings.IndexByte(" -", next[0]) >= 0, strings.HasPrefix(next, "@@"), strings.HasPrefix(next, "*** "):
		return true
	case strings.HasPrefix(next, "diff --git "), strings.HasPrefix(next, "index "):
		return !cutsString(line, next)
	}
	return next[0] == '+' && !cutsString(line, next)
}

// RunTogether reports whether a line seems to hold two, with a backslash and an n between: the two letters are in no string, and
// what stands before them ends as a line of code does, or what follows begins as a line of a patch does, is indented, or is nothing.
func RunTogether(line string) bool {
	var quote byte // that the string around has, if there is one
	leader := commentLeader(line)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			if i++; quote == 0 && line[i] == 'n' && twoLines(line[:i-1], line[i+1:], leader) {
				return true
			}
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '`', c == '\'' && !(i > 0 && isWord(line[i-1])): // and not an apostrophe
			quote = c
		}
	}
	return false
}

// twoLines reports whether a line may end with before, and another one begin with next, which may have the mark of a line of a patch.
// leader is what the first line begins with, if it is one of a comment.
func twoLines(before, next, leader string) bool {
	end, unmarked := strings.TrimRight(before, " \t"), next
	if next != "" && strings.IndexByte("+- ", next[0]) >= 0 {
		unmarked = next[1:]
	}
	words := strings.TrimLeft(unmarked, " \t")
	if words == "" {
		return end != "" && (end == before && !isWord(end[len(end)-1]) || next == "" && strings.IndexByte(";{}\"'`", end[len(end)-1]) >= 0)
	}
	if leader != "" && strings.HasPrefix(words, leader) {
		return true
	}
	if len(next)-len(words) > 1 || next[0] == '\t' {
		return true
	}
	begins := isWord(words[0]) || slices.ContainsFunc([]string{"@", "#", "<", "}", "[", "* ", "//", "/*"}, func(s string) bool { return strings.HasPrefix(words, s) })
	if end == "" || !begins {
		return end == "" && strings.HasPrefix(words, "/*")
	}
	last := end[len(end)-1]
	return strings.IndexByte(";{})],>:", last) >= 0 || isWord(last) && words[0] == '#' || strings.HasSuffix(end, "*/") || strings.HasSuffix(end, "/*") || strings.HasSuffix(end, "/**") ||
		next[0] == '+' && isWord(last) && isWord(words[0]) && !strings.HasSuffix(end, `\r`)
}

// commentLeader returns what the lines of a comment begin with, if line is one; else "".
func commentLeader(line string) string {
	words := strings.TrimLeft(line, " \t")
	for _, leader := range []string{"* ", "// ", "# ", "-- ", "; "} {
		if strings.HasPrefix(words, leader) {
			return leader
		}
	}
	return ""
}

func isWord(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// cutsString reports whether a string may begin in the line before and end in the next.
func cutsString(before, next string) bool {
	return slices.ContainsFunc([]string{`"`, "'", "`"}, func(q string) bool { return strings.Count(before, q)%2 == 1 && strings.Count(next, q)%2 == 1 })
}

// IsFence reports whether a line opens or closes a Markdown fence.
func IsFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// withoutFence takes off the only fence that is inside of the envelope and around all of its sections, or all of the hunks of the
// first one.
func (d *document) withoutFence() (string, bool) {
	var fences []int
	for i, l := range d.lines {
		if IsFence(l) {
			fences = append(fences, i)
		}
	}
	if len(fences) != 2 || d.format != Envelope {
		return "", false
	}
	above, below := fences[0], fences[1]
	if above == 0 || below+1 == len(d.lines) || strings.Trim(d.lines[below], "`~ ") != "" || strings.TrimSpace(d.lines[below+1]) != "*** End Patch" {
		return "", false
	}
	if before := d.lines[above-1]; strings.TrimSpace(before) != "*** Begin Patch" && !strings.HasPrefix(before, "*** Update File:") {
		return "", false
	}
	out := slices.Delete(slices.Clone(d.lines), below, below+1)
	return strings.Join(slices.Delete(out, above, above+1), "\n"), true
}

// withMissingMarks marks the lines of hunks that have no mark as context.
func (d *document) withMissingMarks() (string, bool) { return d.markContext(" +-") }

// withAllMarks marks every line of a hunk that is not marked as added or removed as context.
func (d *document) withAllMarks() (string, bool) { return d.markContext("+-") }

func (d *document) markContext(marks string) (string, bool) {
	out, changed := slices.Clone(d.lines), false
	for _, h := range d.hunks {
		if h.marks != "" {
			return "", false
		}
		for _, i := range h.at {
			if l := d.lines[i]; l != "" && strings.IndexByte(marks, l[0]) < 0 {
				out[i], changed = " "+l, true
			}
		}
	}
	return strings.Join(out, "\n"), changed
}
