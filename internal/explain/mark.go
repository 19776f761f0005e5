package explain

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"znkr.io/diff"
)

// Part is a piece of a line, and whether the other line has something else there.
type Part struct {
	Text    string
	Differs bool
}

// Lines over maxMarked bytes, and pairs of lines whose difference would take over maxWork steps to find, are marked
// coarsely: from the first character that differs to the last.
const (
	maxMarked = 2000
	maxWork   = 1 << 18
)

// Mark returns in which characters two lines differ. The texts of the parts, one after the other, are the lines; no part
// is empty or marked like the one before it. A mark covers whole characters with the marks that combine with them; a
// word that has little in common with the one in its place is marked as a whole. Mark takes time linear in the lines: at
// most maxWork steps for every maxMarked bytes.
func Mark(a, b string) (x, y []Part) {
	if len(a) > maxMarked || len(b) > maxMarked {
		return coarse(a, b)
	}
	return markWords(words(a), words(b))
}

// coarse marks everything between the first difference and the last.
func coarse(a, b string) (x, y []Part) {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && !(boundary(a, i) && boundary(b, i)) {
		i--
	}
	j := 0
	for j < len(a)-i && j < len(b)-i && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	for j > 0 && !(boundary(a, len(a)-j) && boundary(b, len(b)-j)) {
		j--
	}
	var l, r parts
	l.add(a[:i], false)
	r.add(b[:i], false)
	l.add(a[i:len(a)-j], true)
	r.add(b[i:len(b)-j], true)
	l.add(a[len(a)-j:], false)
	r.add(b[len(b)-j:], false)
	return l, r
}

// boundary reports whether a character ends before byte i of s.
func boundary(s string, i int) bool {
	if i <= 0 || i >= len(s) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s[i:])
	return utf8.RuneStart(s[i]) && !joins(r)
}

// joins reports whether r belongs to the character before it.
func joins(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Variation_Selector) || r == '\u200d'
}

// parts collects the parts of a line.
type parts []Part

func (p *parts) add(s string, differs bool) {
	if s == "" {
		return
	}
	if n := len(*p); n > 0 && (*p)[n-1].Differs == differs {
		(*p)[n-1].Text += s
		return
	}
	*p = append(*p, Part{s, differs})
}

// markWords compares lines that are cut into words.
func markWords(a, b []string) (x, y []Part) {
	var l, r parts
	i := 0
	for ; i < len(a) && i < len(b) && a[i] == b[i]; i++ {
		l.add(a[i], false)
		r.add(b[i], false)
	}
	a, b = a[i:], b[i:]
	j := 0
	for j < len(a) && j < len(b) && a[len(a)-1-j] == b[len(b)-1-j] {
		j++
	}
	a, tail, b := a[:len(a)-j], a[len(a)-j:], b[:len(b)-j]
	if len(a)*len(b) > maxWork {
		addReplaced(&l, &r, a, b)
	} else {
		addMiddle(&l, &r, a, b)
	}
	for _, w := range tail {
		l.add(w, false)
		r.add(w, false)
	}
	return l, r
}

// addMiddle marks the words of two lines whose first words differ and whose last words do.
func addMiddle(l, r *parts, a, b []string) {
	i, j := 0, 0
	for _, e := range diff.Edits(a, b) {
		switch e.Op {
		case diff.Delete:
			i++
		case diff.Insert:
			j++
		default:
			addReplaced(l, r, a[:i], b[:j])
			l.add(a[i], false)
			r.add(b[j], false)
			a, b, i, j = a[i+1:], b[j+1:], 0, 0
		}
	}
	addReplaced(l, r, a, b)
}

// addReplaced marks words that stand in the place of others.
func addReplaced(l, r *parts, a, b []string) {
	mine, theirs := strings.Join(a, ""), strings.Join(b, "")
	x, y := coarse(mine, theirs)
	if !alike(x, y) {
		x, y = parts{{mine, true}}, parts{{theirs, true}}
	}
	for _, p := range x {
		l.add(p.Text, p.Differs)
	}
	for _, p := range y {
		r.add(p.Text, p.Differs)
	}
}

// alike reports whether at least half of each of two words is in the other.
func alike(x, y []Part) bool {
	return 2*common(x) >= size(x) && 2*common(y) >= size(y)
}

func size(in []Part) (n int) {
	for _, p := range in {
		n += len(p.Text)
	}
	return n
}

func common(in []Part) (n int) {
	for _, p := range in {
		if !p.Differs {
			n += len(p.Text)
		}
	}
	return n
}

// words cuts a line into words and characters that belong to no word.
func words(s string) []string {
	var out []string
	for s != "" {
		n := character(s)
		for inWord(s) && n < len(s) && inWord(s[n:]) {
			n += character(s[n:])
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func inWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// character returns the length of the first character of s, with what combines with it.
func character(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	for n < len(s) {
		r, m := utf8.DecodeRuneInString(s[n:])
		if !joins(r) {
			break
		}
		n += m
	}
	return n
}
