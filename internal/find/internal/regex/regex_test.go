package regex

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

var expressions = flag.Int("regex.expressions", 5000, "how many random expressions the DFA is compared with package regexp on")

func parse(text string, fold bool) (*syntax.Regexp, error) {
	flags := syntax.Perl
	if fold {
		flags |= syntax.FoldCase
	}
	return syntax.Parse(text, flags)
}

// compiled returns the expression for package regexp, and a DFA, which is nil if the expression has none. ok is false for what
// is no expression, and for one that a search does not give to a DFA: one with an LF, with a CR, or too large.
func compiled(text string, fold bool) (re *regexp.Regexp, d *DFA, ok bool) {
	tree, err := parse(text, fold)
	if err != nil || mentions(tree, '\n') || mentions(tree, '\r') || Size(tree) > 100_000 {
		return nil, nil, false
	}
	if fold {
		text = "(?i)" + text
	}
	if re, err = regexp.Compile(text); err != nil {
		return nil, nil, false
	}
	return re, NewDFA(tree), true
}

func mentions(re *syntax.Regexp, r rune) bool {
	if re.Op == syntax.OpLiteral && slices.Contains(re.Rune, r) {
		return true
	}
	return slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return mentions(s, r) })
}

// FuzzDFA: the lines that a DFA finds in a block are those that the expression matches one by one.
func FuzzDFA(f *testing.F) {
	for _, s := range []string{"foo", "a|b*c", "^a+$", `\bx\B`, "^$", "$", `[^a]\s$`, "(?i)straſ[s-u]e", `\pL{2,3}\d`, "[é-ü]+x", "\ufffd", ".{3,9}b", `(^|,)\w+(,|$)`, `(?m)^\W|\b$`, `a.{9}b`, `\Ba`, `x\z`, `\x{d800}a|\x{fffd}\D`, `[^\x{d800}]a|[^\x{d800}-\x{fffc}]\d`} {
		f.Add(s, "foo\nBAR xa\r\nSTRASſE aaa\nK k\r\r\n\nabdd abdé\xff\xfd\nx, ü1", false)
		f.Add(s, "foo\nBAR,xa\r\nstrass ü\nK k\n\nabdd aaaaaaaaaab\xff\n\r\n", true)
	}
	f.Fuzz(func(t *testing.T, asked, text string, fold bool) {
		re, d, ok := compiled(asked, fold)
		if !ok || d == nil || len(asked) > 16<<10 {
			return
		}
		got, gaveUp := linesOfDFA(d, []byte(text))
		want := linesOfRegexp(re, []byte(text))
		if !gaveUp && !bytes.Equal(got, want) || gaveUp && !bytes.HasPrefix(want, got) {
			t.Errorf("%q (fold %t) in %q: line by line\n%s, DFA\n%s", asked, fold, text, want, got)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if match, ok := d.Match([]byte(line)); ok && match != re.MatchString(line) {
				t.Errorf("%q (fold %t) in the line %q: %t", asked, fold, line, match)
			}
		}
	})
}

var newline = []byte{'\n'}

// nextLine returns the line that begins at begin, without LF or CRLF, and where the next one begins.
func nextLine(block []byte, begin int) (line []byte, next int) {
	end := bytes.IndexByte(block[begin:], '\n')
	if end < 0 {
		return block[begin:], len(block)
	}
	return bytes.TrimSuffix(block[begin:begin+end], []byte("\r")), begin + end + 1
}

// linesOfDFA returns a y for each line that matches and an n for each other, as far as the DFA comes.
func linesOfDFA(d *DFA, block []byte) (out []byte, gaveUp bool) {
	for pos := 0; pos < len(block); {
		at, ok := d.Find(block, pos)
		if !ok {
			return append(out, bytes.Repeat([]byte("n"), bytes.Count(block[pos:at], newline))...), true
		}
		if at < 0 {
			return append(out, bytes.Repeat([]byte("n"), len(bytes.Split(bytes.TrimSuffix(block[pos:], newline), newline)))...), false
		}
		begin := bytes.LastIndexByte(block[pos:at], '\n') + 1 + pos
		next := len(block)
		if i := bytes.IndexByte(block[at:], '\n'); i >= 0 {
			next = at + i + 1
		}
		out = append(append(out, bytes.Repeat([]byte("n"), bytes.Count(block[pos:begin], newline))...), 'y')
		pos = next
	}
	return out, false
}

