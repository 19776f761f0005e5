package find

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// need is a text of which every match has one.
type need struct {
	text string
	fold bool
}

// mostNeeds is how many texts are looked for at once.
const mostNeeds = 8

// needs returns texts one of which is in everything that re matches; none when there are none that help.
func needs(re *syntax.Regexp) []need {
	switch re.Op {
	case syntax.OpLiteral:
		return needsOf(re)
	case syntax.OpCapture, syntax.OpPlus:
		return needs(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needs(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []need
		for _, sub := range re.Sub {
			if n := needs(sub); worth(n) > worth(best) {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all []need
		for _, sub := range re.Sub {
			n := needs(sub)
			if len(n) == 0 || len(all)+len(n) > mostNeeds {
				return nil
			}
			all = append(all, n...)
		}
		return all
	}
	return nil
}

// isNeeds reports whether the expression is nothing but the texts that needs returns: one of them is a match.
func isNeeds(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpCapture:
		return isNeeds(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !isNeeds(s) })
	case syntax.OpLiteral:
		n := needsOf(re)
		return len(n) == 1 && len(n[0].text) == len(string(re.Rune))
	}
	return false
}

// needsOf is for a literal. U+FFFD also stands for bytes that are no UTF-8, so that such a literal has no bytes of its own, and
// half of a surrogate pair has none either.
func needsOf(re *syntax.Regexp) []need {
	text := string(re.Rune)
	if strings.ContainsRune(text, utf8.RuneError) {
		return nil
	}
	fold := re.Flags&syntax.FoldCase != 0
	if fold {
		text = plain(text)
	}
	if text == "" {
		return nil
	}
	return []need{{text, fold}}
}

// worth compares what to look for: long texts are rarer, and one is found faster than several.
func worth(all []need) int {
	if len(all) == 0 {
		return 0
	}
	shortest := len(all[0].text)
	for _, n := range all {
		shortest = min(shortest, len(n.text))
	}
	return 16*shortest - len(all)
}

// plain is the longest part of text whose characters have their case in ASCII alone. K and S have another: the Kelvin
// sign and the long s.
func plain(text string) string {
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
