package commit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// Make makes the store of a place, whole or not at all, and returns its place. If somebody else makes it at the same
// time, theirs counts.
func (p Place) Make() (Place, error) {
	p.Tidy()
	err := p.makeAt()
	// Once the store is in its place others find it, even if its name could not be made durable.
	if err != nil && p.Fallback != "" && !isStore(p.Dir) && (errors.Is(err, fs.ErrPermission) || isReadOnly(err)) {
		p = Place{Dir: p.Fallback, Top: filepath.Dir(p.Fallback)}
		err = p.makeAt()
	}
	p.Exists = err == nil
	return p, storeError(err)
}

// tidyNames is how many names [Place.Tidy] looks at. The first change in a tree waits for it, however many files there are.
const tidyNames = 10_000

// Tidy removes what processes left that were killed while they made a store here, at least a minute ago. In a directory of more
// than tidyNames names it may miss some.
func (p Place) Tidy() {
	up, store := filepath.Split(p.Dir)
	dir, err := os.Open(up)
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(tidyNames)
	for _, name := range names {
		tx, draft := strings.CutPrefix(name, store+".")
		made, ok := history.TimeOf(tx)
		path := filepath.Join(up, name)
		if draft && ok && time.Since(made) > time.Minute && isDir(path) {
			os.RemoveAll(path)
		}
	}
}

func (p Place) makeAt() error {
	up, err := vfs.Open(filepath.Dir(p.Dir))
	if err != nil {
		return err
	}
	defer up.Close()
	name := filepath.Base(p.Dir)
	draft := name + "." + history.NewID(Options{}.now())
	if err := up.Mkdir(draft, 0o700); err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(p.Dir), draft)
	err = p.fillDraft(up, draft, path)
	if err == nil {
		// This replaces nothing, or an empty directory, which marks a root; it never replaces a store.
		err = up.Rename(draft, up, name, vfs.Replace)
	}
	if err == nil {
		return up.Sync()
	}
	os.RemoveAll(path) // this process's directory, under a name that nobody else uses
	if isStore(p.Dir) {
		return nil
	}
	if isDir(p.Dir) {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Path: p.Dir,
			Msg:  "the directory is there, and has something in it that is no store",
			Hint: "Move it out of the way, or name another place with ‹option store›."}
	}
	return err
}

func (p Place) fillDraft(up vfs.Dir, draft, path string) error {
	dir, err := up.Dir(draft)
	if err != nil {
		return err
	}
	defer dir.Close()
	top, err := filepath.Rel(p.Dir, p.Top)
	if err != nil {
		top = p.Top
	}
	log, err := createDirs(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := createLog(log); err != nil {
		return err
	}
	origin, err := identityText(path)
	if err != nil {
		return err
	}
	files := append(storeFiles(filepath.ToSlash(top)), storeFile{originName, origin})
	if filepath.Base(p.Dir) == rootStoreName {
		files = append(files, storeFile{".gitignore", "*\n"})
	}
	if err := fill(dir, files); err != nil {
		return err
	}
	return giveToOwner(path, p.Top)
}

// Create makes a store in the empty directory dir. The store counts once dir is durable under its final name, which is
// up to the caller.
func Create(dir vfs.Dir, top string) error {
	log, err := createDirs(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	if err := createLog(log); err != nil {
		return err
	}
	return fill(dir, storeFiles(top))
}

// createDirs creates the directories of a store, and returns that of the log.
func createDirs(dir vfs.Dir) (log vfs.Dir, err error) {
	if err := history.Create(dir); err != nil {
		return nil, err
	}
	if err := dir.Mkdir(logName, 0o700); err != nil {
		return nil, err
	}
	return dir.Dir(logName)
}

// storeFile is a file of a new store.
type storeFile struct{ name, text string }

// storeFiles returns the files that every store has.
func storeFiles(top string) []storeFile {
	return []storeFile{{lockName, ""}, {formatName, format + "\ntop " + top + "\n"}}
}

// fill creates the files of a store, and makes them durable at the same time: none of them counts before the rest is there, and a
// disk writes down together what is synced together.
func fill(dir vfs.Dir, files []storeFile) (err error) {
	syncs := []func() error{dir.Sync}
	for _, file := range files {
		f, err := dir.Create(file.name, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, err := io.WriteString(f, file.text); err != nil {
			return err
		}
		syncs = append(syncs, f.Sync)
	}
	return parallel(len(syncs), len(syncs), func(i int) error { return syncs[i]() })
}

func createLog(dir vfs.Dir) error {
	l, err := audit.Create(dir, audit.Options{})
	if err != nil {
		return err
	}
	return l.Close()
}

// TopOf returns the absolute path of the top of the tree that the store of the place, open as dir, belongs to.
func (p Place) TopOf(dir vfs.Dir) (string, error) {
	top, err := readFormat(dir)
	switch {
	case err != nil:
		return "", err
	case p.Linked:
		return p.Top, nil
	case filepath.IsAbs(filepath.FromSlash(top)):
		return filepath.FromSlash(top), nil
	}
	return filepath.Join(p.Dir, filepath.FromSlash(top)), nil
}

// readFormat returns the path from a store to the top of its tree, as the store has it.
func readFormat(dir vfs.Dir) (top string, err error) {
	_, top, err = parseFormat(dir)
	return top, err
}

// parseFormat returns the first line of the file that identifies a store, and the path from there to the top of its tree.
func parseFormat(dir vfs.Dir) (version, top string, err error) {
	f, err := dir.Open(formatName)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if err != nil {
		return "", "", err
	}
	lines := strings.Split(string(b), "\n")
	if lines[0] != format && lines[0] != laterFormat || len(lines) < 2 {
		return "", "", &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable,
			Msg:  fmt.Sprintf("the store has the format %s, not %q or %q", fail.Quote(lines[0]), format, laterFormat),
			Hint: "Use the version of emend that made it, or a newer one."}
	}
	return lines[0], strings.TrimPrefix(lines[1], "top "), nil
}

// raiseFormat makes the later format durable.
func (s *Store) raiseFormat() error {
	version, top, err := parseFormat(s.dir)
	if err == nil && version != laterFormat {
		err = s.writeFormat(laterFormat, top)
	}
	if err != nil {
		return err
	}
	return s.dir.Sync() // also after another process, which may have been killed before it did
}

// writeFormat replaces the format file by one of the same owner and age: see [Store.PruneDue]. The caller syncs the directory.
func (s *Store) writeFormat(version, top string) error {
	was, err := s.dir.Stat(formatName)
	if err != nil {
		return err
	}
	draft := formatName + ".new"
	s.dir.Remove(draft)
	f, err := s.dir.Create(draft, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := io.WriteString(f, version+"\ntop "+top+"\n"); err != nil {
		return err
	}
	is, err := f.Stat()
	if err == nil && is.UID != was.UID {
		err = f.Give(was.UID, was.GID, 0o600)
	}
	if err == nil {
		err = f.Touch(was.ModTime)
	}
	if err = errors.Join(err, f.Sync()); err != nil {
		return err
	}
	return s.dir.Rename(draft, s.dir, formatName, vfs.Replace)
}
