package find

// nextKMP returns where the text comes at or after from, or the end of the block. It is for a block that begins like the text
// again and again and then goes on otherwise: it reads each byte once (Knuth, Morris and Pratt), while comparing at each
// place would take the length of the text for every byte.
func (p *literal) nextKMP(block []byte, from int) int {
	if p.failure == nil {
		p.failure = failureTable(p.text)
	}
	n := 0 // how many bytes of the text end before i
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

// failureTable returns for each n the length of the longest proper prefix of text[:n] that is also its suffix.
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
