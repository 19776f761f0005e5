package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree is a directory as a value: the entry at each path, as "mode content", "directory mode" or "-> target".
type tree map[string]string

// read returns everything below dir, except the paths in skip and what is below them.
func read(dir string, skip ...string) (tree, error) {
	out := tree{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if slices.Contains(skip, rel) {
			return fs.SkipDir
		}
		out[rel], err = describe(name)
		return err
	})
	return out, err
}

func describe(name string) (string, error) {
	fi, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	switch {
	case fi.IsDir():
		return fmt.Sprintf("directory %o", fi.Mode().Perm()), nil
	case fi.Mode().IsRegular():
		b, err := os.ReadFile(name)
		return fmt.Sprintf("%o %s", fi.Mode().Perm(), b), err
	case fi.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(name)
		return "-> " + to, err
	}
	return fi.Mode().String(), nil
}

// difference describes how got differs from want, or is "".
func difference(got, want tree) string {
	if maps.Equal(got, want) {
		return ""
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(union(got, want))) {
		switch g, w := got[name], want[name]; {
		case g == w:
		case w == "":
			out = append(out, fmt.Sprintf("%s: should not be, has %q", name, g))
		case g == "":
			out = append(out, name+": missing")
		default:
			out = append(out, fmt.Sprintf("%s: %q, want %q", name, g, w))
		}
	}
	return strings.Join(out, "; ")
}

func union(trees ...tree) tree {
	out := tree{}
	for _, t := range trees {
		maps.Copy(out, t)
	}
	return out
}

// copyTree copies files, links and directories with their permissions. It supports no other kinds.
func copyTree(to, from string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		return copyOne(filepath.Join(to, rel), name, d)
	})
}

func copyOne(to, from string, d fs.DirEntry) error {
	if d.Type() == fs.ModeSymlink {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	fi, err := d.Info()
	if err != nil {
		return err
	}
	if d.IsDir() {
		return os.MkdirAll(to, fi.Mode().Perm())
	}
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return put(to, b, fi.Mode().Perm())
}

// put writes a new file with exactly these permissions, or with those that it gets where the file system has none. Whoever compares
// trees sees the difference.
func put(name string, content []byte, perm fs.FileMode) error {
	if err := os.WriteFile(name, content, perm); err != nil {
		return err
	}
	if err := os.Chmod(name, perm); !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
