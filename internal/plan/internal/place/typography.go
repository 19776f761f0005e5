package place

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// plainAdditions returns the ASCII characters that the added lines of hunk k mean by their typography, or a character of which
// nothing says whether it is meant. A hunk means no typography if lines of it that are plain in the file have some.
//
// Quotes go together, but for an apostrophe within a word, which is meant in many a text. What the section's added lines have plainly as
// well is unclear: every quote is, if they have one plainly that old lines have not. So is a quote that the hunk's old lines have plainly,
// beside another that they have not. Any other character that they have plainly is meant.
func (p *Placement) plainAdditions(k int) (plain string, unclear rune) {
	s := &p.Spots[k]
	if p.Rules.Place != dialect.Ordered || p.Loosest() != patch.Unicode {
		return "", 0
	}
	if s.rung == patch.Unicode {
		s.plain = p.notMeant(k)
	}
	shown := s.plain
	if shown == "" {
		shown = p.plain
	}
	if shown == "" {
		return "", p.typesetElsewhere(k)
	}
	var added []rune // in the order of the hunk
	seen, inWord := map[rune]byte{}, false
	for _, l := range p.AsPlaced(k) {
		if l.Old() {
			continue
		}
		inWord = inWord || apostrophe().MatchString(l.Text())
		for r, to := range match.Typography(l.Text()) {
			if _, again := seen[r]; !again {
				seen[r], added = to, append(added, r)
			}
		}
	}
	for _, r := range added {
		to := seen[r]
		alike, isQuote, isOld := string(to), strings.IndexByte(quotes, to) >= 0, p.inOld(k, to)
		if isQuote && strings.ContainsAny(shown, quotes) && !isOld && !(r == '’' && inWord) {
			alike = quotes
		}
		switch {
		case strings.ContainsAny(shown, alike):
			if p.usesTypography(r) || to != ' ' && p.addsPlainly(alike) || isQuote && p.addsPlainly(common(quotes, shown)) {
				return "", r
			}
			plain = with(plain, to)
		case !isOld || isQuote && strings.ContainsAny(shown, quotes):
			return "", r
		}
	}
	return plain, 0
}

// typesetElsewhere returns a typographic character of the added lines of hunk k that the file does not have, if an old line of the section
// has one that the file does not have either; 0 if there is none. Such a hunk has no place, or is applied already: no place shows what is
// meant.
func (p *Placement) typesetElsewhere(k int) rune {
	for _, l := range p.AsPlaced(k) {
		if r := p.unused(l); r != 0 && !l.Old() && p.oldTypeset() {
			return r
		}
	}
	return 0
}

// unused returns a typographic character of l that the file does not have; 0 if there is none.
func (p *Placement) unused(l patch.Line) rune {
	for r := range match.Typography(l.Text()) {
		if !p.usesTypography(r) {
			return r
		}
	}
	return 0
}

// oldTypeset reports whether an old line of the section has a typographic character that the file does not have.
func (p *Placement) oldTypeset() bool {
	if !p.typesetKnown {
		p.typesetKnown = true
		p.typeset = slices.ContainsFunc(p.Hunks, func(h patch.Hunk) bool {
			return slices.ContainsFunc(h.Lines, func(l patch.Line) bool { return l.Old() && p.unused(l) != 0 })
		})
	}
	return p.typeset
}

// apostrophe matches a typographic one within a word.
var apostrophe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\pL’\pL`) })

// inOld reports whether an old line of hunk k has the ASCII character c.
func (p *Placement) inOld(k int, c byte) bool {
	return slices.ContainsFunc(p.AsPlaced(k), func(l patch.Line) bool { return l.Old() && strings.IndexByte(l.Text(), c) >= 0 })
}

// common returns the characters of a that are in b.
func common(a, b string) string {
	return strings.Map(func(r rune) rune {
		if !strings.ContainsRune(b, r) {
			return -1
		}
		return r
	}, a)
}

// with returns set with the character c in it.
func with(set string, c byte) string {
	if strings.IndexByte(set, c) >= 0 {
		return set
	}
	return set + string(c)
}

const quotes = `"'`

// addsPlainly reports whether the section adds a line with one of the ASCII characters in which: then who wrote it had them.
func (p *Placement) addsPlainly(which string) bool {
	if p.added == nil {
		p.added = map[rune]bool{}
		for k := range p.Hunks {
			for _, l := range p.Hunks[k].Lines {
				for _, c := range quotes + "-" {
					if !l.Old() && strings.ContainsRune(l.Text(), c) {
						p.added[c] = true
					}
				}
			}
		}
	}
	return strings.ContainsFunc(which, func(c rune) bool { return p.added[c] })
}

// notMeant returns the ASCII characters that hunk k, which has its place, has as typography in lines that are plain in the file.
func (p *Placement) notMeant(k int) (out string) {
	at := p.Spots[k].first
	for _, l := range p.AsPlaced(k) {
		if !l.Old() {
			continue
		}
		var meant map[rune]bool // what the line of the file has
		for r, to := range match.Typography(l.Text()) {
			if meant == nil {
				meant = map[rune]bool{}
				for r := range match.Typography(p.doc.Line(at)) {
					meant[r] = true
				}
			}
			if !meant[r] {
				out = with(out, to)
			}
		}
		at = p.doc.Next(at)
	}
	return out
}

// agreedPlain returns what the hunks of the section show together not to be meant, if another one, which shows nothing, adds lines
// with typography.
func (p *Placement) agreedPlain() (out string) {
	open := false
	for k := range p.Spots {
		if plain := p.Spots[k].plain; plain != "" {
			for i := range len(plain) {
				out = with(out, plain[i])
			}
			continue
		}
		for _, l := range p.Hunks[k].Lines {
			for range match.Typography(l.Text()) {
				open = open || !l.Old()
			}
		}
	}
	if !open {
		return ""
	}
	return out
}

// usesTypography reports whether the file has the character r somewhere.
func (p *Placement) usesTypography(r rune) bool {
	if p.typography == nil {
		p.typography = map[rune]bool{}
		for n := range p.File.Len() {
			for r := range match.Typography(p.File.Line(n)) {
				p.typography[r] = true
			}
		}
	}
	return p.typography[r]
}
