package commit

import (
	"errors"
	"io/fs"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/vfs"
)

// class says what a name has, from the view of one act.
type class uint8

const (
	absent      class = iota
	oldFile           // the file as it was before the transaction
	newFile           // the file as the transaction makes it
	oldEdited         // the old file, written to since
	newEdited         // the new file, written to since
	foreign           // somebody else's file
	unreachable       // the path does not lead where it did
)

// observation is a name and what it has.
type observation struct {
	dir   vfs.Dir
	name  string
	info  vfs.Info
	class class
}

func (s observation) sameFile(o observation) bool {
	return s.class != absent && o.class != absent && s.info.ID == o.info.ID
}

// observe looks at a name. Content decides before inode numbers do: not every file system keeps those.
func observe(dir vfs.Dir, name string, a *act) (observation, error) {
	s := observation{dir: dir, name: name}
	is, there, err := exists(dir, name)
	if err != nil || !there {
		return s, err
	}
	s.info = is
	sum := ""
	if isLink(is.Mode) {
		if sum, err = hashLink(dir, name); err != nil {
			return s, err
		}
	}
	if is.Mode.IsRegular() && is.Size <= max(identSize(a.Old), identSize(a.New)) {
		if sum, err = hashFile(dir, name, is); err != nil && !errors.Is(err, fs.ErrPermission) {
			return s, err
		}
	}
	s.class = classify(is, sum, a)
	return s, nil
}

func identSize(i *audit.Ident) int64 {
	if i == nil {
		return 0
	}
	return i.Size
}

func classify(is vfs.Info, sum string, a *act) class {
	oldIno, oldText := matchIdent(is, sum, a.Old)
	newIno, newText := matchIdent(is, sum, a.New)
	switch {
	case newIno && newText:
		return newFile
	case oldIno && oldText:
		return oldFile
	case newText:
		return newFile
	case oldText:
		return oldFile
	case newIno:
		return newEdited
	case oldIno:
		return oldEdited
	}
	return foreign
}

func matchIdent(is vfs.Info, sum string, i *audit.Ident) (ino, text bool) {
	if i == nil {
		return false, false
	}
	// An inode number is used again as soon as a file is gone, so it says little about a link, which is never edited.
	kind := isLink(is.Mode) == i.Link && (i.Link || is.Mode.IsRegular())
	text = kind && sum == i.Sum
	return kind && is.ID.Ino == i.Ino && (text || !i.Link), text
}
