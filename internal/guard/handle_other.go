//go:build !linux

package guard

func openTree(dir string) (tree, error) { return openPortable(dir) }

func (s portableHandle) mount(name string) (uint64, error) { return deviceOf(s, name) }
