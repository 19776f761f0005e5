package paint

import (
	"fmt"
	"strings"
	"testing"
)

// painted returns lines with each coloured piece as class(piece).
func painted(l *Lang, lines ...string) string {
	var b strings.Builder
	var at State
	for _, s := range lines {
		spans, next := l.Line(s, at)
		from := 0
		for _, p := range spans {
			if p.Class == "" {
				b.WriteString(s[from:p.End])
			} else {
				fmt.Fprintf(&b, "%s‹%s›", p.Class, s[from:p.End])
			}
			from = p.End
		}
		b.WriteByte('\n')
		at = next
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestLine(t *testing.T) {
	for _, tc := range []struct{ file, text, want string }{
		{"a.go", `x := f("a\"b", 'c', 0x1F) // d`, `x := f‹f›(s‹"a\"b"›, s‹'c'›, n‹0x1F›) c‹// d›`},
		{"a.go", "return `a\nb` + nil", "k‹return› s‹`a›\ns‹b`› + t‹nil›"},
		{"a.go", "a /* b\nc */ var d1e5 = 1e-5 + .5", "a c‹/* b›\nc‹c */› k‹var› d1e5 = n‹1e-5› + .n‹5›"},
		{"a.go", `"open`, `s‹"open›`},
		{"a.go", "\"open\nif", "s‹\"open›\nk‹if›"},
		{"a.tsx", `const a = /["'/]x/g.test(b) / 2; // c`, `k‹const› a = s‹/["'/]x/g›.f‹test›(b) / n‹2›; c‹// c›`},
		{"a.js", "`a ${b}\n'c'` + 'd'", "s‹`a ${b}›\ns‹'c'`› + s‹'d'›"},
		{"a.js", "a / b / c", "a / b / c"},
		{"a.py", "@dec\ndef f(self): # c\n    \"\"\"doc\n    'x'\"\"\"\n    return f'a' if None else 1_000", "m‹@dec›\nk‹def› f‹f›(t‹self›): c‹# c›\n    s‹\"\"\"doc›\ns‹    'x'\"\"\"›\n    k‹return› fs‹'a'› k‹if› t‹None› k‹else› n‹1_000›"},
		{"a.rs", `fn a<'b>(c: &'b str) -> char { '\'' } // d`, `k‹fn› a<t‹'b›>(c: &t‹'b› t‹str›) -> t‹char› { s‹'\''› } c‹// d›`},
		{"a.rs", "#[derive(Debug)]\nlet r = r#\"a\"b\"#; /* x /* y */\nz */ 0..10", "m‹#[derive(Debug)]›\nk‹let› r = s‹r#\"a\"b\"#›; c‹/* x /* y */›\nc‹z */› n‹0›..n‹10›"},
		{"A.java", `@Override public int f() { return 'c'; }`, `m‹@Override› k‹public› t‹int› f‹f›() { k‹return› s‹'c'›; }`},
		{"a.hpp", "#include <x> // y\n# define A", "m‹#include› <x> c‹// y›\nm‹# define› A"},
		{"a.cs", `var s = @"a\"; #region`, `k‹var› s = s‹@"a\"›; #region`},
		{"a.rb", "def a(b) = { :c => @d, e: $f } # g", "k‹def› f‹a›(b) = { n‹:c› => a‹@d›, e: a‹$f› } c‹# g›"},
		{"a.php", "<?php echo $a . 'b'; // c", "<?k‹php› k‹echo› a‹$a› . s‹'b'›; c‹// c›"},
		{"x.sh", `if [ "$a" = ${b} ]; then echo $#c; fi # d`, `k‹if› [ s‹"$a"› = a‹${b}› ]; k‹then› t‹echo› $#c; k‹fi› c‹# d›`},
		{"a.sql", "SELECT count(*) FROM \"T\" WHERE a = 'b' -- c", "k‹SELECT› f‹count›(*) k‹FROM› a‹\"T\"› k‹WHERE› a = s‹'b'› c‹-- c›"},
		{"a.html", "<!-- a\nb --><a href=\"c\" d='e\nf'>g &amp; <br/></a>", "c‹<!-- a›\nc‹b -->›k‹<a› a‹href›=s‹\"c\"› a‹d›=s‹'e›\ns‹f'›k‹>›g &amp; k‹<br/></a>›"},
		{"a.css", "a:hover {\n  color: #fff; /* b */\n  width: 10px\n}\n@media (x: 1) {", "a:hover {\n  a‹color›: n‹#fff›; c‹/* b */›\n  a‹width›: n‹10px›\n}\nk‹@media› (x: n‹1›) {"},
		{"a.json", `{"a": "b", "c": [1.5, true]}`, `{a‹"a"›: s‹"b"›, a‹"c"›: [n‹1.5›, t‹true›]}`},
		{"a.yml", "- a b: c # d\n  don't: 'x' #e\n  f: http://x#y", "- a‹a b›: c c‹# d›\n  a‹don't›: s‹'x'› c‹#e›\n  a‹f›: http://x#y"},
		{"a.toml", "[a.b]\nc = \"d\" # e\nf = [1]", "m‹[a.b]›\na‹c› = s‹\"d\"› c‹# e›\na‹f› = [n‹1›]"},
		{"Dockerfile", "FROM a AS b\nRUN echo $c # d", "k‹FROM› a AS b\nk‹RUN› echo a‹$c› c‹# d›"},
		{"Makefile", "a: b\n\techo $x\nC := d # e", "f‹a›: b\n\techo a‹$x›\na‹C› := d c‹# e›"},
		{"a.md", "# a\n- b `c` d\n```go\n# e\n```\n> f", "m‹# a›\nk‹-› b s‹`c`› d\nm‹```go›\ns‹# e›\nm‹```›\nc‹> f›"},
		{"a.kt", `val a: Int? = null /* b /* c */ */`, `k‹val› a: t‹Int›? = t‹null› c‹/* b /* c */ */›`},
		{"a.swift", `guard let a = b else { return nil }`, `k‹guard› k‹let› a = b k‹else› { k‹return› t‹nil› }`},
		{"a.go", "äöü := \"ß\"", "äöü := s‹\"ß\"›"},
		{"a.go", "", ""},
	} {
		l := For("dir/" + tc.file)
		if l == nil {
			t.Errorf("%s: no language", tc.file)
			continue
		}
		if got := painted(l, strings.Split(tc.text, "\n")...); got != tc.want {
			t.Errorf("%s:\n%s\nis\n%s\nwant\n%s", tc.file, tc.text, got, tc.want)
		}
	}
}
