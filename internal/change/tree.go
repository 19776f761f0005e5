package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// maxShownTree limits the bytes of deleted files in the diff of a directory.
const maxShownTree = 8 << 20

// tree is a directory with everything in it, as one call read it. It becomes one change: a step for each file and link, and the
// directories themselves, which the commit makes and removes.
type tree struct {
	w     *workspace.Workspace
	src   *source.Reader
	root  plan.File
	dirs  []treeDir   // the directory and those in it, each before what is in it
	files []plan.File // files and links
	size  int64
}

// treeDir is a directory of a tree with the names in it, in order.
type treeDir struct {
	plan.File
	names []string
}

// findTree reads the directory at the path p of a call; nil if there is none. A directory has no hash that it could be expected to have.
func findTree(ctx context.Context, w *workspace.Workspace, src *source.Reader, p, expected string) (*tree, error) {
	f, err := LookForWrite(ctx, src, p)
	switch {
	case err != nil || f.Kind != plan.Directory:
		return nil, err
	case expected != "":
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: p, Msg: "is a directory, which has no sha256",
			Hint: "Leave ‹expectedSha256› out: a directory that somebody changes meanwhile is refused in any case."}
	}
	return readTree(ctx, w, src, f)
}

// requestOf returns what tells a request from another one under the same idempotency key. Requests of older versions had no Recursive.
func requestOf(r any, recursive bool) any {
	if !recursive {
		return r
	}
	return []any{"recursive", r}
}

// readTree reads the directory at root, also what is hidden, ignored or protected from reading in it. It refuses the directory if
// something in it may not be changed, or is neither a file, nor a link, nor a directory.
func readTree(ctx context.Context, w *workspace.Workspace, src *source.Reader, root plan.File) (*tree, error) {
	t := &tree{w: w, src: src, root: root}
	if err := t.add(ctx, root); err != nil {
		return nil, err
	}
	return t, nil
}

