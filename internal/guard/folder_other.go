//go:build !linux

package guard

func openDirReader(h handle) (dirReader, error) { return openPortableReader(h) }
