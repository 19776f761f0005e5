package gate

import (
	"crypto/sha256"
	"crypto/subtle"
)

// SameToken reports whether a caller's token is the one that is wanted. It takes the same time for every text, right or
// wrong. If want is empty, no token is right.
func SameToken(have, want string) bool {
	a, b := sha256.Sum256([]byte(have)), sha256.Sum256([]byte(want))
	return want != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}
