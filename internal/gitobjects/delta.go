package gitobjects

// applyDelta returns what delta makes of base: it says the size of both, and then which bytes of base to copy and which to add.
func applyDelta(base, delta []byte, limit int64) ([]byte, error) {
	head := cursor{text: string(delta[:min(len(delta), 20)])}
	from, size := head.size(0, 0), head.size(0, 0)
	if head.bad || from != int64(len(base)) {
		return nil, damaged("a delta is of another base")
	}
	if err := checkSize(size, limit); err != nil {
		return nil, err
	}
	delta = delta[head.at:]
	out := make([]byte, 0, size)
	for len(delta) > 0 {
		var piece []byte
		op := delta[0]
		delta = delta[1:]
		if op&0x80 != 0 {
			offset, n, rest, ok := copyOf(op, delta)
			if delta = rest; !ok || offset > len(base) || n > len(base)-offset {
				return nil, damaged("a delta copies what its base does not have")
			}
			piece = base[offset : offset+n]
		} else {
			n := int(op)
			if n == 0 || n > len(delta) {
				return nil, damaged("a delta cannot be read")
			}
			piece, delta = delta[:n], delta[n:]
		}
		if len(piece) > cap(out)-len(out) {
			return nil, damaged("a delta makes more than it says")
		}
		out = append(out, piece...)
	}
	if int64(len(out)) != size {
		return nil, damaged("a delta makes less than it says")
	}
	return out, nil
}

// copyOf reads the place and length of a copy: the bits of op say which of their bytes follow.
func copyOf(op byte, in []byte) (offset, n int, rest []byte, ok bool) {
	var field [7]byte
	for i := range field {
		if op>>i&1 == 0 {
			continue
		}
		if len(in) == 0 {
			return 0, 0, nil, false
		}
		field[i], in = in[0], in[1:]
	}
	at := uint64(field[0]) | uint64(field[1])<<8 | uint64(field[2])<<16 | uint64(field[3])<<24
	if at > MaxBlob {
		return 0, 0, nil, false
	}
	if n = int(field[4]) | int(field[5])<<8 | int(field[6])<<16; n == 0 {
		n = 0x10000
	}
	return int(at), n, in, true
}
