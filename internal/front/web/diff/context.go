package diff

import (
	"fmt"
	"strings"
)

// hunkAt is a hunk of a file's lines: its header, and where it stands in the text before and after.
type hunkAt struct {
	lines    []line // without the header
	old, new int    // the numbers of its first lines, or of the lines before which it adds or removes
	olds     int    // how many lines it has of the text before, and after
	news     int
}

// hunks returns the hunks of the file. ok is false if the file has lines outside of hunks, or hunks without numbers.
func (f *File) hunks() (out []hunkAt, ok bool) {
	for i := range f.lines {
		l := &f.lines[i]
		if l.kind == Hunk {
			h, numbered := parseHunkHeader(l.text)
			if !numbered {
				return nil, false
			}
			out = append(out, h)
			continue
		}
		if l.kind == Note || len(out) == 0 {
			return nil, false
		}
		last := &out[len(out)-1]
		last.lines = append(last.lines, *l)
	}
	return out, len(out) > 0
}

// parseHunkHeader reads "@@ -1,2 +3,4 @@". A range of no lines names the line before it.
func parseHunkHeader(s string) (h hunkAt, ok bool) {
	ranges, _, ok := strings.Cut(strings.TrimPrefix(s, "@@ -"), " @@")
	before, after, both := strings.Cut(ranges, " +")
	old, olds, okOld := parseRange(before)
	now, news, okNew := parseRange(after)
	if !ok || !both || !okOld || !okNew {
		return hunkAt{}, false
	}
	h = hunkAt{old: int(max(old, 1)), new: int(max(now, 1)), olds: olds, news: news}
	if olds == 0 && old > 0 {
		h.old = int(old) + 1
	}
	if news == 0 && now > 0 {
		h.new = int(now) + 1
	}
	return h, true
}

// AddContext shows up to n unchanged lines around each change. after is the text after the change; the diff stays as it is if the
// text does not fit to it. Hunks that come to touch each other are joined.
func (f *File) AddContext(after string, n int) {
	hunks, ok := f.hunks()
	text := strings.Split(after, "\n")
	ends := strings.HasSuffix(after, "\n")
	if ends || after == "" {
		text = text[:len(text)-1]
	}
	if !ok || len(text) > MaxLines || !fits(hunks, text) {
		return
	}
	same := func(number, shift int) line {
		return line{text: text[number-1], old: int32(number + shift), new: int32(number), kind: Same, noNewline: number == len(text) && !ends}
	}
	var out []hunkAt
	next := 1 // the first line of the text that is not shown yet
	for i := range hunks {
		h := &hunks[i]
		shift := h.old - h.new
		if i > 0 {
			last := &out[len(out)-1]
			join := h.new-next <= 2*n
			stop := h.new
			if !join {
				stop = next + n
			}
			for ; next < stop; next++ {
				last.add(same(next, shift))
			}
			if join {
				last.join(h)
				next = h.new + h.news
				continue
			}
		}
		from := max(1, h.new-n)
		lead := hunkAt{old: from + shift, new: from}
		for number := from; number < h.new; number++ {
			lead.add(same(number, shift))
		}
		lead.join(h)
		out, next = append(out, lead), h.new+h.news
	}
	last := &out[len(out)-1]
	shift := last.old + last.olds - last.new - last.news
	for stop := min(len(text), next+n-1); next <= stop; next++ {
		last.add(same(next, shift))
	}
	var lines []line
	for i := range out {
		h := &out[i]
		lines = append(lines, line{text: h.header(), kind: Hunk, unsigned: true})
		lines = append(lines, h.lines...)
	}
	f.setLines(lines)
}

func (h *hunkAt) add(l line) {
	h.lines = append(h.lines, l)
	h.olds, h.news = h.olds+1, h.news+1
}

// join appends the hunk that follows.
func (h *hunkAt) join(next *hunkAt) {
	h.lines = append(h.lines, next.lines...)
	h.olds, h.news = h.olds+next.olds, h.news+next.news
}

func (h *hunkAt) header() string {
	of := func(first, n int) string {
		if n == 0 {
			first--
		}
		return fmt.Sprintf("%d,%d", first, n)
	}
	return fmt.Sprintf("@@ -%s +%s @@", of(h.old, h.olds), of(h.new, h.news))
}

// fits reports whether the lines of hunks that are there after the change are those of the text.
func fits(hunks []hunkAt, text []string) bool {
	end := 1
	for i := range hunks {
		h := &hunks[i]
		if h.new < end {
			return false
		}
		number := h.new
		for _, l := range h.lines {
			if l.kind == Del {
				continue
			}
			if number > len(text) || text[number-1] != l.text {
				return false
			}
			number++
		}
		if end = number; number != h.new+h.news || end > len(text)+1 {
			return false
		}
	}
	return true
}

// maxNameLookBack and maxNameBytes limit the search for the name of a function, and the name.
const (
	maxNameLookBack = 2000
	maxNameBytes    = 80
)

// NameFunctions adds to the header of each hunk the line above it that looks like the beginning of a function, as git does: one
// that begins with a letter, "_" or "$".
func (f *File) NameFunctions(after string) {
	text := strings.Split(after, "\n")
	for i := range f.lines {
		l := &f.lines[i]
		if l.kind != Hunk || !strings.HasSuffix(l.text, "@@") {
			continue
		}
		h, ok := parseHunkHeader(l.text)
		if !ok || h.new > len(text)+1 {
			continue
		}
		for n := h.new - 2; n >= max(0, h.new-maxNameLookBack); n-- {
			if s := text[n]; s != "" && (s[0] == '_' || s[0] == '$' || 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z') {
				s = strings.TrimRight(s, " \t\r")
				if len(s) > maxNameBytes {
					s = strings.ToValidUTF8(s[:maxNameBytes], "")
				}
				l.text += " " + s
				break
			}
		}
	}
}
