package find

// plod is where the text comes at or after from, the end of the block when it does not. It is for a block that again and
// again begins like the text and goes on otherwise: it reads each byte once (Knuth, Morris and Pratt), where to compare at
// each place would take as long as the text for every byte.
func (p *literal) nextKMP(block []byte, from int) int {
	if p.failure == nil {
		p.failure = failureTable(p.text)
	}
	n := 0 // how much of the text ends before i
	for i := from; i < len(block); i++ {
		c := block[i]
		if p.fold {
			c = lowerOf(c)
		}
		for n > 0 && c != p.text[n] {
			n = p.failure[n]
		}
		if c == p.text[n] {
			n++
		}
		if n == len(p.text) {
			return i + 1 - n
		}
	}
	return len(block)
}

// backs are, for each length, how much of the text's beginning is also the end of so much of it.
func failureTable(text []byte) []int {
	back := make([]int, len(text)+1)
	for i, n := 1, 0; i < len(text); i++ {
		for n > 0 && text[i] != text[n] {
			n = back[n]
		}
		if text[i] == text[n] {
			n++
		}
		back[i+1] = n
	}
	return back
}
