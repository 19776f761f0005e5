package match

import "slices"

// trie is an Aho-Corasick automaton: it reads letters one by one and knows which patterns end at the last. It costs 20
// bytes for a letter of a pattern.
type trie struct {
	// Node 0 is the root. A node's first child is in child, further ones in more; the root's are in top, by letter.
	letter, child, fail []uint32
	rootChild           []uint32
	moreChildren        map[uint64]uint32
	order               []uint32 // every node but the root, parents first

	ends     []uint32  // by node: the longest pattern that ends there, or 0
	patterns []pattern // from 1

	falls int // how often follow took a fail link
}

// pattern is one distinct sequence of letters. In an Index, count is the number of its places and slotSum the sum of the
// slots of their last lines, which for a single place is its slot.
type pattern struct {
	node, next     uint32 // next is the next shorter pattern that ends wherever this one does
	size           int
	count, slotSum int
}

func newTrie(letters int) trie {
	return trie{letter: []uint32{0}, child: []uint32{0}, fail: []uint32{0}, ends: []uint32{0},
		rootChild: make([]uint32, letters+1), moreChildren: map[uint64]uint32{}, patterns: make([]pattern, 1)}
}

// reserve makes room for so many letters of patterns.
func (t *trie) reserve(n int) {
	t.letter, t.child = slices.Grow(t.letter, n), slices.Grow(t.child, n)
	t.fail, t.ends = slices.Grow(t.fail, n), slices.Grow(t.ends, n)
}

// endPattern marks node as the end of a pattern of size letters and returns the number of the pattern, which is the old
// one if node was marked before.
func (t *trie) endPattern(node uint32, size int) int {
	if t.ends[node] == 0 {
		t.patterns = append(t.patterns, pattern{node: node, size: size})
		t.ends[node] = uint32(len(t.patterns) - 1)
	}
	return int(t.ends[node])
}

// addChild returns the child of node by sym, and makes it if needed.
func (t *trie) addChild(node, sym uint32) uint32 {
	if c := t.childBy(node, sym); c != 0 {
		return c
	}
	c := uint32(len(t.letter))
	t.letter, t.child = append(t.letter, sym), append(t.child, 0)
	t.fail, t.ends = append(t.fail, 0), append(t.ends, 0)
	switch {
	case node == 0:
		t.rootChild[sym] = c
	case t.child[node] == 0:
		t.child[node] = c
	default:
		t.moreChildren[uint64(node)<<32|uint64(sym)] = c
	}
	return c
}

// childBy returns the child of node by sym, or 0.
func (t *trie) childBy(node, sym uint32) uint32 {
	if node == 0 {
		return t.rootChild[sym]
	}
	c := t.child[node]
	if c == 0 || t.letter[c] == sym {
		return c
	}
	if len(t.moreChildren) == 0 {
		return 0
	}
	return t.moreChildren[uint64(node)<<32|uint64(sym)]
}

// follow returns the node after reading sym in node.
func (t *trie) follow(node, sym uint32) uint32 {
	for {
		if c := t.childBy(node, sym); c != 0 {
			return c
		}
		if node == 0 {
			return 0
		}
		node = t.fail[node]
		t.falls++
	}
}

// link sets the fail links and the chains of patterns, breadth first.
func (t *trie) link() {
	kids := t.siblings()
	t.order = make([]uint32, 0, len(t.letter)-1)
	for _, c := range t.rootChild {
		if c != 0 {
			t.order = append(t.order, c)
		}
	}
	for i := 0; i < len(t.order); i++ {
		v := t.order[i]
		if p := t.ends[v]; p != 0 {
			t.patterns[p].next = t.ends[t.fail[v]]
		} else {
			t.ends[v] = t.ends[t.fail[v]]
		}
		for c := t.child[v]; c != 0; c = kids[c] {
			t.fail[c] = t.follow(t.fail[v], t.letter[c])
			t.order = append(t.order, c)
		}
	}
}

// siblings maps a child to the next child of its parent, for parents that have several.
func (t *trie) siblings() map[uint32]uint32 {
	if len(t.moreChildren) == 0 {
		return nil
	}
	next := make(map[uint32]uint32, len(t.moreChildren))
	for e, c := range t.moreChildren {
		first := t.child[e>>32]
		next[c] = next[first]
		next[first] = c
	}
	return next
}
