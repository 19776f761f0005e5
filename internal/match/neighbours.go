package match

// neighbours holds the neighbours of those lines of a file that no longer follow the line before them in the file. It is
// a table of small blocks, made where an edit is: 8 bytes for 16 lines, and 128 for a block that exists.
type neighbours [][]neighbour

// neighbour is the slots after and before a line, plus two, so that 0 stands for the neighbour in the file.
type neighbour struct{ next, prev uint32 }

const perBlock = 16

func newNeighbours(lines int) neighbours { return make(neighbours, (lines+2)/perBlock+1) } // Begin and End have neighbours too

// at returns the neighbour of s, or nil if nothing changed around s.
func (n neighbours) at(s Slot) *neighbour {
	if b := n[uint(s+1)/perBlock]; b != nil {
		return &b[uint(s+1)%perBlock]
	}
	return nil
}

// ensure returns the neighbour of s, and makes it if needed.
func (n neighbours) ensure(s Slot) *neighbour {
	b := &n[uint(s+1)/perBlock]
	if *b == nil {
		*b = make([]neighbour, perBlock)
	}
	return &(*b)[uint(s+1)%perBlock]
}
