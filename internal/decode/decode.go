// Package decode takes off a patch text what the way from a model to a file put on it: the numbers of a listing, HTML entities,
// escapes, ends of lines as letters, a fence, and marks that were lost.
//
// It knows texts only. It does not decide whether a decoding is right: a plan holds each against the files.
package decode

import (
	"crypto/sha256"
	"iter"
	"slices"
	"strings"

	"github.com/emend-dev/emend/patch"
)

// Text is a patch text in one decoding.
type Text struct {
	Name string // what was decoded
	Text string
	// Absent lists texts that speak against the decoding if a changed file has one: added lines had them as well, and may mean them.
	Absent []string
}

// Format says where the hunks of a text are, and whether their lines have marks.
type Format uint8

// The formats that are decoded.
const (
	Envelope Format = iota // sections below *** headers
	Unified                // a unified diff
	Blocks                 // SEARCH/REPLACE blocks, whose lines have no marks
)

// All yields every decoding of text that changes it, each text once. There are a fixed number, each linear in the text. A decoding
// changes the lines of hunks, and headers only where they are joined to other lines or are the marks of a block.
//
// What no old line of a section shows is not decoded in its added lines. A text is not decoded at all if its added lines have what
// would be decoded, and nothing says whether it is meant.
func All(text string, f Format) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		d := split(text, f)
		seen := map[[sha256.Size]byte]bool{sha256.Sum256([]byte(text)): true}
		try := func(name string, out string, ok bool, absent ...string) bool {
			if !ok {
				return true
			}
			sum := sha256.Sum256([]byte(out))
			if seen[sum] {
				return true
			}
			seen[sum] = true
			return yield(Text{name, out, absent})
		}
		for _, sep := range separators {
			out, ok := d.withoutNumbers(sep)
			if !try("listing numbers", out, ok) {
				return
			}
			if out, ok = d.withoutNumbersBeforeMarks(sep); !try("listing numbers before the marks", out, ok) {
				return
			}
		}
		for _, c := range codes {
			out, absent, ok := d.decoded(c)
			if !try(c.name, out, ok, absent...) {
				return
			}
		}
		if out, ok := d.withSpaces(); !try("no-break spaces", out, ok, noBreakSpace) {
			return
		}
		for _, f := range []struct {
			name   string
			decode func() (string, bool)
		}{
			{`ends of lines written as \n`, d.withNewlines},
			{"escaped lines", d.withoutEscapes},
			{"a Markdown fence inside of the patch", d.withoutFence},
			{MissingMarks, d.withMissingMarks},
			{MissingMarks, d.withAllMarks},
		} {
			if out, ok := f.decode(); !try(f.name, out, ok) {
				return
			}
		}
	}
}

// document is a patch text in lines.
type document struct {
	text     string
	format   Format
	lines    []string
	hunks    []hunk
	contents []int // the lines of files that are added
	adds     bool  // a file is added
	marks    bool  // the marks of the blocks are decoded
}

// hunk is some lines of a document, by their numbers, without empty ones at its end. Its section has a number.
type hunk struct {
	at      []int
	marks   string // what stands for the marks of the lines; "" where each line begins with its own
	section int
}

// split finds the hunks of a text. A line that no hunk can have ends one.
func split(text string, f Format) *document {
	d := &document{text: text, format: f, lines: strings.Split(text, "\n")}
	switch f {
	case Envelope:
		d.splitEnvelope()
	case Unified:
		d.splitUnified()
	case Blocks:
		d.splitBlocks()
	}
	return d
}

// add adds the hunk of the lines from up to to; from is -1 for none.
func (d *document) add(from, to, section int) {
	for from >= 0 && to > from && d.lines[to-1] == "" {
		to--
	}
	if from < 0 || to <= from {
		return
	}
	h := hunk{section: section, at: make([]int, 0, to-from)}
	for i := from; i < to; i++ {
		h.at = append(h.at, i)
	}
	d.hunks = append(d.hunks, h)
}

