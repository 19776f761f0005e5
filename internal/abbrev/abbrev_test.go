package abbrev

import (
	"slices"
	"testing"
)

func TestFits(t *testing.T) {
	const entry = "20261121-123107-abcdefghij"
	for _, tt := range []struct {
		name, given string
		want        bool
	}{
		{entry, entry, true},
		{entry, "20261121-12", true},
		{entry, "a", true},
		{entry, "abcdefghij", true},
		{entry, "b", false},
		{entry, "123107", false},
		{entry, "", false},
		{entry + ".3", "abc", true},
		{entry + ".3", "abc.3", true},
		{entry + ".3", "abc.30", false},
		{entry + ".30", "abc.3", false},
		{entry + ".3", entry, true},
		{entry + ".3", ".3", false},
		{"s-enyptffpjkso", "eny", true},
		{"s-enyptffpjkso", "s-e", true},
		{"3f2a9c01-77f0-4a", "3f2a", true},
		{"3f2a9c01-77f0-4a", "77f0", false},
		{"q7h2k3m4n5p6", "7h", true},
		{"q7h2k3m4n5p6", "q7", true},
		{"v1.2", "v1", true},
	} {
		if got := Fits(tt.name, tt.given); got != tt.want {
			t.Errorf("Fits(%q, %q) = %t", tt.name, tt.given, got)
		}
	}
}

func TestPick(t *testing.T) {
	names := []string{"s-a", "s-ab", "s-abc", "b"}
	for given, want := range map[string][]string{"s-ab": {"s-ab"}, "a": {"s-a", "s-ab", "s-abc"}, "abc": {"s-abc"}, "b": {"b"}, "x": nil} {
		if got := Pick(names, given); !slices.Equal(got, want) {
			t.Errorf("%q: %q", given, got)
		}
	}
}

func TestIsRandom(t *testing.T) {
	for text, want := range map[string]bool{"a": true, "2a": true, "22": false, "": false, "a8": false, "abcdefghijk": false, "A": false} {
		if got := IsRandom(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
