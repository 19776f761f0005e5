package match

// near holds the neighbours of those lines of a file that are no longer simply one up or one down. It is a table of
// small blocks, made where an edit is: 8 bytes for 16 lines, and 128 for a block that has one.
type near [][]pair

// pair is the slots after and before a line, two up, so that 0 stands for the neighbour that it had in the file.
type pair struct{ next, prev uint32 }

const perBlock = 16

func newNear(lines int) near { return make(near, (lines+2)/perBlock+1) } // Begin and End have neighbours too

// at is the pair of s, or nil where nothing happened around s.
func (n near) at(s Slot) *pair {
	if b := n[uint(s+1)/perBlock]; b != nil {
		return &b[uint(s+1)%perBlock]
	}
	return nil
}

// grow is the pair of s, made if need be.
func (n near) grow(s Slot) *pair {
	b := &n[uint(s+1)/perBlock]
	if *b == nil {
		*b = make([]pair, perBlock)
	}
	return &(*b)[uint(s+1)%perBlock]
}
