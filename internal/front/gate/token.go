package gate

import (
	"crypto/sha256"
	"crypto/subtle"
)

// Same reports whether a token is the one that is wanted, in the same time for every text, right or wrong. No token is
// wanted is no way in.
func Same(have, want string) bool {
	a, b := sha256.Sum256([]byte(have)), sha256.Sum256([]byte(want))
	return want != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