func linesOfRegexp(re *regexp.Regexp, block []byte) (out []byte) {
	for pos := 0; pos < len(block); {
		line, next := nextLine(block, pos)
		out = append(out, "ny"[bit(re.Match(line))])
		pos = next
	}
	return out
}

// TestRandomExpressions compares with random expressions and lines; -regex.expressions makes more of them.
func TestRandomExpressions(t *testing.T) {
	read, none, gaveUp := 0, 0, 0
	for seed := range uint64(*expressions) {
		m := &maker{rand.New(rand.NewPCG(4, seed))}
		asked := m.expression(4)
		re, d, ok := compiled(asked, m.IntN(4) == 0)
		if !ok {
			continue
		}
		if d == nil {
			none++
			continue
		}
		block := m.lines()
		got, stopped := linesOfDFA(d, block)
		want := linesOfRegexp(re, block)
		read += len(want)
		if gaveUp += int(bit(stopped)); stopped && !bytes.HasPrefix(want, got) || !stopped && !bytes.Equal(got, want) {
			t.Errorf("seed %d: %q in %q:\n%s, want\n%s", seed, asked, block, got, want)
		}
	}
	if t.Logf("%d lines, %d expressions without a DFA, %d that gave up", read, none, gaveUp); read == 0 {
		t.Error("no line was compared")
	}
}

// maker makes random expressions and lines.
type maker struct{ *rand.Rand }

func (m *maker) pick(from ...string) string { return from[m.IntN(len(from))] }

func (m *maker) expression(depth int) string {
	if depth == 0 || m.IntN(5) == 0 {
		return m.pick("a", "b", "ab", "é", ".", `\w`, `\d`, `\s`, `\W`, "[a-c]", "[^a]", "[^é]", `\pL`, "K", "s", "^", "$", `\b`, `\B`, `\z`, "\ufffd", "(?i:ſk)", "[b-é]")
	}
	x, y := m.expression(depth-1), m.expression(depth-1)
	switch m.IntN(7) {
	case 0:
		return "(" + x + "|" + y + ")"
	case 1:
		return "(?:" + x + ")" + m.pick("*", "+", "?", "{2}", "{1,3}", "{3,}")
	}
	return x + y
}

// lines returns random lines with ends of both kinds.
func (m *maker) lines() []byte {
	var b bytes.Buffer
	for range m.IntN(40) {
		for range m.IntN(8) {
			b.WriteString(m.pick("a", "b", "ab", "aa", "c", "é", "É", "k", "K", "ſ", "S", " ", "_", "1", "\t", "\r", "\xff", "\xc3", "日", "-"))
		}
		b.WriteString(m.pick("\n", "\n", "\r\n", "\n\n"))
	}
	b.WriteString(m.pick("", "a", "b\r", "é"))
	return b.Bytes()
}

// TestSize: Size is about the number of instructions that the expression compiles to.
func TestSize(t *testing.T) {
	for _, query := range []string{"a", "abc", "a*", "a+b?", "(a|b|cd)*", "[a-z]{3,9}", "a{7,}", `(?:(?:\w?){30}){30}`, "(?i)straße", `^\bfoo(bar)?$`, "(a{2,3}|b){4}", `\pL{100}`, "(?s).{0,500}x"} {
		tree, err := parse(query, false)
		if err != nil {
			t.Fatal(err)
		}
		p, err := syntax.Compile(tree.Simplify())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := Size(tree), len(p.Inst)-2; got < want-want/10 || got > want+want/4+1 {
			t.Errorf("%s has size %d and becomes %d instructions", query, got, want)
		}
	}
}

// BenchmarkDFA reads a megabyte of lines that do not match.
func BenchmarkDFA(b *testing.B) {
	block := []byte(strings.Repeat("\tfunc name(a int) error { return call(b) } // and more\n", 20_000))
	for _, query := range []string{`[A-Z][a-z]+\d`, `\w+_\w+`, `^\S`, `\bname\b.*\d$`, "[à-ü]{2}"} {
		_, d, ok := compiled(query, false)
		if !ok {
			b.Fatal(query)
		}
		b.Run(query, func(b *testing.B) {
			b.SetBytes(int64(len(block)))
			b.ReportAllocs()
			for b.Loop() {
				if at, ok := d.Find(block, 0); at >= 0 || !ok {
					b.Fatal(at, ok)
				}
			}
		})
	}
}
