//go:build !linux

package guard

func openDirReader(h handle) (dirReader, error) { return openPortableReader(h) }

// Read reads on.
func (f File) Read(p []byte) (int, error) { return f.f.Read(p) }

// Close lets go of the file.
func (f File) Close() { f.f.Close() }
