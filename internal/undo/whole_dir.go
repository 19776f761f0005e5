package undo

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// wholeDir is a directory that is taken away with all that is in it.
type wholeDir struct {
	change commit.Change
	op     audit.Op
}

// inLeftOut reports whether a path is in a directory that ignore rules leave out, and of which the record says that an undo leaves it.
func inLeftOut(r *audit.Record, p string) bool {
	for _, op := range r.Ops {
		if op.Mode.IsDir() && op.NoUndo != "" && op.Operation != audit.OpMkdir && op.Operation != audit.OpRmdir &&
			(p == op.Path || strings.HasPrefix(p, op.Path+"/")) {
			return true
		}
	}
	return false
}

// notKeptAgain is why an undo that took such a directory away cannot be undone itself.
const notKeptAgain = "ignore rules leave it out, so it was not kept; run the command again that made it"

// reversePutDir takes away a directory that came with all that was in it. One in which somebody has worked since stays: nothing of it would
// be kept.
func (u *reversal) reversePutDir(a *audit.Act) error {
	rel, err := u.fromTop(a.Path)
	if err != nil {
		return err
	}
	e, err := u.w.Guard.Resolve(rel, guard.Request{Known: true, Write: true, Asked: u.src.Asked})
	if err != nil {
		return err
	}
	stays := func(why string) error {
		u.notes = append(u.notes, report.Escape(rel)+": "+why+".")
		return nil
	}
	if e.Kind == guard.Missing {
		return nil
	}
	if e.Kind != guard.Directory || e.File.Ino != a.New.Ino {
		return stays("something else is there since, which stays")
	}
	sum, err := u.sumInside(a.Path, rel)
	if errors.Is(err, fs.ErrNotExist) || err == nil && sum.String() != a.New.Sum {
		return stays("something in it changed since, and ignore rules leave it out, so that nothing of it would be kept: it stays")
	}
	if err != nil {
		return err
	}
	u.notes = append(u.notes, report.Escape(rel)+": it goes with all that is in it ("+report.FilesInside(sum.Files, sum.Bytes)+").")
	u.whole = append(u.whole, wholeDir{
		commit.Change{Path: a.Path, Parent: vfs.ID{Dev: e.Place.Dev, Ino: e.Place.Ino},
			Old: &commit.Old{Info: vfs.Info{ID: vfs.ID{Dev: e.File.Dev, Ino: e.File.Ino}, Mode: e.Mode, ModTime: e.ModTime, ChangeTime: e.ChangeTime, Links: e.Links}, Sum: a.New.Sum}},
		audit.Op{Operation: patch.Delete.String(), Path: a.Path, Before: a.New.Sum, Mode: fs.ModeDir, Files: sum.Files, Size: sum.Bytes, NoUndo: notKeptAgain},
	})
	return nil
}

// sumInside sums a directory, and refuses if one of the paths in it may not be written.
func (u *reversal) sumInside(top, rel string) (*vfs.DirSum, error) {
	dir, err := u.w.TopGuard().OpenDir(top)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	sum, refused := vfs.NewDirSum(), fail.List(nil)
	err = vfs.Inside(dir, func(p string, is vfs.Info, link string) {
		sum.Add(p, is, link)
		if err := u.w.Guard.CheckGenerated(path.Join(rel, p), guard.Request{Asked: u.src.Asked, Generated: rel}); err != nil {
			refused = append(refused, fail.All(err)...)
		}
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		return nil, workspace.StoreError(err)
	case len(refused) > 0:
		return nil, refused
	}
	return sum, nil
}
