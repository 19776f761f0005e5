package report

import (
	"strconv"
	"strings"

	"github.com/emend-dev/emend/internal/panics"
	"github.com/emend-dev/emend/patch"
)

// writeHunks writes the hunks of a diff. A hunk depends on the others only through the number of lines before it, so
// if there are very many, the second half is written in parallel.
func writeHunks(b *strings.Builder, before, after string, spans []byteSpan) {
	mid := splitPoint(before, spans)
	if mid == len(spans) {
		writeSpans(b, before, after, spans, position{line: 1})
		return
	}
	var first, rest strings.Builder
	var writing panics.Group
	writing.Go(func() {
		writeSpans(&rest, before, after, spans[mid:], positionAfter(before, after, spans[mid-1]))
	})
	writeSpans(&first, before, after, spans[:mid], position{line: 1})
	writing.Wait()
	b.Grow(first.Len() + rest.Len())
	b.WriteString(first.String())
	b.WriteString(rest.String())
}

// splitPoint returns an index near the middle of the spans at which a new hunk begins, or len(spans).
func splitPoint(before string, spans []byteSpan) int {
	if len(spans) < 1000 {
		return len(spans)
	}
	n := len(spans) / 2
	for n < len(spans) && !farApart(before[spans[n-1].a1:spans[n].a0]) {
		n++
	}
	return n
}

// position is a byte offset in the old text, the number of the line that begins there, and how many more lines the
// new text has up to there.
type position struct{ at, line, shift int }

func positionAfter(before, after string, s byteSpan) position {
	oldLines, newLines := strings.Count(before[:s.a1], "\n"), strings.Count(after[:s.b1], "\n")
	return position{s.a1, oldLines + 1, newLines - oldLines}
}

func writeSpans(b *strings.Builder, before, after string, spans []byteSpan, p position) {
	for len(spans) > 0 {
		n := 1
		for n < len(spans) && !farApart(before[spans[n-1].a1:spans[n].a0]) {
			n++
		}
		if b.Cap()-b.Len() < 1<<12 {
			b.Grow(1 << 12) // grows by doubling; the builder would grow, and copy, by quarters
		}
		p = writeHunk(b, before, after, spans[:n], p)
		spans = spans[n:]
	}
}

// writeHunk writes one hunk, which comes after p, and returns the position of its end.
func writeHunk(b *strings.Builder, before, after string, group []byteSpan, p position) position {
	first, last := group[0], group[len(group)-1]
	lead, trail := lastLines(before[p.at:first.a0]), firstLines(before[last.a1:])
	p.line += strings.Count(before[p.at:first.a0-len(lead)], "\n")
	oldLines := countLines(before[first.a0-len(lead) : last.a1+len(trail)])
	newLines := countLines(after[first.b0-len(lead) : last.b1+len(trail)])
	b.WriteString("@@ -")
	writeHunkRange(b, p.line, oldLines)
	b.WriteString(" +")
	writeHunkRange(b, p.line+p.shift, newLines)
	b.WriteString(" @@\n")
	writeLines(b, ' ', lead)
	for i, s := range group {
		writeLines(b, '-', before[s.a0:s.a1])
		writeLines(b, '+', after[s.b0:s.b1])
		if i+1 < len(group) {
			writeLines(b, ' ', before[s.a1:group[i+1].a0])
		}
	}
	writeLines(b, ' ', trail)
	return position{last.a1, p.line + strings.Count(before[first.a0-len(lead):last.a1], "\n"), p.shift + newLines - oldLines}
}

func writeHunkRange(b *strings.Builder, line, n int) {
	if n == 0 {
		line--
	}
	var buf [48]byte
	b.Write(strconv.AppendInt(append(strconv.AppendInt(buf[:0], int64(line), 10), ','), int64(n), 10))
}

// countLines counts the lines of s, including a last one without a newline.
func countLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// farApart reports whether two changes with s between them belong to different hunks.
func farApart(s string) bool {
	for range 2*contextLines + 1 {
		i := strings.IndexByte(s, '\n')
		if i < 0 {
			return false
		}
		s = s[i+1:]
	}
	return true
}

// lastLines and firstLines return the lines of s that a hunk shows as context.
func lastLines(s string) string {
	at := len(s)
	for range contextLines {
		if at == 0 {
			break
		}
		at = strings.LastIndexByte(s[:at-1], '\n') + 1
	}
	return s[at:]
}

func firstLines(s string) string {
	at := 0
	for range contextLines {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s
		}
		at += i + 1
	}
	return s[:at]
}

// writeLines writes every line of s, prefixed with c.
func writeLines(b *strings.Builder, c byte, s string) {
	for s != "" {
		i := strings.IndexByte(s, '\n') + 1
		if i == 0 {
			b.WriteByte(c)
			b.WriteString(s)
			b.WriteString("\n\\ No newline at end of file\n")
			return
		}
		b.WriteByte(c)
		b.WriteString(s[:i])
		s = s[i:]
	}
}

// HunksOf returns how many hunks of a change can be taken back each by itself, by their numbers in its diff; 0 for a change that is
// taken back as a whole: of a file that came, went, moved, changed its permissions, is binary, or whose diff is not there.
func HunksOf(operation, diff string) int {
	header, _, found := strings.Cut(diff, "\n@@ ")
	if operation != patch.Update.String() || !found || strings.Contains(header, "\nold mode ") {
		return 0
	}
	return strings.Count(diff, "\n@@ ")
}
