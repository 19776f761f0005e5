package match

import "iter"

// Texts counts and finds many texts in one at once. It is an Aho-Corasick automaton whose letters are bytes.
//
// Building it takes time linear in all texts. It costs 20 bytes for a byte of a text that is sought, and where two of
// them part an entry in a map.
type Texts struct {
	trie
	hay string
	ids []int // by text: its pattern
}

// NewTexts looks for every one of texts in hay, and counts its places, also those that overlap.
func NewTexts(hay string, texts []string) *Texts {
	x := &Texts{trie: newTrie(1 << 8), hay: hay, ids: make([]int, len(texts))}
	for i, s := range texts {
		node := uint32(0)
		for k := range len(s) {
			node = x.grow(node, uint32(s[k])+1)
		}
		if node > 0 {
			x.ids[i] = x.end(node, len(s))
		}
	}
	x.link()
	n := make([]uint32, len(x.sym))
	node := uint32(0)
	for k := range len(hay) {
		node = x.follow(node, uint32(hay[k])+1)
		n[node]++
	}
	for _, v := range backward(x.order) { // what ends at a node ends at its fail node too
		n[x.fail[v]] += n[v]
	}
	for i := 1; i < len(x.pats); i++ {
		x.pats[i].n = int(n[x.pats[i].node])
	}
	return x
}

// Count is the number of places of text i. The empty text has none.
func (x *Texts) Count(i int) int { return x.pats[x.ids[i]].n }

// Same is a number that two texts share if and only if they are equal.
func (x *Texts) Same(i int) int { return x.ids[i] }

// Places yields where each of the texts that are wanted, by their [Texts.Same], begins; for one of them in order. It
// takes time linear in hay and in what it yields.
func (x *Texts) Places(wanted map[int]bool) iter.Seq2[int, int] {
	longest := make([]int, len(x.sym))  // by node: the longest wanted pattern that ends there
	shorter := make([]int, len(x.pats)) // by pattern: the next shorter one that does
	for _, v := range x.order {
		longest[v] = longest[x.fail[v]]
		if p := int(x.hit[v]); wanted[p] && x.pats[p].node == v {
			longest[v], shorter[p] = p, longest[v]
		}
	}
	return func(yield func(int, int) bool) {
		node := uint32(0)
		for k := range len(x.hay) {
			node = x.follow(node, uint32(x.hay[k])+1)
			for p := longest[node]; p > 0; p = shorter[p] {
				if !yield(p, k+1-x.pats[p].size) {
					return
				}
			}
		}
	}
}