func (d *document) splitEnvelope() {
	section, update, add := 0, false, false
	open := -1
	end := func(i int) {
		d.add(open, i, section)
		open = -1
	}
	d.adds = strings.Contains(d.text, "*** Add File:")
	for i, l := range d.lines {
		switch {
		case strings.HasPrefix(l, "*** Move to:"), strings.HasPrefix(l, "*** End of File"), update && strings.HasPrefix(l, `\ `), update && strings.HasPrefix(l, "@@"):
			end(i)
		case strings.HasPrefix(l, "***"):
			end(i)
			section++
			update = strings.HasPrefix(l, "*** Update File:") || strings.HasPrefix(l, "*** Move File:")
			add = strings.HasPrefix(l, "*** Add File:")
		case update && open < 0:
			open = i
		case add:
			d.contents = append(d.contents, i)
		}
	}
	end(len(d.lines))
}

// splitUnified takes for a hunk what stands between @@ and the next header.
func (d *document) splitUnified() {
	section, inHunk, add := 0, false, false
	open := -1
	end := func(i int) {
		d.add(open, i, section)
		open = -1
	}
	d.adds = strings.Contains(d.text, "--- /dev/null") || strings.Contains(d.text, "new file mode ")
	for i, l := range d.lines {
		switch {
		case strings.HasPrefix(l, "--- ") && i+1 < len(d.lines) && strings.HasPrefix(d.lines[i+1], "+++ "):
			end(i)
			section++
			inHunk, add = false, strings.HasPrefix(l, "--- /dev/null")
		case strings.HasPrefix(l, "diff --git "), strings.HasPrefix(l, "Index: "), l == "-- ":
			end(i)
			inHunk = false
		case strings.HasPrefix(l, "@@"), inHunk && strings.HasPrefix(l, `\ `):
			end(i)
			inHunk = true
		case inHunk && add:
			d.contents = append(d.contents, i)
		case inHunk && open < 0:
			open = i
		}
	}
	end(len(d.lines))
}

// The marks of blocks, and how HTML writes those that it changes.
const (
	blockDivider  = "======="
	escapedSearch = "&lt;&lt;&lt;&lt;&lt;&lt;&lt; SEARCH"
	escapedEnd    = "&gt;&gt;&gt;&gt;&gt;&gt;&gt; REPLACE"
)

// IsEscapedSearch reports whether a line is the first of a block, written as HTML entities.
func IsEscapedSearch(line string) bool { return strings.TrimRight(line, " \t\r") == escapedSearch }

func (d *document) splitBlocks() {
	section, part := 0, byte(0) // part: the mark that the lines of this part of the block have
	var h hunk
	var marks []byte
	d.lines = slices.Clone(d.lines)
	for i, l := range d.lines {
		switch l = strings.TrimRight(l, " \t\r"); {
		case l == "<<<<<<< SEARCH", l == "------- SEARCH", l == escapedSearch:
			part, h, marks = '-', hunk{section: section}, nil
			if l == escapedSearch {
				d.lines[i], d.marks = "<<<<<<< SEARCH", true
			}
		case l == blockDivider && part == '-':
			part = '+'
		case l == ">>>>>>> REPLACE", l == "+++++++ REPLACE", l == escapedEnd:
			if l == escapedEnd {
				d.lines[i] = ">>>>>>> REPLACE"
			}
			if h.marks = string(marks); strings.HasPrefix(h.marks, "+") {
				d.contents, d.adds = append(d.contents, h.at...), true
			} else if h.marks != "" {
				d.hunks = append(d.hunks, h)
			}
			part, h, marks = 0, hunk{}, nil
		case part != 0 && len(h.at) == 0 && (strings.HasPrefix(l, ":start_line:") || strings.HasPrefix(l, ":end_line:") || l == "-------"):
		case part != 0:
			h.at, marks = append(h.at, i), append(marks, part)
		case l != "" && !IsFence(l):
			section++ // a path
		}
	}
}

// of returns the lines of a hunk with their marks. It reports false if one of them has none.
func (d *document) of(h hunk) ([]patch.Line, bool) {
	out := make([]patch.Line, len(h.at))
	for k, i := range h.at {
		l := d.lines[i]
		switch {
		case h.marks != "":
			l = h.marks[k:k+1] + l
		case l == "":
			l = " "
		case strings.IndexByte(" +-", l[0]) < 0:
			return nil, false
		}
		out[k] = patch.Line(l)
	}
	return out, true
}

// put writes line k of a hunk into lines.
func (h hunk) put(lines []string, k int, l patch.Line) {
	if h.marks != "" {
		lines[h.at[k]] = l.Text()
		return
	}
	lines[h.at[k]] = string(l)
}
