package damage

import (
	"slices"
	"strings"
)

// letter applies hunks to a file by the letter: each in the only place where its lines stand, as they are, in what the
// hunks before it left. With anchors, one that has several places is for the first one below its anchor.
func letter(file []string, hunks []Hunk, anchors bool) ([]string, bool) {
	file = slices.Clone(file)
	for _, h := range hunks {
		at := places(file, h.old())
		if anchors && len(at) > 1 && h.Anchor != "" {
			at = below(file, at, h.Anchor)
		}
		if len(at) != 1 {
			return nil, false
		}
		file = slices.Replace(file, at[0], at[0]+len(h.old()), h.side("-")...)
	}
	return file, true
}

// places is where lines stand in file. Lines of which there are none stand nowhere.
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

// below is the first of at that comes after the line which, white space at its ends apart, is the anchor.
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

// Untellable reports whether the patch, damaged as it is, does not say what the truth is. Either it, or one hunk of it, is by
// the letter a good one for something else: it has its one place, the anchor obeyed or not, and that is another one. Or two
// changes look the same once they are damaged so. Nobody can know better from the text.
func (c *Case) Untellable() bool {
	if c.lossy || c.misleads(false) || c.misleads(true) {
		return true
	}
	for i := range c.Hunks {
		if c.astray(i) {
			return true
		}
	}
	return false
}

func (c *Case) misleads(anchors bool) bool {
	got, ok := letter(c.there, c.Hunks, anchors)
	return ok && join(got) != lf(c.Want)
}

// astray reports whether hunk i says one place, by its lines or, where these stand in several or there are none, by its anchor
// or by the hunks on both of its sides, and that is another than the one that it was made for.
func (c *Case) astray(i int) bool {
	file, h := c.there, c.Hunks[i]
	old := h.old()
	at := places(file, old)
	anchor := holding(file, h.Anchor)
	if len(old) == 0 && len(anchor) == 1 {
		return h.From == 0 || c.at[h.From-1] != anchor[0]
	}
	if len(at) > 1 && len(anchor) == 1 {
		at = at[lower(at, anchor[0]+1):]
	}
	if len(at) > 1 && i > 0 && i+1 < len(c.Hunks) {
		above, below := places(file, c.Hunks[i-1].old()), places(file, c.Hunks[i+1].old())
		if len(above) == 1 && len(below) == 1 && above[0] < below[0] {
			at = at[lower(at, above[0]+1):lower(at, below[0])]
		}
	}
	return len(at) == 1 && !slices.ContainsFunc(h.shown(), func(n int) bool {
		return n < len(c.at) && c.at[n] >= at[0] && c.at[n] < at[0]+len(old)
	})
}

// holding is the lines that contain the anchor.
func holding(file []string, anchor string) (out []int) {
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
