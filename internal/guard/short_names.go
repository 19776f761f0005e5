package guard

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
)

// checkShortNames refuses a path with a generated name, such as ENV~1 for .env. FAT and NTFS have one for each file with a name of more
// than eight and three characters. The file answers to it, but no rule knows it. A directory lists only the names that were given, so
// that a short name that is listed is a name like any other.
func (w *pathWalk) checkShortNames(names []string) error {
	for i, name := range names {
		if !looksShort(name) {
			continue
		}
		listed, err := w.lists(names[:i], name)
		if err != nil {
			return err
		}
		if !listed {
			return refuseArgument(w.path, fmt.Sprintf("%s is the short name of another file", fail.Quote(name)),
				"Name the file as its directory lists it.")
		}
	}
	return nil
}

// lists reports whether the directory at parent lists a name, or has nothing of that name.
func (w *pathWalk) lists(parent []string, name string) (bool, error) {
	dir, err := w.batch.cache.openDir(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer dir.close()
	if _, err := dir.stat(name); errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	all, err := dir.list(-1)
	return slices.Contains(all, name), err
}

// looksShort reports whether a name has the form of a generated one: a tilde and a number at the end of at most eight characters, and
// an extension of at most three.
func looksShort(name string) bool {
	base, ext, _ := strings.Cut(trimNTFS(name), ".")
	stem, number, ok := strings.Cut(base, "~")
	return ok && stem != "" && number != "" && strings.Trim(number, "0123456789") == "" && len(base) <= 8 && len(ext) <= 3
}
