package damage

import (
	"slices"
	"strings"
	"unicode"
)

// words is a file with an index of the lines of each word.
type words struct {
	text  string
	lines []string
	count []int // number of different words, by line
	found map[string][]int
	both  []int // only for shares: number of words in common, by line
}

// words returns the index of a file. It is cached for the last file, and for the one that the author saw.
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

// wordsOf returns the different words of a line: its runs of letters and digits, or the whole line if it has none.
func wordsOf(line string) (out []string) {
	out = strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if t := trim(line); len(out) == 0 && t != "" {
		return []string{t}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shares returns how much each line of the file resembles line: twice the number of common words, divided by the number of
// words of both; 0 if that is less than half.
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
