package fakeapi

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Lay writes files below dir.
func Lay(dir string, files map[string]string) error {
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Files reads the files below dir, without hidden directories.
func Files(dir string) (map[string]string, error) {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != dir && strings.HasPrefix(d.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		b, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(b)
		return err
	})
	return out, err
}
