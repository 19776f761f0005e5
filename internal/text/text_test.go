package text

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	tests := []struct {
		data string
		want []string // line, end, line, end, ...
	}{
		{"", nil},
		{"a", []string{"a", None}},
		{"a\n", []string{"a", LF}},
		{"a\nb", []string{"a", LF, "b", None}},
		{"a\r\nb\r\n", []string{"a", CRLF, "b", CRLF}},
		{"a\rb\r", []string{"a", CR, "b", CR}},
		{"a\rb\nc\r\nd", []string{"a", CR, "b", LF, "c", CRLF, "d", None}},
		{"a\r\r\nb", []string{"a", CR, "", CRLF, "b", None}},
		{"\n\n", []string{"", LF, "", LF}},
		{"\r", []string{"", CR}},
		{BOM + "a\n", []string{"a", LF}},
		{BOM, nil},
		{"a\n" + BOM + "b\n", []string{"a", LF, BOM + "b", LF}},
		{"\xff\xfe\n", []string{"\xff\xfe", LF}},
	}
	for _, tt := range tests {
		l := Split(tt.data)
		var got []string
		for i := range l.Len() {
			got = append(got, l.Line(i), l.End(i))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Split(%q) = %q, want %q", tt.data, got, tt.want)
		}
		if l.HasBOM() != strings.HasPrefix(tt.data, BOM) {
			t.Errorf("Split(%q).HasBOM() = %v", tt.data, l.HasBOM())
		}
	}
}

func TestOpen(t *testing.T) {
	for data, want := range map[string]bool{"": false, "a": true, "a\n": false, "a\r": false, "a\nb": true} {
		if got := Split(data).Open(); got != want {
			t.Errorf("Split(%q).Open() = %v, want %v", data, got, want)
		}
	}
}

func TestBinary(t *testing.T) {
	for data, want := range map[string]bool{
		"": false, "abc": false, "a\x00": true,
		strings.Repeat("a", 8191) + "\x00": true, strings.Repeat("a", 8192) + "\x00": false,
	} {
		if got := Binary(data); got != want {
			t.Errorf("Binary(%d bytes) = %v, want %v", len(data), got, want)
		}
	}
}

// FuzzSplitJoin: split then join is the identity, and no line holds a line end.
func FuzzSplitJoin(f *testing.F) {
	for _, s := range []string{"", "a", "a\n", "a\r\nb\rc\n\n", BOM + "x\r", "\r\r\n\n\r"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data string) {
		l := Split(data)
		var b strings.Builder
		if l.HasBOM() {
			b.WriteString(BOM)
		}
		for i := range l.Len() {
			line := l.Line(i)
			if strings.ContainsAny(line, "\r\n") {
				t.Fatalf("line %d of %q holds a line end: %q", i, data, line)
			}
			b.WriteString(line)
			b.WriteString(l.End(i))
			if l.End(i) == None && i != l.Len()-1 {
				t.Fatalf("line %d of %q has no end and is not the last", i, data)
			}
		}
		if b.String() != data {
			t.Fatalf("joined %q, want %q", b.String(), data)
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	data := strings.Repeat("some line of code\n", 1<<16)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		Split(data)
	}
}
