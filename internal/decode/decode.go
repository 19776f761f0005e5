// Package decode takes off a patch text what the way from a model to a file put on it: the numbers of a listing, HTML entities,
// escapes, ends of lines as letters, a fence, and marks that were lost.
//
// It knows texts only. It does not decide whether a decoding is right: a plan holds each against the files.
package decode

import (
	"crypto/sha256"
	"iter"
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

// All yields every decoding of text that changes it, each text once. There are a fixed number, each linear in the text. A decoding
// changes the lines of hunks, and headers only where they are joined to other lines.
//
// What no old line of a section shows is not decoded in its added lines. A text is not decoded at all if its added lines have what
// would be decoded, and nothing says whether it is meant.
func All(text string) iter.Seq[Text] {
	return func(yield func(Text) bool) {
		d := split(text)
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
	lines    []string
	hunks    []hunk
	contents []int // the lines of files that are added
}

// hunk is lines from up to to of a document, without empty ones at its end. Its section has a number.
type hunk struct{ from, to, section int }

// split finds the hunks of a text. A line that no hunk can have ends one.
func split(text string) *document {
	d := &document{text: text, lines: strings.Split(text, "\n")}
	section, update, add := 0, false, false
	open := -1
	end := func(i int) {
		if open < 0 {
			return
		}
		for i > open && d.lines[i-1] == "" {
			i--
		}
		if i > open {
			d.hunks = append(d.hunks, hunk{open, i, section})
		}
		open = -1
	}
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
	return d
}

// of returns the lines of a hunk. It reports false if one of them has no mark.
func (d *document) of(h hunk) ([]patch.Line, bool) {
	out := make([]patch.Line, 0, h.to-h.from)
	for _, l := range d.lines[h.from:h.to] {
		if l == "" {
			l = " "
		}
		if strings.IndexByte(" +-", l[0]) < 0 {
			return nil, false
		}
		out = append(out, patch.Line(l))
	}
	return out, true
}
