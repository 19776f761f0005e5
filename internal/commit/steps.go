package commit

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
)

// planActs turns the changes into acts and opens the directories that they need.
func (t *transaction) planActs() error {
	if err := t.checkSources(); err != nil {
		return err
	}
	moved := t.moveTargets()
	making := map[string]bool{}
	for i := range t.tx.Changes {
		c := &t.tx.Changes[i]
		if err := t.openParents(c, making); err != nil {
			return err
		}
		if a := t.newAct(i, c, moved); a != nil {
			a.change, a.Slot = i, i
			t.acts = append(t.acts, a)
		}
	}
	if err := t.planMkdirs(making); err != nil {
		return err
	}
	t.planRmdirs()
	sortActs(t.acts)
	return nil
}

// moveTargets maps each change whose file moves to the change that it moves to.
func (t *transaction) moveTargets() map[int]int {
	out := map[int]int{}
	for i, c := range t.tx.Changes {
		if c.New != nil && c.New.Move {
			out[c.New.From] = i
		}
	}
	return out
}

func (t *transaction) newAct(i int, c *Change, moved map[int]int) *act {
	a := &act{Act: audit.Act{Path: c.Path}}
	if c.Old != nil {
		a.Old = newIdent(c.Old.Info, c.Old.sum())
	}
	to, whole := moved[i]
	switch {
	case c.ofDirectory():
		a.Do = wholeDirDo(c)
		if c.New != nil {
			a.Source = c.New.Dir
		}
		return a
	case whole:
		a.Do, a.To = audit.DoMove, t.tx.Changes[to].Path
	case c.New != nil && c.New.Move:
		return nil // this is the other end of a move
	case c.Old == nil && c.New == nil:
		return nil
	case c.Old == nil:
		a.Do = audit.DoPut
	case c.New == nil:
		a.Do = audit.DoTake
	default:
		a.Do = audit.DoSwap
	}
	a.Gone = c.Discard && a.Displaces()
	if a.Places() {
		a.From = c.New.FromSlot
	}
	return a
}

// openParents opens the deepest existing directory above c, which must be the one that was judged, and plans to make
// the missing ones.
func (t *transaction) openParents(c *Change, making map[string]bool) error {
	up := path.Dir(c.Path)
	var missing []string
	for range c.Missing {
		missing = append(missing, up)
		up = path.Dir(up)
	}
	if _, err := t.dirs.open(up); err != nil {
		return reachError(c.Path, err)
	}
	id, err := t.dirs.id(up)
	if err != nil {
		return reachError(c.Path, err)
	}
	if id != c.Parent {
		return stale(c.Path, "its directory was replaced since the file was read", "", "")
	}
	for _, p := range slices.Backward(missing) {
		if !making[p] {
			t.planMkdir(p, making, false)
		}
	}
	return nil
}

// planMkdirs plans to make the directories that nothing comes into.
func (t *transaction) planMkdirs(making map[string]bool) error {
	for _, p := range t.tx.MakeDirs {
		var missing []string
		for up := p; !making[up]; up = path.Dir(up) {
			_, err := t.dirs.open(up)
			if err == nil {
				break
			}
			if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fail.NotFound) || up == "." {
				return reachError(p, err)
			}
			missing = append(missing, up)
		}
		for _, up := range slices.Backward(missing) {
			t.planMkdir(up, making, true)
		}
	}
	return nil
}

func (t *transaction) planMkdir(p string, making map[string]bool, empty bool) {
	making[p] = true
	t.acts = append(t.acts, &act{Act: audit.Act{Do: audit.DoMkdir, Path: p, Mode: t.tx.DirModes[p] &^ fs.ModeType, Empty: empty}, change: -1})
}

// planRmdirs plans to remove the directories that will be empty.
func (t *transaction) planRmdirs() {
	seen := map[string]bool{".": true}
	for _, p := range t.tx.RemoveDirs {
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

func sortActs(acts []*act) {
	slices.SortStableFunc(acts, func(a, b *act) int {
		if o := slices.Index(order, a.Do) - slices.Index(order, b.Do); o != 0 {
			return o
		}
		switch a.Do {
		case audit.DoMkdir:
			return depth(a.Path) - depth(b.Path)
		case audit.DoRmdir:
			return depth(b.Path) - depth(a.Path)
		}
		return 0
	})
}

// depth counts the separators in a path.
func depth(p string) int { return strings.Count(p, "/") }

// checkSources checks the slots that files come back from: each name is one of a slot, and none is used twice.
func (t *transaction) checkSources() error {
	seen := map[string]bool{}
	for i := range t.tx.Changes {
		c := &t.tx.Changes[i]
		if err := c.checkDirectory(); err != nil {
			return err
		}
		if c.New == nil || c.New.FromSlot == "" {
			continue
		}
		if _, _, ok := history.ParseSlot(c.New.FromSlot); !ok || seen[c.New.FromSlot] {
			return notKept(c.Path, c.New.FromSlot)
		}
		seen[c.New.FromSlot] = true
	}
	return nil
}
