package regex

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Literal is a text to look for.
type Literal struct {
	Text       string
	IgnoreCase bool // of ASCII letters; the text has no letter whose case is not in ASCII alone
}

// maxLiterals is how many texts are looked for at once.
const maxLiterals = 8

// RequiredLiterals returns texts at least one of which is in everything that re matches; none if there are none that help.
func RequiredLiterals(re *syntax.Regexp) []Literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return RequiredLiterals(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return RequiredLiterals(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []Literal
		for _, sub := range re.Sub {
			if n := RequiredLiterals(sub); usefulness(n) > usefulness(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []Literal
		for _, sub := range re.Sub {
			n := RequiredLiterals(sub)
			if len(n) == 0 || len(all)+len(n) > maxLiterals {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// OnlyLiterals reports whether re is nothing but the texts that RequiredLiterals returns, so that each of them is a match.
func OnlyLiterals(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return OnlyLiterals(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !OnlyLiterals(s) })
	case syntax.OpLiteral:
		n := literalOf(re)
		return len(n) == 1 && len(n[0].Text) == len(string(re.Rune))
	}
	return false
}

// literalOf returns the text of a literal. One with U+FFFD has none, since that also matches bytes that are not UTF-8; half of a
// surrogate pair becomes U+FFFD too.
func literalOf(re *syntax.Regexp) []Literal {
	text := string(re.Rune)
	if strings.ContainsRune(text, utf8.RuneError) {
		return nil
	}
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		text = ASCIICasePart(text)
	}
	if text == "" {
		return nil
	}
	return []Literal{{text, fold}}
}

// usefulness compares what to look for: long texts are rarer, and one is found faster than several.
func usefulness(all []Literal) int {
	if len(all) == 0 {
		return 0
	}
	shortest := len(all[0].Text)
	for _, n := range all {
		shortest = min(shortest, len(n.Text))
	}
	return 16*shortest - len(all)
}

// ASCIICasePart returns the longest part of text whose characters have no other case outside of ASCII. K and S have one: the
// Kelvin sign and the long s.
func ASCIICasePart(text string) string {
	best, from := "", 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && text[i] < utf8.RuneSelf && !strings.ContainsRune("kKsS", rune(text[i])) {
			continue
		}
		if i-from > len(best) {
			best = text[from:i]
		}
		from = i + 1
	}
	return best
}
