package npm

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// batch is how many packages npm is asked for at once. A run that is cut off keeps the batches before.
const batch = 25

// Pack returns the directory in which the archive of each of specs, such as "name@1.2.3", lies under the name that
// [Archive] gives it. Those that are not there are fetched; progress hears of it. Nothing is unpacked or run, and no
// checksum is looked at: that is for the caller, who has the list.
func Pack(ctx context.Context, specs []string, progress io.Writer) (string, error) {
	base, err := cache()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "archives")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	var absent []string
	for _, spec := range specs {
		if _, err := os.Stat(filepath.Join(dir, Archive(spec))); err != nil {
			absent = append(absent, spec)
		}
	}
	for some := range slices.Chunk(absent, batch) {
		fmt.Fprintf(progress, "fetching %s and %d more\n", some[0], len(some)-1)
		if err := pack(ctx, dir, some); err != nil {
			return "", fmt.Errorf("npm pack: %w", err)
		}
	}
	return dir, nil
}

// pack fetches specs into a directory of its own and moves each archive, whole, to dir.
func pack(ctx context.Context, dir string, specs []string) error {
	scratch, err := os.MkdirTemp(filepath.Dir(dir), "pack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := run(ctx, scratch, scratch, append([]string{"pack", "--loglevel=error", "--"}, specs...)...); err != nil {
		return err
	}
	for _, spec := range specs {
		name := Archive(spec)
		if err := os.Rename(filepath.Join(scratch, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// Archive is the name that npm gives the archive of a package: "@a/b@1.2.3" is a-b-1.2.3.tgz.
func Archive(spec string) string {
	name := strings.TrimPrefix(spec, "@")
	return strings.NewReplacer("/", "-", "@", "-").Replace(name) + ".tgz"
}
