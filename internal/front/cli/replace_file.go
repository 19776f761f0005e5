package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/emend-dev/emend"
)

// replaceFile writes a file that only its owner can read, whole or not at all. One that exists stays, unless force is
// set.
func replaceFile(name string, force bool, write func(io.Writer) error) error {
	if _, err := os.Lstat(name); err == nil && !force {
		return exists(name)
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
	return nameIt(f.Name(), name)
}

// nameIt gives the file its name if nothing has it.
func nameIt(temporary, name string) error {
	switch err := os.Link(temporary, name); {
	case errors.Is(err, fs.ErrExist):
		return exists(name)
	case err == nil:
		return nil
	}
	// There are no second names here, and what was looked at a moment ago counts.
	if _, err := os.Lstat(name); err == nil {
		return exists(name)
	}
	return os.Rename(temporary, name)
}

func exists(name string) error {
	return &emend.Error{Kind: emend.AlreadyExists, Path: name, Msg: fmt.Sprintf("%q exists", name), Hint: "Name another file, or say --force to replace it."}
}
