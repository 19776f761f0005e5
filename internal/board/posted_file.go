package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/vfs"
)

// post writes v to a new file called name. It returns fs.ErrExist if the name is taken. The file is locked before anybody can
// find it, and stays locked for as long as it is open.
func (b *Board) post(name string, v any) (vfs.File, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, ErrTooLong
	}
	temp := newID("t") + newKind
	f, err := b.dir.Create(temp, 0o600)
	if err != nil {
		return nil, err
	}
	if err = lockAndWrite(f, text); err == nil {
		err = b.giveName(temp, name)
	}
	if err != nil {
		return nil, errors.Join(err, b.dir.Remove(temp), f.Close())
	}
	return f, nil
}

func lockAndWrite(f vfs.File, text []byte) error {
	mine, err := f.TryLock()
	if err != nil {
		return fmt.Errorf("the file system of the store has no locks: %w", err)
	}
	if !mine {
		return errors.New("somebody else has locked it")
	}
	_, err = f.Write(text)
	return err
}

// giveName renames temp to name, unless name is taken. Where the file system has no such rename, it links and removes.
func (b *Board) giveName(temp, name string) error {
	err := b.dir.Rename(temp, b.dir, name, vfs.NoReplace)
	if !errors.Is(err, vfs.ErrUnsupported) {
		return err
	}
	if err = b.dir.Link(temp, b.dir, name); err == nil {
		err = b.dir.Remove(temp)
	}
	return err
}

// openLive opens a file that is still locked by the process that posted it. It removes one that nobody has locked, and what is
// no regular file. Then, and where nothing has the name, the error is not nil.
func (b *Board) openLive(name string) (vfs.File, error) {
	f, err := b.dir.Open(name)
	if err != nil {
		if !missing(err) {
			b.dropForeign(name)
		}
		return nil, err
	}
	free, err := f.TryLock()
	if err == nil && !free {
		return f, nil
	}
	if free {
		b.dir.Remove(name) //nolint:errcheck // the next caller tries again
		err = fs.ErrNotExist
	}
	f.Close()
	return nil, err
}

// dropForeign removes a name of ours that is not a regular file: no process can have posted or locked it.
func (b *Board) dropForeign(name string) {
	if is, err := b.dir.Stat(name); err == nil && !is.Mode.IsRegular() {
		b.dir.Remove(name) //nolint:errcheck // a directory stays
	}
}

// readJSON decodes a file of at most most bytes into v.
func readJSON(f vfs.File, most int64, v any) error {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, most+1))
	if err != nil {
		return err
	}
	if int64(len(text)) > most {
		return errors.New("it is too long")
	}
	return json.Unmarshal(text, v)
}
