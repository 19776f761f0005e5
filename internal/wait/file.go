package wait

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/emend-dev/emend/internal/vfs"
)

// post gives v, whole, a name that nothing has; fs.ErrExist where something does. The file is locked before anybody can
// find it, for as long as it stays open.
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
	if err = fill(f, text); err == nil {
		err = b.name(temp, name)
	}
	if err != nil {
		return nil, errors.Join(err, b.dir.Remove(temp), f.Close())
	}
	return f, nil
}

func fill(f vfs.File, text []byte) error {
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

// name gives a file its name unless something has it. Not every file system can rename so, but a second name is as good.
func (b *Board) name(temp, name string) error {
	err := b.dir.Rename(temp, b.dir, name, vfs.NoReplace)
	if !errors.Is(err, vfs.ErrUnsupported) {
		return err
	}
	if err = b.dir.Link(temp, b.dir, name); err == nil {
		err = b.dir.Remove(temp)
	}
	return err
}

// held opens a file that its process must have locked; fs.ErrNotExist where it is not there any more, whatever has its name.
func (b *Board) held(name string) (vfs.File, error) {
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
		b.dir.Remove(name) //nolint:errcheck // the next one tries again
		err = fs.ErrNotExist
	}
	f.Close()
	return nil, err
}

// dropForeign removes what is no file at all under a name of ours: no process can have locked it.
func (b *Board) dropForeign(name string) {
	if is, err := b.dir.Stat(name); err == nil && !is.Mode.IsRegular() {
		b.dir.Remove(name) //nolint:errcheck // a directory stays
	}
}

// parse reads one JSON value of at most so many bytes.
func parse(f vfs.File, most int64, v any) error {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, most+1))
	if err != nil {
		return err
	}
	if int64(len(text)) > most {
		return errors.New("it is too long")
	}
	return json.Unmarshal(text, v)
}
