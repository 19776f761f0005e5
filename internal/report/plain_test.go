package report

import "testing"

// FuzzIsPlain: what is plain is shown as it is, and what has only tabs and visible ASCII is plain.
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
