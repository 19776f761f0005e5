package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/emend-dev/emend"
	"znkr.io/diff/textdiff"
)

// work is one patch over some files, in each form.
type work struct {
	files    int
	old, new map[string]string
	patches  map[string]string // by form, the file that it is in
}

// directories is how many the files lie in.
const directories = 10

// newWork makes a change of one line in the middle of each file of 3.4 KB.
func newWork(scratch string, files int) (*work, error) {
	w := &work{files: files, old: map[string]string{}, new: map[string]string{}, patches: map[string]string{}}
	var changes []emend.Change
	var diff strings.Builder
	for i := range files {
		c := emend.Change{Path: fmt.Sprintf("dir%d/file%04d.txt", i%directories, i), HasOld: true, HasNew: true,
			Old: content(i, "before"), New: content(i, "after")}
		w.old[c.Path], w.new[c.Path] = c.Old, c.New
		changes = append(changes, c)
		fmt.Fprintf(&diff, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n%s", c.Path, c.Path, c.Path, c.Path,
			textdiff.Unified(c.Old, c.New))
	}
	if err := w.keep(scratch, "unified", diff.String()); err != nil {
		return nil, err
	}
	for _, d := range []string{"emend", "codex"} {
		text, err := emend.Make(changes, d, 3)
		if err == nil {
			err = w.keep(scratch, d, text)
		}
		if err != nil {
			return nil, fmt.Errorf("the patch in the dialect %s: %w", d, err)
		}
	}
	return w, nil
}

func (w *work) keep(scratch, form, text string) error {
	w.patches[form] = filepath.Join(scratch, fmt.Sprintf("%d.%s.patch", w.files, form))
	return os.WriteFile(w.patches[form], []byte(text), 0o666)
}

func content(i int, when string) string {
	var b strings.Builder
	for n := range 48 {
		if n == 24 {
			fmt.Fprintf(&b, "line 24 of file %d, as it is %s the patch\n", i, when)
		} else {
			fmt.Fprintf(&b, "line %d of file %d says what it has always said, and nobody changes that\n", n, i)
		}
	}
	return b.String()
}

// lay writes the old tree into a new workspace and makes it durable: nobody's syncs are to pay for it.
func (w *work) lay(scratch string) (dir string, err error) {
	if dir, err = os.MkdirTemp(scratch, "tree"); err != nil {
		return "", err
	}
	dirs := []string{filepath.Join(dir, ".git")}
	for i := range min(directories, w.files) {
		dirs = append(dirs, filepath.Join(dir, fmt.Sprintf("dir%d", i)))
	}
	for _, d := range dirs {
		if err := os.Mkdir(d, 0o755); err != nil {
			return dir, err
		}
	}
	for name, data := range w.old {
		if err := writeSynced(filepath.Join(dir, name), data); err != nil {
			return dir, err
		}
	}
	for _, d := range append(dirs, dir) {
		if err := syncDir(d); err != nil {
			return dir, err
		}
	}
	return dir, nil
}

func writeSynced(name, data string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteString(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// check holds a tree against one that it should be.
func check(dir string, want map[string]string) error {
	seen := 0
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if w, ok := want[filepath.ToSlash(rel)]; !ok || w != string(data) {
			return fmt.Errorf("%s is not what it should be", rel)
		}
		seen++
		return nil
	})
	if err == nil && seen != len(want) {
		err = fmt.Errorf("%d files of %d are there", seen, len(want))
	}
	return err
}
