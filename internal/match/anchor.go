package match

import (
	"strings"

	"github.com/emend-dev/emend/internal/text"
)

// Anchor is where a chain of anchors leads: the line that holds the last of them, found outermost first, each on
// a line after the one before.
type Anchor struct {
	Line  int // -1 when the chain is not there
	Count int // how many lines could hold the last anchor, once the others are found
}

// Anchors follows every chain at once through file. It takes time linear in the bytes of the file and of the chains,
// and one step more for every different anchor on a line that holds it, which tells only when there are very many and
// each is a part of the next. A line holds an anchor when it contains it, white space at the ends and the width of that in between apart.
func Anchors(file *text.Lines, chains [][]string) []Anchor {
	f := &finder{file: file, chains: chains, words: newWords()}
	out := make([]Anchor, len(chains))
	at := make([]int, len(chains)) // the anchor that a chain waits for
	for i, c := range chains {
		out[i].Line = -1
		f.wait(i, c[0])
	}
	f.words.link()
	for n := range file.Len() {
		for _, w := range f.words.in(n, Squeeze(file.Line(n))) {
			w.lines++
			for _, i := range w.take() {
				at[i]++
				if at[i] < len(chains[i]) {
					f.next = append(f.next, step{i, chains[i][at[i]]})
					continue
				}
				out[i] = Anchor{Line: n, Count: -w.lines + 1} // the final number of lines is not known yet
				f.last = append(f.last, done{i, w})
			}
		}
		f.move()
	}
	for _, d := range f.last {
		out[d.chain].Count += d.word.lines
	}
	return out
}

// Holds reports whether line holds the squeezed anchor.
func Holds(line, anchor string) bool { return strings.Contains(Squeeze(line), anchor) }

// Squeeze takes the white space off both ends of s and makes one space of every run of it inside.
func Squeeze(s string) string {
	if !strings.ContainsAny(s, "\t\v\f\r") && !strings.Contains(s, "  ") && ascii(s) {
		return strings.Trim(s, " ")
	}
	return strings.Join(strings.Fields(s), " ")
}

// finder is the state of one walk.
type finder struct {
	file   *text.Lines
	chains [][]string
	words  *words
	next   []step // chains that go on to their next anchor from the next line on
	last   []done
}

type step struct {
	chain  int
	anchor string
}

type done struct {
	chain int
	word  *word
}

func (f *finder) wait(chain int, anchor string) {
	w := f.words.add(Squeeze(anchor))
	w.waiting = append(w.waiting, chain)
	for _, a := range f.chains[chain][1:] { // known to the automaton before the walk begins
		f.words.add(Squeeze(a))
	}
}

func (f *finder) move() {
	for _, s := range f.next {
		w := f.words.add(Squeeze(s.anchor))
		w.waiting = append(w.waiting, s.chain)
	}
	f.next = f.next[:0]
}

// words is an automaton whose letters are bytes.
type words struct {
	trie  trie
	byTxt map[string]*word
	byPat []*word
	found []*word
}

// word is one distinct anchor text.
type word struct {
	text    string
	waiting []int // chains that wait for it
	lines   int   // lines that hold it, so far
	seen    int   // the last line it was found on, from 1
}

func (w *word) take() []int {
	out := w.waiting
	w.waiting = nil
	return out
}

func newWords() *words {
	return &words{trie: newTrie(256), byTxt: map[string]*word{}, byPat: make([]*word, 1)}
}

func (ws *words) add(s string) *word {
	if w, ok := ws.byTxt[s]; ok {
		return w
	}
	w := &word{text: s}
	ws.byTxt[s] = w
	node := uint32(0)
	for i := range len(s) {
		node = ws.trie.grow(node, uint32(s[i])+1)
	}
	ws.trie.end(node, len(s))
	ws.byPat = append(ws.byPat, w)
	return w
}

func (ws *words) link() { ws.trie.link() }

// in is the words that line, the n-th, holds.
func (ws *words) in(n int, line string) []*word {
	ws.found = ws.found[:0]
	node, t := uint32(0), &ws.trie
	for i := range len(line) {
		node = t.follow(node, uint32(line[i])+1)
		for p := t.hit[node]; p != 0; p = t.pats[p].next {
			w := ws.byPat[p]
			if w.seen == n+1 { // and so were the shorter ones behind it
				break
			}
			w.seen = n + 1
			ws.found = append(ws.found, w)
		}
	}
	return ws.found
}
