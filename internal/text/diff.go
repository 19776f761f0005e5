package text

import "znkr.io/diff"

// Change says that lines A0 up to A1 of one text became lines B0 up to B1 of another, from 0.
type Change struct{ A0, A1, B0, B1 int }

// minimalLines bounds the lines that two texts may have together for the shortest diff there is. Larger texts get one
// that takes about linear time and may be longer.
const minimalLines = 10_000

// Diff lists the changes that turn a into b, in order, with an unchanged line between any two.
func Diff(a, b []string) []Change {
	how := diff.Fast()
	if len(a)+len(b) <= minimalLines {
		how = diff.Minimal()
	}
	var out []Change
	for _, h := range diff.Hunks(a, b, diff.Context(0), how) {
		c := Change{h.PosX, h.EndX, h.PosY, h.EndY}
		if n := len(out); n > 0 && out[n-1].A1 == c.A0 && out[n-1].B1 == c.B0 {
			out[n-1].A1, out[n-1].B1 = c.A1, c.B1
			continue
		}
		out = append(out, c)
	}
	return out
}

// Between lists the changes that turn before into after, in order. Replacing their lines of before by their lines of
// after gives after byte for byte; line ends count. A change that begins with line 0 of both texts includes their byte
// order marks.
//
// It is for contents that somebody wrote whole, where nothing says which lines changed. It takes time about linear in
// the lines when few of them change or the texts are large, see [Diff].
func Between(before, after string) []Change {
	if before == after {
		return nil
	}
	a, b := Split(before), Split(after)
	out := Change{0, a.Len(), 0, b.Len()}.Narrow(a, b)
	if a.HasBOM() != b.HasBOM() && (len(out) == 0 || out[0].A0 > 0 || out[0].B0 > 0) {
		out = append([]Change{{0, min(1, a.Len()), 0, min(1, b.Len())}}, out...)
		if len(out) > 1 && out[1].A0 == out[0].A1 && out[1].B0 == out[0].B1 {
			out[1].A0, out[1].B0 = 0, 0
			out = out[1:]
		}
	}
	return out
}

// Narrow lists the changes within c, which says that lines of a became lines of b: equal lines are left out.
func (c Change) Narrow(a, b *Lines) []Change {
	for c.A0 < c.A1 && c.B0 < c.B1 && a.Raw(c.A0, c.A0+1) == b.Raw(c.B0, c.B0+1) {
		c.A0, c.B0 = c.A0+1, c.B0+1
	}
	for c.A0 < c.A1 && c.B0 < c.B1 && a.Raw(c.A1-1, c.A1) == b.Raw(c.B1-1, c.B1) {
		c.A1, c.B1 = c.A1-1, c.B1-1
	}
	switch {
	case c.A0 == c.A1 && c.B0 == c.B1:
		return nil
	case c.A0 == c.A1 || c.B0 == c.B1 || c.A1-c.A0 == 1 && c.B1-c.B0 == 1:
		return []Change{c}
	}
	var out []Change
	for _, d := range Diff(raw(a, c.A0, c.A1), raw(b, c.B0, c.B1)) {
		out = append(out, Change{c.A0 + d.A0, c.A0 + d.A1, c.B0 + d.B0, c.B0 + d.B1})
	}
	return out
}

// raw returns lines i up to j with their line ends.
func raw(l *Lines, i, j int) []string {
	out := make([]string, 0, j-i)
	for ; i < j; i++ {
		out = append(out, l.Raw(i, i+1))
	}
	return out
}
