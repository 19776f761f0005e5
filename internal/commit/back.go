package commit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

// sources checks the slots that files are to be brought back from: each is one, and none is asked for twice.
func (t *transaction) sources() error {
	seen := map[string]bool{}
	for i := range t.tx.Changes {
		c := &t.tx.Changes[i]
		if c.New == nil || c.New.Back == "" {
			continue
		}
		if _, _, ok := history.ParseSlot(c.New.Back); !ok || seen[c.New.Back] {
			return notKept(c.Path, c.New.Back)
		}
		seen[c.New.Back] = true
	}
	return nil
}

// fetch gives what is kept a second name, the slot of the step. Until the transaction is in the tree the first one
// stays as it is: whatever happens before, nothing has to be put back. It returns the file to be synced, if any.
func (t *transaction) fetch(a *act, n *New, slots vfs.Dir, name string) (vfs.File, error) {
	from, is, err := t.s.hist.Find(n.Back)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notKept(a.Path, n.Back)
	}
	if err != nil {
		return nil, unwritable(err)
	}
	a.kept = is
	if old := t.tx.Changes[a.change].Old; old != nil && old.ID == is.ID {
		return nil, itselfAlready(a.Path, n.Back)
	}
	err = link(slots, from, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notKept(a.Path, n.Back)
	case err != nil && cannotLink(err) == nil && is.Mode.IsRegular():
		return t.copy(a, n, slots, from, name)
	case err != nil && cannotLink(err) == nil:
		return nil, cannotBring(a.Path, n.Back, err)
	case err != nil:
		return nil, unwritable(err)
	}
	return t.fetched(a, n, slots, name)
}

func link(slots vfs.Dir, from, name string) error {
	if plant.Is(plant.BackMovesEarly) {
		return rename(slots, from, slots, name, vfs.NoReplace)
	}
	return slots.Link(from, slots, name)
}

// fetched checks that the slot has what the caller expects.
func (t *transaction) fetched(a *act, n *New, slots vfs.Dir, name string) (f vfs.File, err error) {
	if a.staged, err = slots.Stat(name); err != nil {
		return nil, unwritable(err)
	}
	if a.staged.ID != a.kept.ID {
		return nil, notKept(a.Path, n.Back)
	}
	sum, err := says(slots, name, a.staged)
	if err != nil {
		return nil, unwritable(err)
	}
	if n.Sum != "" && sum != n.Sum {
		return nil, rewritten(a.Path, n.Back, n.Sum, sum)
	}
	a.New = ident(a.staged, sum)
	if !a.staged.Mode.IsRegular() {
		return nil, nil
	}
	if f, err = slots.Open(name); errors.Is(err, fs.ErrPermission) {
		return nil, nil // it may not be read, and so was not written here either
	}
	return f, unwritable(err)
}

