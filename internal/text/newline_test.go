package text

import (
	"slices"
	"strings"
	"testing"
)

func TestStyle(t *testing.T) {
	for data, want := range map[string]string{
		"": "none", "a": "none", BOM: "none", "a\n": "lf", "a\nb": "lf", "a\r\n": "crlf", "a\r\nb": "crlf", "a\r": "cr", "a\rb\r": "cr",
		"a\nb\r\n": "mixed", "a\r\nb\r": "mixed", "a\rb\n": "mixed", "\r\r\n": "mixed", "\n\r": "mixed", "\n\r\n": "mixed",
	} {
		if got := Style(data); got != want {
			t.Errorf("Style(%q) = %s, want %s", data, got, want)
		}
	}
}

func TestRestyle(t *testing.T) {
	tests := []struct{ name, content, like, want string }{
		{"LF stays", "a\nb\n", "x\ny\n", "a\nb\n"},
		{"nothing to go by", "a\nb\n", "x", "a\nb\n"},
		{"an empty file", "a\n", "", "a\n"},
		{"nothing left", "", "a\r\n", ""},
		{"CRLF", "a\nb", "x\r\n", "a\r\nb"},
		{"CR", "a\nb\n", "x\ry\r", "a\rb\r"},
		{"the last newline is the content's", "a\n", "x\r\ny", "a\r\n"},
		{"CRLF of its own", "a\r\nb\n", "x\n", "a\r\nb\n"},
		{"a CR of its own", "a\rb\n", "x\r\n", "a\rb\n"},
		{"a mark is kept", "a\n", BOM + "x\n", BOM + "a\n"},
		{"a mark is not doubled", BOM + "a\n", BOM + "x\r\n", BOM + "a\r\n"},
		{"a mark may come", BOM + "a\n", "x\n", BOM + "a\n"},
		{"a mark and CRLF of its own", "a\r\n", BOM + "x\n", BOM + "a\r\n"},
		{"mixed: each line keeps its own", "a\nb\nc\nd\n", "a\r\nb\nc\rd\n", "a\r\nb\nc\rd\n"},
		{"mixed: a new line takes that before it", "a\nx\nb\ny\nc\n", "a\r\nb\nc\r", "a\r\nx\r\nb\ny\nc\r"},
		{"mixed: at the top that of the first line", "x\na\nb\n", "a\r\nb\n", "x\r\na\r\nb\n"},
		{"mixed: a line that was the open last one", "a\nb\nc\n", "a\r\nx\nb", "a\r\nb\r\nc\r\n"},
		{"mixed: an open last line", "a\nb", "a\r\nb\n", "a\r\nb"},
		{"mixed: a CR and an empty line's LF", "a\n\nb\n", "a\rx\n\nb\n", "a\r\rb\n"},
	}
	for _, tt := range tests {
		if got := Restyle(tt.content, tt.like); got != tt.want {
			t.Errorf("%s: Restyle(%q, %q) = %q, want %q", tt.name, tt.content, tt.like, got, tt.want)
		}
	}
}

// FuzzRestyle: only line ends change; the text itself, restyled as itself, does not.
func FuzzRestyle(f *testing.F) {
	for _, s := range []string{"", "a", "a\r\nb\nc\n", BOM + "a\r\nb\r\n", "a\rb\n\nc", "\r\n\r\r\n"} {
		f.Add(s, s)
		f.Add("a\nb\n\nc\n", s)
		f.Add(s, "a\nb\n\nc\r")
	}
	f.Fuzz(func(t *testing.T, content, like string) {
		got := Restyle(content, like)
		if !slices.Equal(lines(got), lines(content)) {
			t.Fatalf("Restyle(%q, %q) = %q has other lines", content, like, got)
		}
		if Split(got).Open() != Split(content).Open() {
			t.Fatalf("Restyle(%q, %q) = %q ends otherwise", content, like, got)
		}
		if want := strings.HasPrefix(content, BOM) || strings.HasPrefix(like, BOM); Split(got).HasBOM() != want {
			t.Fatalf("Restyle(%q, %q) = %q: mark %v", content, like, got, !want)
		}
		seen := strings.ReplaceAll(strings.ReplaceAll(like, CRLF, LF), CR, LF) // as a reader shows it
		if back := Restyle(seen, like); back != like {
			t.Fatalf("Restyle(%q, %q) = %q", seen, like, back)
		}
	})
}

func lines(data string) []string { l := Split(data); return l.Strings(0, l.Len()) }
