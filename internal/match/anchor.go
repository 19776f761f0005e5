package match

import (
	"strings"

	"github.com/emend-dev/emend/internal/text"
)

// Anchor is the end of a chain of anchors: the line that holds the last of them. The outermost is found first, and each
// of the others on a line after the one before.
type Anchor struct {
	Line  int // -1 if the chain is not in the file
	Count int // how many lines could hold the last anchor, once the others are found
}

// Anchors follows every chain at once through file. It takes time linear in the bytes of the file and of the chains,
// plus one step for every different anchor on a line that holds it; that counts only when there are very many and each
// is a part of the next. A line holds an anchor if it contains it, apart from white space at the ends and the width of
// white space inside.
func Anchors(file *text.Lines, chains [][]string) []Anchor {
	f := &finder{file: file, chains: chains, words: newWords()}
	out := make([]Anchor, len(chains))
	at := make([]int, len(chains)) // by chain: the anchor that it waits for
	for i, c := range chains {
		out[i].Line = -1
		f.start(i, c[0])
	}
	f.words.link()
	for n := range file.Len() {
		for _, w := range f.words.heldBy(n, Squeeze(file.Line(n))) {
			w.lines++
			for _, i := range w.takeWaiting() {
				at[i]++
				if at[i] < len(chains[i]) {
					f.next = append(f.next, step{i, chains[i][at[i]]})
					continue
				}
				out[i] = Anchor{Line: n, Count: -w.lines + 1} // the final number of lines is not known yet
				f.last = append(f.last, anchored{i, w})
			}
		}
		f.advance()
	}
	for _, d := range f.last {
		out[d.chain].Count += d.word.lines
	}
	return out
}

// Holds reports whether line holds the squeezed anchor.
func Holds(line, anchor string) bool { return strings.Contains(Squeeze(line), anchor) }

// Squeeze cuts the white space off both ends of s and replaces every run of it inside by one space.
func Squeeze(s string) string {
	if !strings.ContainsAny(s, "\t\v\f\r") && !strings.Contains(s, "  ") && ascii(s) {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// finder is the state of one walk through a file.
type finder struct {
	file   *text.Lines
	chains [][]string
	words  *words
	next   []step // chains that go on to their next anchor from the next line on
	last   []anchored
}

type step struct {
	chain  int
	anchor string
}

type anchored struct {
	chain int
	word  *word
}

// start makes a chain wait for its first anchor, and adds its other anchors to the automaton, which must know them
// before the walk begins.
func (f *finder) start(chain int, anchor string) {
	w := f.words.add(Squeeze(anchor))
	w.waiting = append(w.waiting, chain)
	for _, a := range f.chains[chain][1:] { // known to the automaton before the walk begins
		f.words.add(Squeeze(a))
	}
}

// advance makes the chains in next wait for their next anchors.
func (f *finder) advance() {
	for _, s := range f.next {
		w := f.words.add(Squeeze(s.anchor))
		w.waiting = append(w.waiting, s.chain)
	}
	f.next = f.next[:0]
}

// words is an automaton over bytes that finds anchor texts.
type words struct {
	trie      trie
	byText    map[string]*word
	byPattern []*word
	found     []*word
}

// word is one distinct anchor text.
type word struct {
	text    string
	waiting []int // chains that wait for it
	lines   int   // lines that hold it, so far
	seen    int   // the last line it was found on, from 1
}

func (w *word) takeWaiting() []int {
	out := w.waiting
	w.waiting = nil
	return out
}

func newWords() *words {
	return &words{trie: newTrie(256), byText: map[string]*word{}, byPattern: make([]*word, 1)}
}

func (ws *words) add(s string) *word {
	if w, ok := ws.byText[s]; ok {
		return w
	}
	w := &word{text: s}
	ws.byText[s] = w
	node := uint32(0)
	for i := range len(s) {
		node = ws.trie.addChild(node, uint32(s[i])+1)
	}
	ws.trie.endPattern(node, len(s))
	ws.byPattern = append(ws.byPattern, w)
	return w
}

func (ws *words) link() { ws.trie.link() }

// heldBy returns the words that line, the n-th, holds.
func (ws *words) heldBy(n int, line string) []*word {
	ws.found = ws.found[:0]
	node, t := uint32(0), &ws.trie
	for i := range len(line) {
		node = t.follow(node, uint32(line[i])+1)
		for p := t.ends[node]; p != 0; p = t.patterns[p].next {
			w := ws.byPattern[p]
			if w.seen == n+1 { // and so were the shorter ones behind it
				break
			}
			w.seen = n + 1
			ws.found = append(ws.found, w)
		}
	}
	return ws.found
}
