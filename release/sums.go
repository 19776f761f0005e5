package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// writeSums writes the sums of all files, as sha256sum does.
func (r *release) writeSums(context.Context) error {
	var out strings.Builder
	dir := os.DirFS(r.out)
	err := fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(dir, name)
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(data), name)
		return err
	})
	if err != nil {
		return err
	}
	return r.write("SHA256SUMS", []byte(out.String()), 0o644)
}

// sum returns the sum of a file of the release.
func (r *release) sum(name string) (string, error) {
	data, err := fs.ReadFile(os.DirFS(r.out), name)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
