package damage

import (
	"slices"
	"strings"
	"unicode"
)

// words is a file, and in which of its lines each word is.
type words struct {
	text  string
	lines []string
	count []int // of different words, by line
	found map[string][]int
	both  []int // for shares alone: the words in common, by line
}

// words looks the words of a file up, unless it was the last one, or is the one that the author saw.
func (c *Change) words(text string) *words {
	at := &c.other
	if text == c.Old {
		at = &c.read
	}
	if *at == nil || (*at).text != text {
		*at = newWords(text)
	}
	return *at
}

func newWords(text string) *words {
	w := &words{text: text, lines: lines(text), found: map[string][]int{}}
	w.count, w.both = make([]int, len(w.lines)), make([]int, len(w.lines))
	for i, l := range w.lines {
		for _, word := range wordsOf(l) {
			w.found[word] = append(w.found[word], i)
			w.count[i]++
		}
	}
	return w
}

// wordsOf is the different words of a line: its runs of letters and digits, or all of it where it has none.
func wordsOf(line string) (out []string) {
	out = strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if t := trim(line); len(out) == 0 && t != "" {
		return []string{t}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shares is how much each line of the file resembles line, where that is half or more, and else 0: twice the words that they
// have in common, of the words that they have.
func (w *words) shares(line string) []float32 {
	of, out := wordsOf(line), make([]float32, len(w.lines))
	clear(w.both)
	for _, word := range of {
		for _, n := range w.found[word] {
			w.both[n]++
			if share := float32(2*w.both[n]) / float32(len(of)+w.count[n]); share >= 0.5 {
				out[n] = share
			}
		}
	}
	return out
}
