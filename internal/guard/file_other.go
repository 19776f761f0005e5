//go:build !linux

package guard

// Read reads the next bytes of the file.
func (f File) Read(p []byte) (int, error) { return f.f.Read(p) }

// Close closes the file.
func (f File) Close() { f.f.Close() }
