package modpairs

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// Pair is one file that differs between two consecutive versions of a module.
type Pair struct {
	Module, From, To string
	Path             string // inside the module, with slashes
	HasOld, HasNew   bool

	oldDir, newDir string
}

func (p Pair) String() string { return p.Module + " " + p.From + ".." + p.To + " " + p.Path }

// Load reads both sides. A missing side is empty.
func (p Pair) Load() (before, after string, err error) {
	if p.HasOld {
		before, err = read(p.oldDir, p.Path)
	}
	if p.HasNew && err == nil {
		after, err = read(p.newDir, p.Path)
	}
	return before, after, err
}

func read(dir, name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	return string(data), err
}

// Pairs compares neighbours in trees that belong to one module. It returns every file that was changed, added or deleted
// between them, in the order of trees and then of paths.
func Pairs(trees []Tree) ([]Pair, error) {
	var out []Pair
	for i := 1; i < len(trees); i++ {
		from, to := trees[i-1], trees[i]
		if from.Module != to.Module {
			continue
		}
		changed, err := changed(from, to)
		if err != nil {
			return nil, err
		}
		out = append(out, changed...)
	}
	return out, nil
}

func changed(from, to Tree) ([]Pair, error) {
	old, err := sizes(from.Dir)
	if err != nil {
		return nil, err
	}
	next, err := sizes(to.Dir)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(old)
	maps.Copy(all, next)
	var out []Pair
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := Pair{Module: from.Module, From: from.Version.Version, To: to.Version.Version, Path: name, oldDir: from.Dir, newDir: to.Dir}
		_, p.HasOld = old[name]
		_, p.HasNew = next[name]
		if p.HasOld && p.HasNew && old[name] == next[name] {
			same, err := same(filepath.Join(from.Dir, name), filepath.Join(to.Dir, name))
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
		}
		out = append(out, p)
	}
	return out, nil
}

// sizes returns the size of every file below dir.
func sizes(dir string) (map[string]int64, error) {
	out := map[string]int64{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			out[name] = info.Size()
		}
		return err
	})
	return out, err
}

// same reports whether two files have the same bytes.
func same(a, b string) (bool, error) {
	dataA, err := os.ReadFile(a)
	if err != nil {
		return false, err
	}
	dataB, err := os.ReadFile(b)
	return bytes.Equal(dataA, dataB), err
}
