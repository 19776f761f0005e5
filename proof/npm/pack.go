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

// batch is the number of packages in one call of npm. An interrupted run keeps the completed batches.
const batch = 25

// Pack returns the directory with the archive of each of specs, such as "name@1.2.3", under the name that [Archive] returns. It
// fetches missing archives and reports that to progress. It unpacks and runs nothing, and does not compare checksums: the
// caller has the list.
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

// pack fetches specs into a temporary directory and moves each complete archive to dir.
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

// Archive returns npm's name of the archive of a package: a-b-1.2.3.tgz for "@a/b@1.2.3".
func Archive(spec string) string {
	name := strings.TrimPrefix(spec, "@")
	return strings.NewReplacer("/", "-", "@", "-").Replace(name) + ".tgz"
}
