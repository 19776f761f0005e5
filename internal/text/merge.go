package text

import "strings"

// Conflict says that a change of one side meets a change of the other. Both are changes of the base.
type Conflict struct{ Ours, Theirs Change }

// Merge returns the text that has the changes of both sides: ours makes ours of base, and theirs makes theirs of base, as
// [Between] lists them. A change that both made counts once.
//
// Changes that overlap conflict, and so do changes with no line of base between them. A block that is added or removed among lines
// like its own could as well stand further up or down: it meets all that touches any of these places.
func Merge(base, ours, theirs *Lines, toOurs, toTheirs []Change) (string, *Conflict) {
	mine, others := apart(base, ours, theirs, toOurs, toTheirs)
	for i, k := 0, 0; i < len(mine) && k < len(others); {
		a, b := &mine[i], &others[k]
		switch {
		case a.last < b.first:
			i++
		case b.last < a.first:
			k++
		default:
			return "", &Conflict{a.Change, b.Change}
		}
	}
	var out strings.Builder
	if mark := ours; mark.HasBOM() || theirs.HasBOM() {
		if theirs.HasBOM() != base.HasBOM() {
			mark = theirs
		}
		if mark.HasBOM() {
			out.WriteString(BOM)
		}
	}
	at, shift, i := 0, 0, 0
	for _, c := range others {
		for ; i < len(toOurs) && toOurs[i].A0 < c.A0; i++ {
			shift += toOurs[i].B1 - toOurs[i].B0 - (toOurs[i].A1 - toOurs[i].A0)
		}
		out.WriteString(ours.Raw(at, c.A0+shift))
		out.WriteString(theirs.Raw(c.B0, c.B1))
		at = c.A1 + shift
	}
	out.WriteString(ours.Raw(at, ours.Len()))
	return out.String(), nil
}

// movable is a change and the gaps between lines of the base, from first to last, that it touches wherever it may stand.
type movable struct {
	Change
	first, last int
}

// apart returns the changes of each side that the other did not make as well.
func apart(base, ours, theirs *Lines, toOurs, toTheirs []Change) (mine, others []movable) {
	i, k := 0, 0
	for i < len(toOurs) || k < len(toTheirs) {
		switch {
		case k == len(toTheirs) || i < len(toOurs) && toOurs[i].A0 < toTheirs[k].A0:
			mine = append(mine, movableOf(base, ours, toOurs, i))
			i++
		case i == len(toOurs) || toTheirs[k].A0 < toOurs[i].A0:
			others = append(others, movableOf(base, theirs, toTheirs, k))
			k++
		default:
			if !same(ours, theirs, toOurs[i], toTheirs[k]) {
				mine = append(mine, movableOf(base, ours, toOurs, i))
				others = append(others, movableOf(base, theirs, toTheirs, k))
			}
			i, k = i+1, k+1
		}
	}
	return mine, others
}

// same reports whether both sides made one change.
func same(ours, theirs *Lines, a, b Change) bool {
	return a.A0 == b.A0 && a.A1 == b.A1 && ours.Raw(a.B0, a.B1) == theirs.Raw(b.B0, b.B1) &&
		(a.A0 > 0 || ours.HasBOM() == theirs.HasBOM())
}

// movableOf finds out how far the change i can stand further up and down without another outcome.
func movableOf(base, side *Lines, changes []Change, i int) movable {
	c := changes[i]
	m := movable{c, c.A0, c.A1}
	above, below := 0, base.Len()
	if i > 0 {
		above = changes[i-1].A1
	}
	if i+1 < len(changes) {
		below = changes[i+1].A0
	}
	in, from, to := side, c.B0, c.B1
	switch {
	case (c.A0 == c.A1) == (c.B0 == c.B1): // lines took the place of others, or only the byte order mark changed
		return m
	case c.B0 == c.B1:
		in, from, to = base, c.A0, c.A1
	}
	for n := 1; m.first > above && in.Raw(from-n, from-n+1) == in.Raw(to-n, to-n+1); n++ {
		m.first--
	}
	for n := 0; m.last < below && in.Raw(from+n, from+n+1) == in.Raw(to+n, to+n+1); n++ {
		m.last++
	}
	return m
}

// Met returns the lines of the base around a change that meets changes of the other side: at least those of the change, and so
// many more that no change of either side lies half in them. It returns what they are on both sides: the A of the results is the
// same.
func Met(c Change, toOurs, toTheirs []Change) (ours, theirs Change) {
	theirs = c
	for {
		ours = across(toOurs, theirs.A0, theirs.A1)
		theirs = across(toTheirs, ours.A0, ours.A1)
		if theirs.A0 == ours.A0 && theirs.A1 == ours.A1 {
			return ours, theirs
		}
	}
}

// across widens lines from up to to of the base until every change that touches them is inside, and says what they became.
func across(changes []Change, from, to int) Change {
	shift, inside := 0, false
	out := Change{A0: from, A1: to}
	for _, c := range changes {
		if c.A0 > out.A1 {
			break
		}
		if c.A1 < out.A0 {
			shift = c.B1 - c.A1
			continue
		}
		if !inside {
			out.A0, inside = min(out.A0, c.A0), true
			out.B0 = out.A0 + shift
		}
		out.A1, shift = max(out.A1, c.A1), c.B1-c.A1
	}
	if !inside {
		out.B0 = out.A0 + shift
	}
	out.B1 = out.A1 + shift
	return out
}
