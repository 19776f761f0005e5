//go:build !planted

// Package plant keeps known bugs alive, so that the proofs which claim to catch them can be seen to. It is empty in
// every build but one with the tag planted; there the variable EMEND_PLANT names the bug that the program has.
package plant

// Enabled reports whether the program has the bug. It never does.
func Enabled(Bug) bool { return false }
