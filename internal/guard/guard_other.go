//go:build !linux

package guard

func openTree(dir string) (tree, error) { return openPortable(dir) }
