//go:build !race

package commit

const slow = false
