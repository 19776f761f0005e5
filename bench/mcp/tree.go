package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The trees: files of 3.4 KB in directories, one directory with many files, and Go's own sources.
const (
	directories  = 50
	perDirectory = 20
	wide         = "wide" // the directory with a thousand files
)

// side is one server with a tree of its own.
type side struct {
	server
	home string
	dir  string // the tree
	at   []int  // number of edits of each file
	link connection
}

// fileName returns the path of file i.
func fileName(i int) string {
	return fmt.Sprintf("dir%02d/file%04d.txt", i%directories, i)
}

// content returns file i after so many edits.
func content(i, edits int) string {
	var b strings.Builder
	for n := range 48 {
		if n == 24 {
			b.WriteString(changing(edits))
			continue
		}
		fmt.Fprintf(&b, "line %d of file %d says what it has always said, and nobody changes that\n", n, i)
	}
	return b.String()
}

// changing returns the line of a file that edits change.
func changing(edits int) string {
	return fmt.Sprintf("line 24 was changed %d times, and this is how it reads now\n", edits)
}

// lay writes a tree and waits until it is on the disk, so that no server pays for it.
func lay(dir string) error {
	for i := range directories * perDirectory {
		if err := write(filepath.Join(dir, fileName(i)), content(i, 0)); err != nil {
			return err
		}
		if err := write(filepath.Join(dir, wide, fmt.Sprintf("entry%04d.txt", i)), "one of many\n"); err != nil {
			return err
		}
	}
	return nil
}

func write(name, text string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// check compares the tree with the acknowledged edits, byte for byte.
func (s *side) check() error {
	for i, n := range s.at {
		text, err := os.ReadFile(filepath.Join(s.dir, fileName(i)))
		if err != nil {
			return err
		}
		if string(text) != content(i, n) {
			return fmt.Errorf("%s: %s is not what %d edits make of it", s.name, fileName(i), n)
		}
	}
	return nil
}

func sum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// walk lists what is below dir, sorted; directories end in a slash.
func walk(dir string) (out []string, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		if d.Name() == ".emend" {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, name)
		if d.IsDir() {
			rel += "/"
		}
		out = append(out, filepath.ToSlash(rel))
		return err
	})
	slices.Sort(out)
	return out, err
}
