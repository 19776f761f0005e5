//go:build !amd64 || purego

package find

import (
	"encoding/binary"
	"math/bits"
)

// tooCommon is from which commonness on a byte is looked for with another one: without vectors that is only worth it for letters that
// are all over a text.
const tooCommon = 84

const (
	pairStep = 8
	highs    = 0x8080808080808080
)

// firstPair is the first i where x[i]|mask is a and y[i]|mask is b; what is looked at, and returned when there is none, is a
// multiple of pairStep. The bytes a, b and mask are given eight times each, and y is as long as x.
func firstPair(x, y []byte, a, b, mask uint64) int {
	n := len(x) / pairStep * pairStep
	y = y[:n]
	for i := 0; i < n; i += pairStep {
		odd := (binary.LittleEndian.Uint64(x[i:]) | mask) ^ a | (binary.LittleEndian.Uint64(y[i:]) | mask) ^ b
		if zero := (odd - eight) &^ odd & highs; zero != 0 {
			return i + bits.TrailingZeros64(zero)/8
		}
	}
	return n
}