// copy makes the slot a copy of what is kept, with everything that can be kept of it, where no second name can be had.
func (t *transaction) copy(a *act, n *New, slots vfs.Dir, from, name string) (vfs.File, error) {
	kept, err := slots.Open(from)
	if err != nil {
		return nil, unwritable(err)
	}
	defer kept.Close()
	if is, err := kept.Stat(); err != nil || is.ID != a.kept.ID {
		return nil, notKept(a.Path, n.Back)
	}
	f, err := slots.Create(name, 0o600)
	if err != nil {
		return nil, unwritable(err)
	}
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(f, h), kept); err != nil {
		return f, unwritable(err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if n.Sum != "" && sum != n.Sum {
		return f, rewritten(a.Path, n.Back, n.Sum, sum)
	}
	if err := t.likeKept(a, f, kept); err != nil {
		return f, err
	}
	if a.staged, err = f.Stat(); err != nil {
		return f, unwritable(err)
	}
	a.New = ident(a.staged, sum)
	return f, nil
}

func (t *transaction) likeKept(a *act, f, kept vfs.File) error {
	lost, err := f.Adopt(kept)
	if err != nil {
		return cannotKeep(a.Path, err)
	}
	a.lost = lost
	return unwritable(f.Touch(a.kept.ModTime))
}

// stillKept checks, with the lock held, that what is to be brought back is in the history, as it was when it was staged:
// somebody else may have brought it back, or removed it, or gone on writing to it.
func (t *transaction) stillKept(a *act) error {
	if a.From == "" || plant.Is(plant.BackMovesEarly) {
		return nil
	}
	name, is, err := t.s.hist.Find(a.From)
	if errors.Is(err, fs.ErrNotExist) || err == nil && is.ID != a.kept.ID {
		return notKept(a.Path, a.From)
	}
	if err != nil {
		return unwritable(err)
	}
	young := t.s.opts.now().Sub(is.ModTime) < racy
	if !young && is.Size == a.kept.Size && is.ModTime.Equal(a.kept.ModTime) && is.Mode == a.kept.Mode {
		return nil
	}
	sum, err := says(t.s.hist.Slots(), name, is)
	if err != nil {
		return unwritable(err)
	}
	if sum != a.New.Sum || is.Mode != a.kept.Mode {
		return rewritten(a.Path, a.From, a.New.Sum, sum)
	}
	if a.staged.ID == is.ID {
		a.staged = is
	}
	return nil
}

// says is the sha256 of what a name has: of a file's content, or of where a link leads; "" when a file may not be read.
func says(dir vfs.Dir, name string, is vfs.Info) (string, error) {
	if isLink(is.Mode) {
		return linkSum(dir, name)
	}
	sum, err := digest(dir, name, is)
	return sum, ignore(err, fs.ErrPermission)
}

// prunes plans to remove the directories that nothing will be in.
func (t *transaction) prunes() {
	seen := map[string]bool{".": true}
	for _, p := range t.tx.Prune {
		if seen[p] {
			continue
		}
		seen[p] = true
		dir, name, err := t.dirs.parent(p)
		if err != nil {
			continue
		}
		if is, err := dir.Stat(name); err == nil && is.Mode.IsDir() {
			t.acts = append(t.acts, &act{change: -1, Act: audit.Act{Do: audit.DoRmdir, Path: p, Old: &audit.Ident{Ino: is.ID.Ino},
				Mode: is.Mode &^ fs.ModeType}})
		}
	}
}

// prune removes a directory that is the one that was meant, and empty. What cannot be removed stays.
func (t *transaction) prune(a *act, dir vfs.Dir, name string) {
	is, err := dir.Stat(name)
	if err != nil || !is.Mode.IsDir() || is.ID.Ino != a.Old.Ino || dir.RemoveDir(name) != nil {
		return
	}
	a.made = true
	t.dirs.forget(a.Path)
}

// unprune makes a directory again that was removed, for what is put back into it.
func (t *transaction) unprune(a *act, dir vfs.Dir, name string) error {
	if !a.made {
		return nil
	}
	err := dir.Mkdir(name, a.Mode.Perm())
	a.made = err != nil && !errors.Is(err, fs.ErrExist)
	if err != nil {
		return ignore(err, fs.ErrExist) // somebody else has made it, and it serves as well
	}
	again, err := dir.Dir(name)
	if err != nil {
		return err
	}
	t.dirs.forget(a.Path)
	t.dirs.hold(a.Path, again)
	is, err := again.Stat(".")
	if err != nil || is.Mode&^fs.ModeType == a.Mode {
		return err
	}
	return again.Chmod(a.Mode)
}

func ignore(err, what error) error {
	if errors.Is(err, what) {
		return nil
	}
	return err
}

// removes reports whether the transaction has removed directories. Recovery could not tell one that was made since from
// one that it has to remove.
func (t *transaction) removes() bool {
	for _, a := range t.acts {
		if a.Do == audit.DoRmdir {
			return true
		}
	}
	return false
}

// tidy takes out of the history what stands in the tree again, and what was not to be kept. It is the last thing that
// is done, when all else is durable: who finds that it has begun knows that the transaction is in the tree. A name
// that cannot be removed stays, and is said: what was done is done, and nothing may bring it into doubt.
func (t *transaction) tidy() error {
	var acts []*act
	for _, a := range t.acts {
		if a.From != "" || a.Gone {
			acts = append(acts, a)
		}
	}
	if len(acts) == 0 {
		return nil
	}
	slots := t.s.hist.Slots()
	for _, a := range acts {
		if err := t.clear(a, slots); err != nil {
			t.remark("%s: what the history has of it could not be removed: %v.", a.Path, cause(err))
		}
	}
	if t.s.opts.NoSync {
		return nil
	}
	return slots.Sync()
}

// remark says something where it is heard: in the answer, or in what recovery did.
func (t *transaction) remark(format string, args ...any) {
	if t.back {
		t.conflict(format, args...)
		return
	}
	t.note(format, args...)
}

func (t *transaction) clear(a *act, slots vfs.Dir) error {
	slot := history.Slot(t.id, a.Slot)
	var errs []error
	switch {
	case plant.Is(plant.NoUnlinkBack):
	case a.From != "" && a.here:
		errs = append(errs, unname(slots, history.NewLink(slot)))
		for _, name := range lastOld(a.From) {
			errs = append(errs, t.letGo(a, slots, name))
		}
	case a.From != "":
		errs = append(errs, t.unfetch(a, slots, slot))
	}
	if a.Gone && a.over && !t.kept[a.Slot] {
		for _, name := range lastOld(slot) {
			errs = append(errs, unname(slots, name))
		}
	}
	return errors.Join(errs...)
}

// lastOld are the names of a slot in the order in which they are removed: what was displaced keeps a name to the end.
func lastOld(slot string) []string {
	return []string{history.NewLink(slot), history.Aside(slot), slot, history.OldLink(slot)}
}

// letGo removes a name of what was brought back, as long as that has another one: somebody may have removed the one in
// the tree by now. What was copied has only this one, and goes if it is still what the copy was made of. So does what was
// reserved for it: without a journal a power cut may have put that back.
func (t *transaction) letGo(a *act, slots vfs.Dir, name string) error {
	is, there, err := exists(slots, name)
	if err != nil || !there {
		return err
	}
	if reserved := is.Size == 0 && is.ID.Ino != a.New.Ino; is.Links < 2 && !reserved {
		s, err := see(slots, name, a)
		if err != nil || s.what != isNew || is.ID.Ino == a.New.Ino {
			return err
		}
	}
	return unname(slots, name)
}

// unname removes a name, with a second try: one that stays by accident would stay for good.
func unname(slots vfs.Dir, name string) error {
	if err := slots.Remove(name); err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return ignoreMissing(slots.Remove(name))
}

// unfetch removes the second name of what did not get its place. The history has it under its first.
func (t *transaction) unfetch(a *act, slots vfs.Dir, slot string) error {
	s, err := see(slots, slot, a)
	if err != nil || s.what != isNew && s.what != wasNew {
		return err
	}
	_, kept, err := t.s.hist.Find(a.From)
	if err != nil || kept.ID != s.is.ID && s.what != isNew {
		return ignoreMissing(err)
	}
	return errors.Join(unname(slots, slot), unname(slots, history.NewLink(slot)))
}

// second reports whether a slot has no more than another name of what is kept under its first.
func second(a *act, slot sight) bool {
	return a.From != "" && slot.what == wasNew && slot.is.Links > 1
}

// shared says it when a file that came back cannot leave the tree again, since somebody has written to it there.
func (t *transaction) shared(a *act, dir vfs.Dir, name string) {
	if is, there, err := exists(dir, name); err == nil && there && a.From != "" && is.ID == a.staged.ID {
		t.conflict("%s: somebody wrote to it meanwhile, so it stays; what is kept as %s is the same file.", a.Path, a.From)
	}
}

// only reports whether the step's slot may have the only name of what was to come back: somebody has removed the other
// from the history.
func (t *transaction) only(a *act) bool {
	if a.From == "" {
		return false
	}
	_, _, err := t.s.hist.Find(a.From)
	return err != nil
}

// freshen gives the files that were brought back the time of now. That it fails is worth no word.
func (t *transaction) freshen() {
	for _, a := range t.acts {
		if a.From != "" && t.tx.Changes[a.change].New.Fresh {
			t.touch(a, t.s.opts.now())
		}
	}
}

func (t *transaction) touch(a *act, at time.Time) {
	dir, name, err := t.dirs.parent(a.Path)
	if err != nil {
		return
	}
	f, err := dir.Open(name)
	if err != nil {
		return
	}
	defer f.Close()
	if is, err := f.Stat(); err == nil && is.ID == a.staged.ID {
		f.Touch(at)
	}
}

func notKept(path, slot string) *fail.Error {
	return &fail.Error{Kind: fail.NotFound, Path: path,
		Msg:  fmt.Sprintf("nothing is kept as %s any more: it was restored or cleared since", fail.Quote(slot)),
		Hint: "Nothing was changed. List the trash to see what it has now."}
}

func rewritten(path, slot, want, have string) *fail.Error {
	e := stale(path, fmt.Sprintf("what is kept as %s has been written to since it was put there", slot), want, have)
	e.Hint = "Nothing was changed. List the trash to see what it has now, and ask for it once more."
	return e
}

func itselfAlready(path, slot string) *fail.Error {
	return &fail.Error{Kind: fail.AlreadyExists, Path: path,
		Msg:  fmt.Sprintf("the very file that is kept as %s stands here under another of its names", slot),
		Hint: "Nothing was changed, and nothing has to be: restore it to another path if you need it there too."}
}

func cannotBring(path, slot string, err error) *fail.Error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.WeakFilesystem, Path: path, Cause: err,
		Msg:  fmt.Sprintf("the symbolic link kept as %s cannot be given a second name here: %v", slot, cause(err)),
		Hint: "Nothing was changed. Make the link anew; what it says is in the trash."}
}
