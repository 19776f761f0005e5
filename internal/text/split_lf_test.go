package text

import (
	"slices"
	"testing"
)

func TestSplitLF(t *testing.T) {
	for data, want := range map[string][]string{
		"":                nil,
		"a":               {"a"},
		"a\r\nb\rc\n\r\n": {"a\r", "b\rc", "\r"},
		BOM + "a\nb\r":    {BOM + "a", "b\r"},
	} {
		l := SplitLF(data)
		if got := l.Strings(0, l.Len()); !slices.Equal(got, want) || l.Raw(0, l.Len()) != data || l.HasBOM() || !l.OnlyLF() {
			t.Errorf("%q: %q", data, got)
		}
		for i := range l.Len() {
			if l.Line(i)+l.End(i) != l.Raw(i, i+1) {
				t.Errorf("%q: line %d", data, i)
			}
		}
	}
	if !SplitLF("a\r").Open() || SplitLF("a\r\n").Open() || Split("a\r").Open() {
		t.Error("Open")
	}
}
