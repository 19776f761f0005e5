package modpairs

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// No package of a list is near these limits. An archive beyond them is not what its name says.
const (
	mostBytes = 64 << 20
	mostFiles = 20_000
)

// unpack writes the files of an npm archive below dir, without the first element of their names, which is the package's
// directory. Anything but files and directories with plain relative names is an error.
func unpack(r io.Reader, dir string) error {
	unzipped, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, left := tar.NewReader(unzipped), int64(mostBytes)
	for range mostFiles {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if left -= h.Size; left < 0 {
			return fmt.Errorf("%q: the archive unpacks to more than %d bytes", h.Name, mostBytes)
		}
		if err := entry(root, h, entries); err != nil {
			return err
		}
	}
	return fmt.Errorf("the archive has more than %d entries", mostFiles)
}

// entry writes one entry of an archive.
func entry(root *os.Root, h *tar.Header, data io.Reader) error {
	switch h.Typeflag {
	case tar.TypeDir, tar.TypeXGlobalHeader:
		return nil
	case tar.TypeReg:
	default:
		return fmt.Errorf("%q: not a regular file (type %q)", h.Name, h.Typeflag)
	}
	_, name, below := strings.Cut(h.Name, "/")
	if !below || name != path.Clean(name) || !filepath.IsLocal(h.Name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q: not a plain name below the package", h.Name)
	}
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, data)
	return errors.Join(err, f.Close())
}
