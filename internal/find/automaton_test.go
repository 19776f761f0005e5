package find

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

// FuzzAutomaton: the lines that an automaton finds in a block are those that the expression matches one by one.
func FuzzAutomaton(f *testing.F) {
	for _, s := range []string{"foo", "a|b*c", "^a+$", `\bx\B`, "^$", "$", `[^a]\s$`, "(?i)straſ[s-u]e", `\pL{2,3}\d`, "[é-ü]+x", "\ufffd", ".{3,9}b", `(^|,)\w+(,|$)`, `(?m)^\W|\b$`, `a.{9}b`, `\Ba`, `x\z`} {
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
