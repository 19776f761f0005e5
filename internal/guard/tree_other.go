//go:build !linux && !windows

package guard

func openTree(dir string) (tree, error) { return openPortable(dir) }

func openDirReader(h handle) (dirReader, error) { return openPortableReader(h) }
