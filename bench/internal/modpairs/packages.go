package modpairs

import (
	"bytes"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/proof/npm"
)

// ErrNotHad is the error for packages that npm could not fetch: it is not installed, or does not reach its registry.
var ErrNotHad = errors.New("packages could not be had")

// FetchPackages downloads every version of list with npm, once, and returns them in the order of list. A checksum that differs
// from the list is an error, also for an archive that was fetched before.
func FetchPackages(ctx context.Context, list []Version, progress io.Writer) ([]Tree, error) {
	var specs []string
	for _, v := range list {
		specs = append(specs, v.String())
	}
	dir, err := npm.Pack(ctx, specs, progress)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotHad, err)
	}
	var trees []Tree
	for _, v := range list {
		t, err := open(v, filepath.Join(dir, npm.Archive(v.String())))
		if err != nil {
			return nil, err
		}
		trees = append(trees, t)
	}
	return trees, ctx.Err()
}

// open checks the archive of a package and unpacks it beside itself, unless that was done before.
func open(v Version, archive string) (Tree, error) {
	data, err := os.ReadFile(archive)
	if err != nil {
		return Tree{}, err
	}
	sum := sha512.Sum512(data)
	if have := "sha512-" + base64.StdEncoding.EncodeToString(sum[:]); have != v.Sum {
		return Tree{}, fmt.Errorf("%s: checksum is %s, want %s; if the list is right, delete %s", v, have, v.Sum, archive)
	}
	// The name contains the checksum: another archive with this name gets another directory.
	dir := filepath.Join(filepath.Dir(archive), hex.EncodeToString(sum[:16]))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		err = settle(data, dir)
		if err != nil {
			return Tree{}, fmt.Errorf("%s: %w", v, err)
		}
	}
	return Tree{v, dir, int64(len(data))}, nil
}

// settle unpacks data to dir, which appears when it is complete.
func settle(data []byte, dir string) error {
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "unpack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := unpack(bytes.NewReader(data), scratch); err != nil {
		return err
	}
	err = os.Rename(scratch, dir)
	if _, there := os.Stat(dir); there == nil {
		return nil // another run unpacked it meanwhile
	}
	return err
}
