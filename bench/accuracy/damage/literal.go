package damage

import (
	"slices"
	"strings"
)

// applyLiterally applies hunks to a file by the letter: each in the only place where its lines stand unchanged in what the hunks before
// it left. With anchors, a hunk with several places goes to the first one below its anchor.
func applyLiterally(file []string, hunks []Hunk, anchors bool) ([]string, bool) {
	file = slices.Clone(file)
	for _, h := range hunks {
		at := places(file, h.old())
		if anchors && len(at) > 1 && h.Anchor != "" {
			at = below(file, at, h.Anchor)
		}
		if len(at) != 1 {
			return nil, false
		}
		file = slices.Replace(file, at[0], at[0]+len(h.old()), h.withoutMarks("-")...)
	}
	return file, true
}

// places returns the indexes where lines stand in file. An empty list of lines stands nowhere.
func places(file, lines []string) (out []int) {
	if len(lines) == 0 {
		return nil
	}
	for at := 0; at+len(lines) <= len(file); at++ {
		if file[at] == lines[0] && slices.Equal(file[at:at+len(lines)], lines) {
			out = append(out, at)
		}
	}
	return out
}

// below returns the first of at after the line that equals the anchor, except for white space at its ends.
func below(file []string, at []int, anchor string) []int {
	for n, l := range file {
		if trim(l) == anchor {
			if i, _ := slices.BinarySearch(at, n+1); i < len(at) {
				return at[i : i+1]
			}
			return nil
		}
	}
	return nil
}

// Untellable reports whether the damaged patch no longer tells the expected result. Either the patch, or one hunk of it, is by
// the letter valid for something else: it has exactly one place, with or without its anchor, and it is another one. Or two
// changes look the same after the damage. Nobody can know better from the text.
//
// binding says that the system must not apply a hunk again that is applied, nor against its anchor: see [Case.speaksAgainst].
// Every other system keeps its letter.
func (c *Case) Untellable(binding bool) bool {
	if c.lossy {
		return true
	}
	if c.Way >= AsEdits {
		return c.misleadsCalls()
	}
	hunks, ok := c.letter()
	if !ok || c.cut {
		return false
	}
	if c.second != nil {
		return c.fitsSwapped()
	}
	if binding && (c.resent || c.twin > 0) {
		return c.tellsAgain(hunks)
	}
	if c.misleads(hunks, false) || c.misleads(hunks, true) {
		return true
	}
	for i := range hunks {
		if c.tellsOtherPlace(hunks, i) {
			return true
		}
	}
	return false
}

func (c *Case) misleads(hunks []Hunk, anchors bool) bool {
	got, ok := applyLiterally(c.there, hunks, anchors)
	return ok && join(got) != lf(c.Want)
}

// tellsOtherPlace reports whether hunk i tells a place other than its own.
func (c *Case) tellsOtherPlace(hunks []Hunk, i int) bool {
	h := hunks[i]
	if anchor := linesWith(c.there, h.Anchor); len(h.old()) == 0 && len(anchor) == 1 {
		return h.From == 0 || c.at[h.From-1] != anchor[0]
	}
	at := c.told(hunks, i)
	return len(at) == 1 && !c.own(i, at[0], len(h.old()))
}

// own reports whether n lines from at on have a line that hunk i was written for.
func (c *Case) own(i, at, n int) bool {
	return slices.ContainsFunc(c.Hunks[i].shown(), func(l int) bool {
		return l < len(c.at) && c.at[l] >= at && c.at[l] < at+n
	})
}

// told returns the places that hunk i tells: those of its lines or, if there are several, what its number, its anchor or the
// hunks on both of its sides leave of them.
func (c *Case) told(hunks []Hunk, i int) []int {
	file, h := c.there, hunks[i]
	at := places(file, h.old())
	if n := h.From + h.Off; c.numbered(h) && len(at) > 1 && slices.Contains(at, n) {
		return []int{n}
	}
	if anchor := linesWith(file, h.Anchor); len(at) > 1 && len(anchor) == 1 {
		at = at[lower(at, anchor[0]+1):]
	}
	if len(at) > 1 && i > 0 && i+1 < len(hunks) {
		above, below := places(file, hunks[i-1].old()), places(file, hunks[i+1].old())
		if len(above) == 1 && len(below) == 1 && above[0] < below[0] {
			at = at[lower(at, above[0]+1):lower(at, below[0])]
		}
	}
	return at
}

// numbered reports whether h has numbers that may decide: if the counts of a unified diff are wrong, none of its numbers does.
func (c *Case) numbered(h Hunk) bool {
	return h.Numbered || c.Way == InUnified && !c.unnumbered && !slices.ContainsFunc(c.Hunks, func(h Hunk) bool { return h.Counts != [2]int{} })
}

// linesWith returns the lines that contain the anchor.
func linesWith(file []string, anchor string) (out []int) {
	for n, l := range file {
		if anchor != "" && strings.Contains(l, anchor) {
			out = append(out, n)
		}
	}
	return out
}

func lower(at []int, n int) int {
	i, _ := slices.BinarySearch(at, n)
	return i
}
