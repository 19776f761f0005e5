package match

import "iter"

// Texts counts and finds many texts in one text at once. It is an Aho-Corasick automaton whose letters are bytes.
//
// Building it takes time linear in all texts. It costs 20 bytes for a byte of a text to find, and an entry in a map
// where two of them differ for the first time.
type Texts struct {
	trie
	hay     string
	numbers []int // by text: its pattern
}

// NewTexts looks for every one of texts in hay and counts its places, including those that overlap.
func NewTexts(hay string, texts []string) *Texts {
	x := &Texts{trie: newTrie(1 << 8), hay: hay, numbers: make([]int, len(texts))}
	for i, s := range texts {
		node := uint32(0)
		for k := range len(s) {
			node = x.addChild(node, uint32(s[k])+1)
		}
		if node > 0 {
			x.numbers[i] = x.endPattern(node, len(s))
		}
	}
	x.link()
	n := make([]uint32, len(x.letter))
	node := uint32(0)
	for k := range len(hay) {
		node = x.follow(node, uint32(hay[k])+1)
		n[node]++
	}
	for _, v := range reversed(x.order) { // whatever ends at a node ends at its fail node too
		n[x.fail[v]] += n[v]
	}
	for i := 1; i < len(x.patterns); i++ {
		x.patterns[i].count = int(n[x.patterns[i].node])
	}
	return x
}

// Count returns the number of places of text i. The empty text has none.
func (x *Texts) Count(i int) int { return x.patterns[x.numbers[i]].count }

// Pattern returns a number that two texts share if and only if they are equal.
func (x *Texts) Pattern(i int) int { return x.numbers[i] }

// Places yields where the wanted texts begin, given by their [Texts.Pattern]; for each of them in order. It takes time
// linear in hay and in what it yields.
func (x *Texts) Places(wanted map[int]bool) iter.Seq2[int, int] {
	longest := make([]int, len(x.letter))   // by node: the longest wanted pattern that ends there
	shorter := make([]int, len(x.patterns)) // by pattern: the next shorter one that does
	for _, v := range x.order {
		longest[v] = longest[x.fail[v]]
		if p := int(x.ends[v]); wanted[p] && x.patterns[p].node == v {
			longest[v], shorter[p] = p, longest[v]
		}
	}
	return func(yield func(int, int) bool) {
		node := uint32(0)
		for k := range len(x.hay) {
			node = x.follow(node, uint32(x.hay[k])+1)
			for p := longest[node]; p > 0; p = shorter[p] {
				if !yield(p, k+1-x.patterns[p].size) {
					return
				}
			}
		}
	}
}
