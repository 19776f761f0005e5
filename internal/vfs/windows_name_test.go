package vfs

import "testing"

func TestBadWindowsName(t *testing.T) {
	for _, name := range []string{"CON", "con", "Nul.txt", "aux.", "COM1", "lpt9.tar.gz", "COM¹", "NUL .txt", "a.", "a ", "...", "a:b", "a:", `a"b`, "a<b", "a>b", "a|b", "a?b",
		"a*b", "a\x01b", "a\nb", "CONIN$"} {
		if BadWindowsName(name) == "" {
			t.Errorf("%q is allowed", name)
		}
	}
	for _, name := range []string{"a", "CONS", "console.log", "com10", "COM", "lpt", ".gitignore", "a.b", "a b", " a", ".a", "nul_", "ü", "日本", "a~1"} {
		if why := BadWindowsName(name); why != "" {
			t.Errorf("%q: %s", name, why)
		}
	}
}
