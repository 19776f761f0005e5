package find

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

// FuzzAutomaton: the lines that an automaton finds in a block are those that the expression matches one by one.
func FuzzAutomaton(f *testing.F) {
	for _, s := range []string{"foo", "a|b*c", "^a+$", `\bx\B`, "^$", "$", `[^a]\s$`, "(?i)straſ[s-u]e", `\pL{2,3}\d`, "[é-ü]+x", "\ufffd", ".{3,9}b", `(^|,)\w+(,|$)`, `(?m)^\W|\b$`, `a.{9}b`, `\Ba`, `x\z`, `\x{d800}a|\x{fffd}\D`, `[^\x{d800}]a|[^\x{d800}-\x{fffc}]\d`} {
		f.Add(s, "foo\nBAR xa\r\nSTRASſE aaa\nK k\r\r\n\nabdd abdé\xff\xfd\nx, ü1", false)
		f.Add(s, "foo\nBAR,xa\r\nstrass ü\nK k\n\nabdd aaaaaaaaaab\xff\n\r\n", true)
	}
	f.Fuzz(func(t *testing.T, asked, text string, fold bool) {
		q, err := newRegexp(asked, fold)
		if err != nil || q.cr {
			return
		}
		tree, _ := syntax.Parse(asked, q.flags)
		a := newAutomaton(tree)
		if a == nil {
			return
		}
		got, gaveUp := automatonLines(a, []byte(text))
		want := regexpLines(q.re, []byte(text))
		if !gaveUp && !bytes.Equal(got, want) || gaveUp && !bytes.HasPrefix(want, got) {
			t.Errorf("%q (fold %t) in %q: line by line\n%s, automaton\n%s", asked, fold, text, want, got)
		}
		for line := range strings.SplitSeq(text, "\n") {
			if has, ok := a.has([]byte(line)); ok && has != q.re.MatchString(line) {
				t.Errorf("%q (fold %t) in the line %q: %t", asked, fold, line, has)
			}
		}
	})
}

// automatonLines has a y for each line that matches and an n for each other, as far as the automaton comes.
func automatonLines(a *automaton, block []byte) (out []byte, gaveUp bool) {
	for pos := 0; pos < len(block); {
		at, ok := a.find(block, pos)
		if !ok {
			return append(out, bytes.Repeat([]byte("n"), bytes.Count(block[pos:at], newline))...), true
		}
		if at < 0 {
			return append(out, bytes.Repeat([]byte("n"), len(bytes.Split(bytes.TrimSuffix(block[pos:], newline), newline)))...), false
		}
		begin := bytes.LastIndexByte(block[pos:at], '\n') + 1 + pos
		_, next, _ := cutLine(block, begin, at)
		out = append(append(out, bytes.Repeat([]byte("n"), bytes.Count(block[pos:begin], newline))...), 'y')
		pos = next
	}
	return out, false
}

func regexpLines(re *regexp.Regexp, block []byte) (out []byte) {
	for pos := 0; pos < len(block); {
		line, next, _ := cutLine(block, pos, pos)
		out = append(out, "ny"[bit(re.Match(line))])
		pos = next
	}
	return out
}

// TestAutomaton compares with random expressions and lines. go test -find.trees makes more of them.
func TestAutomaton(t *testing.T) {
	read, none, gaveUp := 0, 0, 0
	for seed := range uint64(200 * *trees) {
		m := &maker{Rand: rand.New(rand.NewPCG(4, seed))}
		asked := m.expression(4)
		q, err := newRegexp(asked, m.IntN(4) == 0)
		if err != nil {
			continue
		}
		if q.auto == nil {
			none++
			continue
		}
		block := m.lines()
		got, stopped := automatonLines(q.auto, block)
		want := regexpLines(q.re, block)
		read += len(want)
		if gaveUp += int(bit(stopped)); stopped && !bytes.HasPrefix(want, got) || !stopped && !bytes.Equal(got, want) {
			t.Errorf("seed %d: %q in %q:\n%s, want\n%s", seed, asked, block, got, want)
		}
	}
	if t.Logf("%d lines, %d expressions without an automaton, %d that gave up", read, none, gaveUp); read == 0 {
		t.Error("no line was compared")
	}
}

// expression is a random expression.
func (m *maker) expression(depth int) string {
	if depth == 0 || m.IntN(5) == 0 {
		return pick(m, "a", "b", "ab", "é", ".", `\w`, `\d`, `\s`, `\W`, "[a-c]", "[^a]", "[^é]", `\pL`, "K", "s", "^", "$", `\b`, `\B`, `\z`, "\ufffd", "(?i:ſk)", "[b-é]")
	}
	x, y := m.expression(depth-1), m.expression(depth-1)
	switch m.IntN(7) {
	case 0:
		return "(" + x + "|" + y + ")"
	case 1:
		return "(?:" + x + ")" + pick(m, "*", "+", "?", "{2}", "{1,3}", "{3,}")
	}
	return x + y
}

// lines are random lines with ends of both kinds.
func (m *maker) lines() []byte {
	var b bytes.Buffer
	for range m.IntN(40) {
		for range m.IntN(8) {
			b.WriteString(pick(m, "a", "b", "ab", "aa", "c", "é", "É", "k", "K", "ſ", "S", " ", "_", "1", "\t", "\r", "\xff", "\xc3", "日", "-"))
		}
		b.WriteString(pick(m, "\n", "\n", "\r\n", "\n\n"))
	}
	b.WriteString(pick(m, "", "a", "b\r", "é"))
	return b.Bytes()
}

// TestAutomatonGivesUp: an expression that has too many states is left to the standard engine, in the middle of a search.
func TestAutomatonGivesUp(t *testing.T) {
	m := &maker{Rand: rand.New(rand.NewPCG(5, 5))}
	var text strings.Builder
	for range 20_000 {
		for range 30 {
			text.WriteString(pick(m, "a", "b", "c"))
		}
		text.WriteByte('\n')
	}
	q, err := newRegexp("[ab].{16}[^b][^c][ab]$", false)
	must(t, err)
	want := bytes.Count(regexpLines(q.re, []byte(text.String())), []byte("y"))
	found, err := (&lines{q: q}).file(t.Context(), strings.NewReader(text.String()))
	if err != nil || len(found) != want || q.auto != nil || want == 0 {
		t.Errorf("%d lines, want %d, automaton %t, %v", len(found), want, q.auto != nil, err)
	}
}