// add adds a directory and everything in it.
func (t *tree) add(ctx context.Context, dir plan.File) error {
	if ctx.Err() != nil {
		return caller.Cancelled(ctx)
	}
	names, err := t.list(ctx, dir)
	if err != nil {
		return err
	}
	t.dirs = append(t.dirs, treeDir{dir, names})
	if most := t.w.Limits().Files; len(t.files)+len(t.dirs)+len(names) > most {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Limit, Path: t.root.Rel,
			Msg:  fmt.Sprintf("the directory has over %d files and directories", most),
			Hint: "Take one directory in it after the other, or let a person raise the limit with ‹option max-files›."}
	}
	for _, name := range names {
		f, err := t.look(ctx, dir.Rel+"/"+name)
		if err != nil {
			return err
		}
		switch f.Kind {
		case plan.Directory:
			err = t.add(ctx, f)
		case plan.Regular, plan.Link:
			t.files, t.size = append(t.files, f), t.size+f.Size
		case plan.Missing:
			err = t.changed(dir.Rel)
		case plan.Special:
			err = &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: f.Rel,
				Msg: "is a FIFO, a socket or a device, which is never touched", Hint: "A person can remove it. Nothing was changed."}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// look looks up a path that is relative to the workspace, whatever the paths of the call are relative to.
func (t *tree) look(ctx context.Context, rel string) (plan.File, error) {
	base := t.src.Base
	defer func() { t.src.Base = base }()
	t.src.Base = "."
	return t.src.Look(ctx, rel, false)
}

// list lists all names in a directory, in order.
func (t *tree) list(ctx context.Context, dir plan.File) ([]string, error) {
	f, err := t.w.Guard.Folder(dir.Handle.(guard.Entry))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.WithProtected()
	var names guard.Names
	if err := f.List(ctx, &names); err != nil {
		return nil, err
	}
	out := make([]string, len(names.List))
	for i, n := range names.List {
		out[i] = n.Name
	}
	slices.Sort(out)
	return out, nil
}

// check refuses the change if a name came into one of the directories since they were read, or left it.
func (t *tree) check(ctx context.Context) error {
	for _, d := range t.dirs {
		names, err := t.list(ctx, d.File)
		if errors.Is(err, fail.NotFound) || err == nil && !slices.Equal(names, d.names) {
			return t.changed(d.Rel)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) changed(dir string) error {
	return &fail.Error{Kind: fail.Stale, Path: dir, Msg: "something came into the directory, or left it, since it was read", Hint: "Nothing was changed. Look at the directory again."}
}

// data counts what is in the tree.
func (t *tree) data() *api.TreeData {
	return &api.TreeData{Files: len(t.files), Directories: len(t.dirs), SizeBytes: t.size}
}

// fill gives the request what is done with the directories. A nil tree changes none.
func (t *tree) fill(ctx context.Context, r *CommitRequest) {
	if t == nil {
		return
	}
	r.Check = func() error { return t.check(ctx) }
	for _, d := range slices.Backward(t.dirs) {
		top := t.w.Paths().ToTop(d.Rel)
		r.RemoveEmptyDirs = append(r.RemoveEmptyDirs, top)
		if len(d.names) == 0 {
			r.DirOps = append(r.DirOps, audit.Op{Operation: audit.OpRmdir, Path: top})
		}
	}
	if tell := caller.Progress(ctx); tell != nil {
		r.Progress = func(done, total int) { tell(done, total, t.root.Rel) }
	}
}

// planDelete plans to delete everything.
func (t *tree) planDelete(ctx context.Context) (*plan.Plan, error) {
	p := &plan.Plan{}
	shown := int64(0)
	for _, f := range t.files {
		s := plan.Step{Op: patch.Delete, Path: f.Rel, Writes: f.Rel, Source: f}
		var err error
		if f.Kind == plan.Regular && f.Size <= MaxShown && shown+f.Size <= maxShownTree {
			shown += f.Size
			s.Before, s.BeforeSum, err = t.src.Load(ctx, f)
		} else {
			s.BeforeSum, err = t.src.Sum(ctx, f)
		}
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, s)
	}
	return p, nil
}

// planMove plans to move everything to the path to, which is free.
func (t *tree) planMove(ctx context.Context, to plan.File) (*plan.Plan, error) {
	p := &plan.Plan{}
	for _, d := range t.dirs {
		if _, err := t.look(ctx, t.moved(d.Rel, to)); err != nil {
			return nil, err
		}
	}
	for _, f := range t.files {
		dest, err := t.look(ctx, t.moved(f.Rel, to))
		if err != nil {
			return nil, err
		}
		s := plan.Step{Op: patch.Move, Path: f.Rel, To: dest.Rel, Writes: dest.Rel, Source: f, Dest: dest}
		if s.BeforeSum, err = t.src.Sum(ctx, f); err != nil {
			return nil, err
		}
		s.AfterSum = s.BeforeSum
		p.Steps = append(p.Steps, s)
	}
	return p, nil
}

// moved returns the path that a path of the tree has when the tree is at to.
func (t *tree) moved(rel string, to plan.File) string {
	return to.Rel + strings.TrimPrefix(rel, t.root.Rel)
}

// checkOutside refuses to move a directory into itself. The directory that is to hold it is compared, since a name may have several spellings.
func (t *tree) checkOutside(to plan.File) error {
	place := to.Handle.(guard.Entry).Place
	for _, d := range t.dirs {
		if id := d.Handle.(guard.Entry).File; id.Dev == place.Dev && id.Ino == place.Ino {
			return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SamePath, Path: to.Rel, Msg: "it is inside of the directory that would be moved",
				Hint: "Name a destination outside of it. Nothing was changed."}
		}
	}
	return nil
}

// fillMove gives the request what is done with the directories of a tree that moves to the path to.
func (t *tree) fillMove(ctx context.Context, r *CommitRequest, to plan.File) {
	if t == nil {
		return
	}
	t.fill(ctx, r)
	r.DirModes = map[string]fs.FileMode{}
	for _, d := range t.dirs {
		top := t.w.Paths().ToTop(t.moved(d.Rel, to))
		r.MakeDirs = append(r.MakeDirs, top)
		r.DirModes[top] = source.ModeOf(d.File)
		if len(d.names) == 0 {
			r.DirOps = append(r.DirOps, audit.Op{Operation: audit.OpMkdir, Path: top, Mode: source.ModeOf(d.File)})
		}
	}
}

// describeTree words what a tree has, for the answer of a call.
func describeTree(d *api.TreeData) string {
	return fmt.Sprintf("%d files in %d directories, %d bytes", d.Files, d.Directories, d.SizeBytes)
}
