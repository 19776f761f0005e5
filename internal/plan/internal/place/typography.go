package place

import (
	"strings"

	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// plainAdditions returns the ASCII characters that the added lines of hunk k mean by their typography, or a character of which
// nothing says whether it is meant. A hunk means no typography if lines of it that are plain in the file have some.
//
// Quotes go together. A kind that the hunk's old lines have plainly is meant, where they have it as typography, too.
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
		return "", 0
	}
	var old, added strings.Builder
	for _, l := range p.AsPlaced(k) {
		if l.Old() {
			old.WriteString(l.Text())
		} else {
			added.WriteString(l.Text())
		}
	}
	for r, to := range match.Typography(added.String()) {
		c := string(to)
		quotes := strings.Contains(`"'`, c) && strings.ContainsAny(shown, `"'`)
		switch {
		case strings.Contains(shown, c) || quotes && !strings.Contains(old.String(), c):
			if p.usesTypography(r) || to != ' ' && strings.Contains(added.String(), c) {
				return "", r
			}
			plain += c
		case !strings.Contains(old.String(), c):
			return "", r
		}
	}
	return plain, 0
}

// notMeant returns the ASCII characters that hunk k, which has its place, has as typography in lines that are plain in the file.
func (p *Placement) notMeant(k int) (out string) {
	at := p.Spots[k].first
	for _, l := range p.AsPlaced(k) {
		if !l.Old() {
			continue
		}
		for r, to := range match.Typography(l.Text()) {
			if !strings.ContainsRune(p.doc.Line(at), r) && !strings.Contains(out, string(to)) {
				out += string(to)
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
		if out += p.Spots[k].plain; p.Spots[k].plain != "" {
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
