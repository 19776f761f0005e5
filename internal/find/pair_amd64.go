//go:build !purego

package find

// tooCommon is from which commonness on a byte is looked for with another one.
const tooCommon = 63

// firstPair is the first i where x[i]|mask is a and y[i]|mask is b; what is looked at, and returned when there is none, is a
// multiple of pairStep. The bytes a, b and mask are given eight times each, and y is as long as x.
func firstPair(x, y []byte, a, b, mask uint64) int {
	n := len(x) / pairStep * pairStep
	if n == 0 {
		return 0
	}
	_ = y[n-1]
	return pairs(&x[0], &y[0], n, a, b, mask)
}

const pairStep = 16

// pairs is firstPair for n bytes, which are a multiple of 16 and not 0.
//
//go:noescape
func pairs(x, y *byte, n int, a, b, mask uint64) int
