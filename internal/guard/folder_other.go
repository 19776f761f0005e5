//go:build !linux

package guard

func openShelf(h handle) (shelf, error) { return openPortableShelf(h) }

// Read reads on.
func (f File) Read(p []byte) (int, error) { return f.f.Read(p) }

// Close lets go of the file.
func (f File) Close() { f.f.Close() }
