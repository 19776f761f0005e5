package look

import (
	"context"
	"maps"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/watch"
	"github.com/emend-dev/emend/internal/workspace"
)

// Looker looks at a tree before and after a command. Where it can, it has the system say which directories change in between, and
// the second look reads these alone.
type Looker struct {
	watch *watch.Watch // nil: every look walks through the whole tree
	lasts bool         // it is for any number of looks
	at    time.Time    // of the last look
	// unsure has the directories that the next look reads in any case: a file in them was not settled, or can be changed by another name.
	unsure map[string]bool
}

// NewLooker returns a Looker that has not looked yet. Close it when done.
func NewLooker() *Looker {
	w, err := watch.New(find.RuleFiles()...)
	if err != nil {
		return &Looker{}
	}
	return &Looker{watch: w}
}

// maxLasting limits the directories that a lasting Looker watches: the system limits those of a user, and editors need some.
const maxLasting = 10_000

// NewLastingLooker returns a Looker for any number of looks, each of which reads what changed since the one before. Now and then somebody
// else has to look, for what cannot be heard: see [watch].
func NewLastingLooker() *Looker {
	k := NewLooker()
	k.lasts = true
	k.watch.Most(maxLasting)
	return k
}

// Close ends the watch. Later looks walk through the whole tree.
func (k *Looker) Close() error {
	if k.watch == nil {
		return nil
	}
	defer func() { k.watch = nil }()
	return k.watch.Close()
}

// Look is [Look].
func (k *Looker) Look(ctx context.Context, w *workspace.Workspace, req api.LookRequest) (*api.Look, error) {
	return lookWith(ctx, w, req, k)
}

// describe describes the tree, by a walk through all of it or through what changed.
func (k *Looker) describe(ctx context.Context, l *look) (*tree, error) {
	if t, err := k.changed(ctx, l); t != nil || err != nil {
		return t, err
	}
	if !k.at.IsZero() { // the watch has served its turn
		k.Close() //nolint:errcheck // nothing is read from it any more
		if k.lasts {
			k.watch = NewLastingLooker().watch
		}
	}
	return walk(ctx, l.top, l.at, l.was, k.watch)
}

// changed describes the tree as the last look left it, but for the directories that changed since. It returns nil if the whole tree
// has to be walked through: something may not have been heard, or somebody else has looked meanwhile.
func (k *Looker) changed(ctx context.Context, l *look) (*tree, error) {
	if k.watch == nil || k.at.IsZero() || l.was == nil || !l.was.at.Equal(k.at) || l.req.StillRuns {
		return nil, nil
	}
	changed, ok := k.watch.Changed()
	if !ok {
		return nil, nil
	}
	maps.Copy(changed, k.unsure)
	if len(changed) > len(l.was.dirs)/4+1 {
		return nil, nil
	}
	t := &tree{dirs: make([]dir, 0, len(l.was.dirs))}
	excludes := find.GlobalExcludes()
	for i := range l.was.dirs {
		d := dir{path: l.was.dirs[i].path, was: &l.was.dirs[i], settled: true}
		if changed[d.path] {
			delete(changed, d.path)
			ok, err := d.readAgain(ctx, l, excludes)
			if !ok || err != nil {
				return nil, err
			}
		}
		t.dirs = append(t.dirs, d)
	}
	if len(changed) > 0 {
		return nil, nil
	}
	return t, nil
}

// readAgain describes the names in one directory. ok is false if what changed there may have changed other directories as well.
func (d *dir) readAgain(ctx context.Context, l *look, excludes []byte) (ok bool, err error) {
	root, err := l.top.Resolve(nameOf(d.path), guard.Request{})
	if err != nil || root.Kind != guard.Directory {
		return false, nil
	}
	was := map[string]flags{}
	d.was.each(func(f *file) bool { was[f.path] = f.flags; return true })
	ok = true
	o := find.Options{Root: root, Excludes: excludes, Workers: 1, RootOnly: true}
	shut, err := find.Every(ctx, l.top, o, func(_ int, _ string, entries []find.Entry) {
		d.describe(entries, youngSince(l.at))
		for i := range entries {
			if e := &entries[i]; e.Mode.IsRegular() && e.Links > 1 && was[e.Name]&linked == 0 { // it may be a file of another directory
				ok = false
			}
		}
	})
	return ok && len(shut) == 0, err
}

// nameOf returns a path of the index as the guard takes it.
func nameOf(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// note notes how a look left the tree.
func (k *Looker) note(l *look) {
	k.at, k.unsure = l.at, map[string]bool{}
	for i := range l.tree.dirs {
		if d := &l.tree.dirs[i]; !d.settled || d.linked {
			k.unsure[d.path] = true
		}
	}
	if l.tree.shut > 0 {
		k.watch.Deafen()
	}
	if k.lasts && k.watch.Full() { // it would be so after each walk
		k.Close() //nolint:errcheck // nothing is read from it any more
		k.lasts = false
	}
}
