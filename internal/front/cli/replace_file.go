package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend/fail"
)

// replaceFile writes a file that only its owner can read, whole or not at all. It replaces an existing file only if
// force is set.
func replaceFile(name string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); err == nil && !force {
		return alreadyExists(name)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if force {
		return os.Rename(f.Name(), name)
	}
	return linkOrRename(f.Name(), name)
}

// linkOrRename gives the file its name, unless another file has it.
func linkOrRename(temporary, name string) error {
	switch err := os.Link(temporary, name); {
	case errors.Is(err, fs.ErrExist):
		return alreadyExists(name)
	case err == nil:
		return nil
	}
	// The file system has no hard links. Between the check and the rename another program can still make the file.
	if _, err := os.Lstat(name); err == nil {
		return alreadyExists(name)
	}
	return os.Rename(temporary, name)
}

func alreadyExists(name string) error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: name, Msg: fmt.Sprintf("%q exists", name), Hint: "Name another file, or say --force to replace it."}
}
