package match

import "slices"

// trie is an Aho-Corasick automaton: it reads letters one by one and knows which patterns end here. It costs 20
// bytes a letter of a pattern.
type trie struct {
	// Node 0 is the root. A node's first child is in child, further ones in more; the root's are in top, by letter.
	sym, child, fail []uint32
	top              []uint32
	more             map[uint64]uint32
	order            []uint32 // every node but the root, parents first

	hit  []uint32  // by node: the longest pattern that ends there, or 0
	pats []pattern // from 1

	falls int // how often follow had to fall back
}

// pattern is one distinct sequence of letters. In an Index n counts its places; where that is 1, sum is the slot
// of its last line.
type pattern struct {
	node, next uint32 // next is the next shorter pattern that ends wherever this one does
	size       int
	n, sum     int
}

func newTrie(letters int) trie {
	return trie{sym: []uint32{0}, child: []uint32{0}, fail: []uint32{0}, hit: []uint32{0},
		top: make([]uint32, letters+1), more: map[uint64]uint32{}, pats: make([]pattern, 1)}
}

// reserve makes room for so many letters of patterns.
func (t *trie) reserve(n int) {
	t.sym, t.child = slices.Grow(t.sym, n), slices.Grow(t.child, n)
	t.fail, t.hit = slices.Grow(t.fail, n), slices.Grow(t.hit, n)
}

// end marks node as the end of a pattern of size letters and returns the pattern's number; it is the old one if
// the node was marked before.
func (t *trie) end(node uint32, size int) int {
	if t.hit[node] == 0 {
		t.pats = append(t.pats, pattern{node: node, size: size})
		t.hit[node] = uint32(len(t.pats) - 1)
	}
	return int(t.hit[node])
}

// grow is the child of node by sym, made if need be.
func (t *trie) grow(node, sym uint32) uint32 {
	if c := t.edge(node, sym); c != 0 {
		return c
	}
	c := uint32(len(t.sym))
	t.sym, t.child = append(t.sym, sym), append(t.child, 0)
	t.fail, t.hit = append(t.fail, 0), append(t.hit, 0)
	switch {
	case node == 0:
		t.top[sym] = c
	case t.child[node] == 0:
		t.child[node] = c
	default:
		t.more[uint64(node)<<32|uint64(sym)] = c
	}
	return c
}

// edge is the child of node by sym, or 0.
func (t *trie) edge(node, sym uint32) uint32 {
	if node == 0 {
		return t.top[sym]
	}
	c := t.child[node]
	if c == 0 || t.sym[c] == sym {
		return c
	}
	if len(t.more) == 0 {
		return 0
	}
	return t.more[uint64(node)<<32|uint64(sym)]
}

// follow is the node after reading sym in node.
func (t *trie) follow(node, sym uint32) uint32 {
	for {
		if c := t.edge(node, sym); c != 0 {
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
	t.order = make([]uint32, 0, len(t.sym)-1)
	for _, c := range t.top {
		if c != 0 {
			t.order = append(t.order, c)
		}
	}
	for i := 0; i < len(t.order); i++ {
		v := t.order[i]
		if p := t.hit[v]; p != 0 {
			t.pats[p].next = t.hit[t.fail[v]]
		} else {
			t.hit[v] = t.hit[t.fail[v]]
		}
		for c := t.child[v]; c != 0; c = kids[c] {
			t.fail[c] = t.follow(t.fail[v], t.sym[c])
			t.order = append(t.order, c)
		}
	}
}

// siblings maps a child to the next one of its parent, for parents that have more than one.
func (t *trie) siblings() map[uint32]uint32 {
	if len(t.more) == 0 {
		return nil
	}
	next := make(map[uint32]uint32, len(t.more))
	for e, c := range t.more {
		first := t.child[e>>32]
		next[c] = next[first]
		next[first] = c
	}
	return next
}
