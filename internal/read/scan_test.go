package read

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/text"
)

// naive does the work of the scanner on a text in memory.
func naive(data string, first, last int) (content string, lines int, style string) {
	l := text.Split(data)
	var out strings.Builder
	seen := map[string]bool{}
	for i := range l.Len() {
		end := l.End(i)
		if end != text.None {
			seen[end] = true
		}
		if i+1 >= first && i+1 <= last {
			out.WriteString(l.Line(i))
			if end != text.None {
				out.WriteString("\n")
			}
		}
	}
	style = map[string]string{text.LF: "lf", text.CRLF: "crlf", text.CR: "cr"}[one(seen)]
	switch len(seen) {
	case 0:
		style = "none"
	case 1:
	default:
		style = "mixed"
	}
	return validUTF8([]byte(out.String())), l.Len(), style
}

func one(seen map[string]bool) string {
	for k := range seen {
		return k
	}
	return ""
}

// checkScanner scans data in blocks of step bytes after the first, and compares the result with that of naive.
func checkScanner(t *testing.T, data string, step, first, last, most int) {
	t.Helper()
	s := newScanner(first, last, most, true)
	const head = 8192
	parts := []string{data[:min(len(data), head)]}
	for rest := data[len(parts[0]):]; rest != ""; {
		n := min(step, len(rest))
		parts, rest = append(parts, rest[:n]), rest[n:]
	}
	for _, part := range parts {
		if part != "" {
			if err := s.add([]byte(part)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := sha256.Sum256([]byte(data)); s.sum() != hex.EncodeToString(got[:]) {
		t.Errorf("sha256 %s", s.sum())
	}
	if s.binary {
		if !text.Binary(data) || len(s.kept) < min(most, len(data)) {
			t.Errorf("binary: %t, %d kept", s.binary, len(s.kept))
		}
		return
	}
	want, lines, style := naive(data, first, last)
	content, cut := s.content(most)
	if s.lineCount() != lines || s.newlineStyle() != style || s.utf8.ok() != utf8.ValidString(data) || s.hasBOM != strings.HasPrefix(data, text.BOM) {
		t.Errorf("%d lines, %s, utf-8 %t, BOM %t; want %d, %s", s.lineCount(), s.newlineStyle(), s.utf8.ok(), s.hasBOM, lines, style)
	}
	if cut != (len(want) > most) || !strings.HasPrefix(want, content) || !cut && content != want {
		t.Errorf("content %q (cut %t), want %q of at most %d", content, cut, want, most)
	}
	if cut && (len(content) < most-utf8.UTFMax+1 || !utf8.ValidString(content)) {
		t.Errorf("cut at %d bytes of %d: %q", len(content), most, content)
	}
}

var scannerTexts = []string{
	"", "\n", "a", "a\n", "a\nb", "a\r\nb\r\n", "a\rb\r", "a\r\nb\nc\r", "\r", "\r\n", "\n\r", "\r\r\n\n",
	"\uFEFF", "\uFEFFa\r\n", "é\né", "日本\n語", "a\xffb\n", "\xe6\x97", "\xe6\x97\n", "\xf0\x9f\x98", "a\x00b", "\xff\xc3\xa9", "\xc3\xff\xc3\xa9", "x\uFEFFy\n",
}

func TestScanner(t *testing.T) {
	pad := strings.Repeat("0123456789abcde\n", 512) // 8192 bytes, the first part of every file
	for _, tail := range scannerTexts {
		for _, data := range []string{tail, pad + tail, pad[:8191] + tail, pad + tail + tail + tail} {
			for step := 1; step < 6; step++ {
				for _, most := range []int{1, 2, 3, 5, 100, 1 << 20} {
					checkScanner(t, data, step, 1, 1<<30, most)
					checkScanner(t, data, step, 512, 514, most)
					checkScanner(t, data, step, 2, 2, most)
				}
			}
		}
	}
}

func FuzzScanner(f *testing.F) {
	for i, s := range scannerTexts {
		f.Add(s, i%5+1, i%3, i%4, i)
	}
	pad := strings.Repeat("x", 8190)
	f.Fuzz(func(t *testing.T, data string, step, first, more, most int) {
		if step < 1 || first < 1 || more < 0 || most < 1 || first > 1<<30 || more > 1<<30 || most > 1<<20 {
			t.Skip()
		}
		checkScanner(t, data, step, first, first+more, most)
		checkScanner(t, pad+data, step, first, first+more, most)
	})
}
