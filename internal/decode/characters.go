package decode

import (
	"slices"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// code is a way to write characters for some other place than a file.
type code struct {
	name    string
	pairs   []string // each character and how it is written
	inFiles bool     // files may have it too, and lines that mean it show that: they have the bare characters as well
}

// codes lists the ways that are in use. In each a line has no character bare that the way writes otherwise.
var codes = []code{
	{"HTML entities", []string{"&", "&amp;", "<", "&lt;", ">", "&gt;"}, false},
	{"HTML entities", []string{"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;"}, false},
	{"HTML entities", []string{"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;"}, false},
	{"HTML entities", []string{"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;"}, false},
	{"HTML entities", []string{"&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;"}, false},
	{"escaped characters", []string{`\`, `\\`, `"`, `\"`}, true},
	{"escaped characters", []string{`"`, `\"`}, true},
}

// decoded decodes the old lines of all hunks, and the added lines if they are written in the same way and an old line of their
// section is. It fails if a line is written in the way in part.
func (d *document) decoded(c code) (text string, absent []string, ok bool) {
	var written []string
	reversed := slices.Clone(c.pairs)
	slices.Reverse(reversed)
	for i := 1; i < len(c.pairs); i += 2 {
		written = append(written, c.pairs[i])
	}
	if !slices.ContainsFunc(written, func(w string) bool { return strings.Contains(d.text, w) }) {
		return "", nil, false
	}
	encode, decode := strings.NewReplacer(c.pairs...), strings.NewReplacer(reversed...)
	out := slices.Clone(d.lines)
	old, added, bare := map[int]bool{}, map[int]bool{}, false // by section: what is written so
	var adds []func()
	for _, h := range d.hunks {
		lines, ok := d.of(h)
		if !ok {
			return "", nil, false
		}
		for i, l := range lines {
			plain := decode.Replace(l.Text())
			switch whole := encode.Replace(plain) == l.Text(); {
			case l.Old() && !whole:
				return "", nil, false
			case l.Old() && plain != l.Text():
				old[h.section] = true
				h.put(out, i, l[:1]+patch.Line(plain))
			case !l.Old():
				bare = bare || !whole
				if plain != l.Text() {
					added[h.section] = true
					adds = append(adds, func() { h.put(out, i, "+"+patch.Line(plain)) })
				}
			}
		}
	}
	for section := range added {
		if bare || !old[section] {
			return "", nil, false
		}
	}
	for _, put := range adds {
		put()
	}
	for _, i := range d.contents {
		if decode.Replace(d.lines[i]) != d.lines[i] {
			return "", nil, false
		}
	}
	if len(adds) > 0 && !c.inFiles {
		absent = written
	}
	return strings.Join(out, "\n"), absent, len(old) > 0 || d.marks
}

// noBreakSpace replaces spaces of an indentation in text that was copied from a page.
const noBreakSpace = "\u00a0"

// withSpaces writes a space for every no-break space in the lines of hunks, also for their marks. It fails if an added line has one in its
// indentation, or within it, and no old line of its section has one there; and if a file that is added has one.
func (d *document) withSpaces() (string, bool) {
	if !strings.Contains(d.text, noBreakSpace) {
		return "", false
	}
	type where struct {
		section int
		inside  bool
	}
	out := slices.Clone(d.lines)
	old, added, shown := map[where]bool{}, map[where]bool{}, false
	for _, h := range d.hunks {
		for k, i := range h.at {
			l := out[i]
			out[i] = strings.ReplaceAll(l, noBreakSpace, " ")
			has := old
			if h.marks != "" {
				l = h.marks[k:k+1] + l
			}
			if strings.HasPrefix(l, "+") {
				has = added
			} else if out[i] != d.lines[i] {
				shown = true
			}
			if rest, ok := strings.CutPrefix(l, noBreakSpace); ok {
				l = rest
			} else if l != "" {
				l = l[1:]
			}
			code := strings.TrimLeft(l, " \t"+noBreakSpace)
			if strings.Contains(l[:len(l)-len(code)], noBreakSpace) {
				has[where{h.section, false}] = true
			}
			if strings.Contains(code, noBreakSpace) {
				has[where{h.section, true}] = true
			}
		}
	}
	for at := range added {
		if !old[at] {
			return "", false
		}
	}
	for _, i := range d.contents {
		if strings.Contains(d.lines[i], noBreakSpace) {
			return "", false
		}
	}
	return strings.Join(out, "\n"), shown
}
