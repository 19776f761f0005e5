package plan

import "github.com/emend-dev/emend/internal/text"

// Between lists the line edits that make after of before, in order: their lines of after, put in the place of their
// lines of before, give after byte for byte. An edit that begins with line 0 of both covers their byte order marks.
//
// It is meant for contents that somebody wrote whole, where nobody says what changed. It takes time about linear in
// the lines when few of them change or the texts are large, see [text.Diff].
func Between(before, after string) []Edit {
	if before == after {
		return nil
	}
	a, b := text.Split(before), text.Split(after)
	out := between(a, b, Edit{0, a.Len(), 0, b.Len()})
	if a.HasBOM() != b.HasBOM() && (len(out) == 0 || out[0].A0 > 0 || out[0].B0 > 0) {
		out = append([]Edit{{0, min(1, a.Len()), 0, min(1, b.Len())}}, out...)
		if len(out) > 1 && out[1].A0 == out[0].A1 && out[1].B0 == out[0].B1 {
			out[1].A0, out[1].B0 = 0, 0
			out = out[1:]
		}
	}
	return out
}

// between is the edits within e, which says that some lines of a became some lines of b.
func between(a, b *text.Lines, e Edit) []Edit {
	for e.A0 < e.A1 && e.B0 < e.B1 && a.Raw(e.A0, e.A0+1) == b.Raw(e.B0, e.B0+1) {
		e.A0, e.B0 = e.A0+1, e.B0+1
	}
	for e.A0 < e.A1 && e.B0 < e.B1 && a.Raw(e.A1-1, e.A1) == b.Raw(e.B1-1, e.B1) {
		e.A1, e.B1 = e.A1-1, e.B1-1
	}
	switch {
	case e.A0 == e.A1 && e.B0 == e.B1:
		return nil
	case e.A0 == e.A1 || e.B0 == e.B1 || e.A1-e.A0 == 1 && e.B1-e.B0 == 1:
		return []Edit{e}
	}
	var out []Edit
	for _, c := range text.Diff(raw(a, e.A0, e.A1), raw(b, e.B0, e.B1)) {
		out = append(out, Edit{e.A0 + c.A0, e.A0 + c.A1, e.B0 + c.B0, e.B0 + c.B1})
	}
	return out
}

// raw is lines i up to j with their ends.
func raw(l *text.Lines, i, j int) []string {
	out := make([]string, 0, j-i)
	for ; i < j; i++ {
		out = append(out, l.Raw(i, i+1))
	}
	return out
}
