package damage

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

func typography(r *rand.Rand, c *Case) bool {
	if r.IntN(2) == 0 {
		return c.changeFileLines(r, typeset)
	}
	return c.each(func(mark byte, text string) string {
		if mark == '+' {
			return text
		}
		return typeset(text)
	})
}

// typeset replaces plain quotes and dashes by typographic ones.
func typeset(text string) string {
	text = strings.ReplaceAll(text, " - ", " \u2013 ")
	text = strings.ReplaceAll(text, "'", "\u2019")
	for open := true; strings.Contains(text, `"`); open = !open {
		mark := "\u201D"
		if open {
			mark = "\u201C"
		}
		text = strings.Replace(text, `"`, mark, 1)
	}
	return text
}

// vowel matches letters that get an accent, and that are not part of an escape.
var vowel = regexp.MustCompile(`[aeiou]`)

// normalForm puts accents on letters of some lines in the file and in the patch: composed in one, decomposed in the other.
func normalForm(r *rand.Rand, c *Case) bool {
	done := false
	for i := range c.Hunks {
		h := &c.Hunks[i]
		shown := h.shown()
		for j, l := range h.Lines {
			if l[0] == '+' {
				continue
			}
			n := shown[0]
			shown = shown[1:]
			if l[0] != ' ' || !vowel.MatchString(l[1:]) || r.IntN(2) == 0 || l[1:] != c.change.old[n] {
				continue
			}
			at := vowel.FindStringIndex(l[1:])[1]
			composed := norm.NFC.String(l[1:1+at] + "\u0301" + l[1+at:])
			c.disk.set(n, composed)
			h.Lines[j] = " " + norm.NFD.String(composed)
			done = true
		}
	}
	return done
}

var word = regexp.MustCompile(`[A-Za-z]{4,}`)

// paraphrased changes a word or two of one context line.
func paraphrased(r *rand.Rand, c *Case) bool {
	type spot struct{ hunk, line int }
	var spots []spot
	for i, h := range c.Hunks {
		for _, j := range h.context() {
			if len(word.FindAllString(h.Lines[j], -1)) >= 2 {
				spots = append(spots, spot{i, j})
			}
		}
	}
	if len(spots) == 0 {
		return false
	}
	s := spots[r.IntN(len(spots))]
	line := &c.Hunks[s.hunk].Lines[s.line]
	*line = (*line)[:1] + reword(r, (*line)[1:])
	return true
}

// reword returns a text that says nearly the same.
func reword(r *rand.Rand, text string) string {
	at := word.FindAllStringIndex(text, -1)
	w := at[r.IntN(len(at))]
	was := text[w[0]:w[1]]
	now := []string{was + "s", "the" + was, was[:len(was)-1], was + "Value", "new" + was, strings.ToUpper(was[:1]) + was[1:] + "Of"}[r.IntN(6)]
	return text[:w[0]] + now + text[w[1]:]
}

// wrongAnchor gives hunks the text of another line as anchor, or one that is nowhere.
func wrongAnchor(r *rand.Rand, c *Case) bool {
	named := slices.DeleteFunc(slices.Clone(c.change.old), func(l string) bool { return len(word.FindAllString(l, -1)) < 2 })
	if len(named) == 0 {
		return false
	}
	for i := range c.Hunks {
		line := trim(named[r.IntN(len(named))])
		if r.IntN(2) == 0 {
			line = reword(r, line)
		}
		c.Hunks[i].Anchor = line
	}
	return true
}
