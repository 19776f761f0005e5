//go:build !race

package growth

const raced = false
