package report

import "testing"

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "a b": "a b", "a\nb\n": `a\nb\n`, "\x1b[m\r": `\x1b[m\r`, "a\tb": "a\tb", `a\nb`: `a\nb`} {
		if got := OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
