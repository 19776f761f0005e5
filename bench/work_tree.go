package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/bench/internal/disk"
)

// tree is the files of a workspace, by path.
type tree map[string]string

// lay writes a tree and additional directories into a new workspace below dir.
func (t tree) lay(dir string, dirs []string) (string, error) {
	root, err := os.MkdirTemp(dir, "tree")
	if err != nil {
		return "", err
	}
	for _, d := range append([]string{".git"}, dirs...) {
		if err := os.MkdirAll(filepath.Join(root, d), 0o777); err != nil {
			return "", err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(t[name]), 0o666); err != nil {
			return "", err
		}
	}
	return root, nil
}

// fresh returns a function that lays a tree for a turn and waits until it is on the disk, so that no lane pays for it. A tree
// for emend has a store, as every tree but a new one does.
func (b *bench) fresh(dir string, ours bool, lay func(dir string) (string, error)) func() (string, error) {
	return func() (string, error) {
		root, err := lay(dir)
		if err == nil && ours {
			err = b.warm(root)
		}
		if err == nil {
			err = disk.Flush(root)
		}
		return root, err
	}
}

// warm has emend create its store in a tree, and leaves no other change.
func (b *bench) warm(root string) error {
	for _, section := range []string{"*** Add File: warm\n+warm\n", "*** Delete File: warm\n"} {
		cmd := exec.Command(b.programs.emend.path, "apply", "--quiet")
		cmd.Dir, cmd.Env = root, environment(b.home(), root)
		cmd.Stdin = strings.NewReader("*** Begin Patch\n" + section + "*** End Patch\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("emend apply, to make a store: %w: %s", err, out)
		}
	}
	return nil
}

// check compares the files below dir with the tree, byte for byte.
func (t tree) check(dir string) error {
	seen := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == ".git" || d.Name() == ".emend") {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if w, ok := t[filepath.ToSlash(rel)]; !ok || w != string(data) {
			return fmt.Errorf("%s is not what it should be", rel)
		}
		seen++
		return nil
	})
	if err == nil && seen != len(t) {
		err = fmt.Errorf("%d files of %d are there", seen, len(t))
	}
	return err
}
