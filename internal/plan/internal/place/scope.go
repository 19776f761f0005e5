package place

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/match"
	"github.com/emend-dev/emend/patch"
)

// checkAnchors refuses hunk k, which has a place, if an anchor that is in the file speaks against the place: if the place is
// not below a line that holds the anchor, or not in the scope of such a line. An anchor that is nowhere in the file says
// nothing.
func (p *Placement) checkAnchors(k int) bool {
	a, has := p.anchors[k]
	s, h := &p.Spots[k], &p.Hunks[k]
	if !has || a.Line < 0 || h.How != patch.Narrow || p.Rules.Place != dialect.Ordered || p.additions(k) {
		return true
	}
	if p.InScope(k, s.Start, s.Stop) {
		return true
	}
	s.placed, s.OffAnchor = false, true
	s.Err = p.offAnchor(k, a)
	return false
}

// InScope reports whether lines from up to to of the file are where the anchors of hunk k say: below the line to which they
// lead and in the scope of the last of them, and in that of every other one that has the last one in its scope.
func (p *Placement) InScope(k, from, to int) bool {
	a := p.anchors[k]
	if to <= a.Line || p.Rules.Place != dialect.Ordered {
		return to > a.Line
	}
	anchors := p.Hunks[k].Anchors
	last := len(anchors) - 1
	for _, outer := range anchors[:last] {
		if outer = match.Squeeze(outer); p.inScopeOf(outer, a.Line+1, a.Line+1) && !p.inScopeOf(outer, from, to) {
			return false
		}
	}
	return p.inScopeOf(match.Squeeze(anchors[last]), from, to)
}

// inScopeOf reports whether one of lines from up to to holds the squeezed anchor, or whether they are in the scope of a line
// above that does.
//
// The scope of a line that deeper lines follow ends at the next line that stands as far left and begins a block of its own.
// Lines that begin at or above that one are in it: what is changed may reach from the end of one function to the next. A
// line that no deeper line follows shows no scope: all that is below it is in it.
func (p *Placement) inScopeOf(anchor string, from, to int) bool {
	for n := from; n < to; n++ {
		if p.scopesCost(n) || match.Holds(p.File.Line(n), anchor) {
			return true
		}
	}
	// Of the lines that begin a block, between this one and the place, the one that stands furthest left; and the same without
	// labels, which end a scope only where scopes begin with a colon.
	next, nextNoLabel := math.MaxInt, math.MaxInt
	for n := min(from, p.File.Len()) - 1; n >= 0; n-- {
		if p.scopesCost(n) {
			return true
		}
		line := p.File.Line(n)
		at, blank := column(line)
		holds := !blank && match.Holds(line, anchor)
		if blank || !holds && (at >= nextNoLabel || !mayBegin(line)) {
			continue
		}
		begins := p.beginsBlock(n, at)
		if holds {
			end := nextNoLabel
			if strings.HasSuffix(strings.TrimSpace(line), ":") {
				end = next
			}
			if !begins || end > at {
				return true
			}
		}
		if begins && mayBegin(line) {
			next = min(next, at)
			if !isLabel(line) {
				nextNoLabel = min(nextNoLabel, at)
			}
		}
	}
	return false
}

// scopesCost counts line n as looked at for a scope. It reports true once that costs too much: after 16 MiB, and 8 times the
// file. Then everything below an anchor is in its scope.
func (p *Placement) scopesCost(n int) bool {
	p.scopeWork += len(p.File.Line(n)) + 1
	return p.scopeWork > 16<<20+8*len(p.File.Raw(0, p.File.Len()))
}

// beginsBlock reports whether the next line after line n that is not blank stands further right than column at. A line
// with nothing but an opening bracket belongs to the line above.
func (p *Placement) beginsBlock(n, at int) bool {
	for n++; n < p.File.Len() && !p.scopesCost(n); n++ {
		if next, blank := column(p.File.Line(n)); !blank && strings.TrimSpace(p.File.Line(n)) != "{" {
			return next > at
		}
	}
	return false
}

// mayBegin reports whether a line may be the first of a block: it begins with a word, a tag, a name or an item of a list. A comment, a
// closing bracket or an operator continues what is above.
func mayBegin(line string) bool {
	line = strings.TrimSpace(line)
	first, _ := utf8.DecodeRuneInString(line)
	return unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("_<@$.[(\"'`", first) || strings.HasPrefix(line, "- ")
}

// isLabel reports whether a line is a single word and a colon: a label in some languages, a key in others.
func isLabel(line string) bool {
	word, ok := strings.CutSuffix(strings.TrimSpace(line), ":")
	return ok && !strings.ContainsFunc(word, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// column returns how far right a line begins, with a tab as eight columns, and whether it is blank.
func column(line string) (n int, blank bool) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		case '\r', '\v', '\f':
		default:
			return n, false
		}
	}
	return n, true
}

// offAnchor refuses a hunk whose lines are in the file, but not where its anchors lead.
func (p *Placement) offAnchor(k int, a match.Anchor) *fail.Error {
	s, h := &p.Spots[k], &p.Hunks[k]
	where := "above"
	if s.Start > a.Line {
		where = "below, but in another block,"
	}
	return &fail.Error{Kind: fail.MultipleMatches, Hunk: k + 1, Line: s.Start + 1, Total: 2,
		Places: []fail.Place{{First: s.Start + 1, Last: s.Stop}, {First: a.Line + 1, Last: a.Line + 1}},
		Msg: fmt.Sprintf("the anchor %s is on line %d, and the hunk's lines are %s on line %d", fail.Quote(h.Anchors[len(h.Anchors)-1]),
			a.Line+1, where, s.Start+1),
		Hint: "If the lines below the anchor are meant, copy them as they are now; if the other place is, leave the anchor out or name the one above it."}
}
