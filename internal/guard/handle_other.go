//go:build !linux

package guard

func (s portableHandle) mount(name string) (uint64, error) { return deviceOf(s, name) }
