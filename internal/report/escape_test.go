package report

import "testing"

// FuzzIsPlain checks that a plain text is shown as it is, and that printable ASCII with tabs is plain.
func FuzzIsPlain(f *testing.F) {
	for _, s := range []string{"", "plain", "\ttabs and\tmore text of some length", "12345678\x7f", "1234567\x1f", "a\x80bcdefgh", "é1234567", "\r1234567", "~~~~~~~~ "} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, s []byte) {
		want := true
		for _, c := range s {
			want = want && (c == '\t' || ' ' <= c && c <= '~')
		}
		if got := IsPlain(s); got != want || got && OneLine(string(s)) != string(s) {
			t.Errorf("%q: %t", s, got)
		}
	})
}

func TestEscape(t *testing.T) {
	tests := map[string]string{
		"plain\ttext\n":     "plain\ttext\n",
		"ünï – “x”":         "ünï – “x”",
		"\x1b[2J":           `\x1b[2J`,
		"a\rb":              `a\rb`,
		"\u009b31m":         `\x9b31m`,
		"a\u202eb":          `a\u202eb`,
		"a\u200bb\ufeff":    `a\u200bb\ufeff`,
		"\xff\xfe":          `\xff\xfe`,
		"\x00\x07\x7f":      `\x00\x07\x7f`,
		"line\u2028sep":     `line\u2028sep`,
		"\U000e0001tagged":  `\ue0001tagged`,
		"filler\u3164there": `filler\u3164there`,
	}
	for in, want := range tests {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "a b": "a b", "a\nb\n": `a\nb\n`, "\x1b[m\r": `\x1b[m\r`, "a\tb": "a\tb", `a\nb`: `a\nb`} {
		if got := OneLine(in); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}
