package landing

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/consent"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/overlay"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// Bounds of the diff that is stored with an entry.
const (
	maxDiffFile  = 1 << 20
	maxDiffTotal = 8 << 20
)

// landing is one layer on its way into the tree.
type landing struct {
	w     *workspace.Workspace
	layer *overlay.Layer
	rep   *api.RunReport
	rules *guard.Batch // judges paths of the workspace
	git   *guard.Batch // finds paths in .git, whose parts are judged here
	asked *guard.AskedPaths

	changes  []overlay.Change
	refused  fail.List
	tx       commit.Tx
	written  []guard.Entry    // what the layer has at paths of the workspace
	newDirs  []overlay.Change // new directories
	filled   map[string]bool  // directories in which the layer has something
	withFile map[string]bool  // of these, those with a file, with which they come to be
	emptied  map[string]bool  // directories in which the layer removes something
	leftOut  *leftOut
	counted  map[string]counted // by directory that ignore rules leave out
	diff     strings.Builder
}

// land judges what a layer has and commits it.
func land(ctx context.Context, w *workspace.Workspace, layer *overlay.Layer, rep *api.RunReport, dry bool) error {
	if err := layer.Usable(); err != nil {
		return &fail.Error{Kind: fail.CommandFailed, Msg: "what the command left cannot land: " + err.Error(), Hint: "The layer is kept. To see it, ‹run run --kept›."}
	}
	l := &landing{w: w, layer: layer, rep: rep, rules: w.Guard.NewBatch(), asked: caller.NewAskedPaths(ctx),
		filled: map[string]bool{}, withFile: map[string]bool{}, emptied: map[string]bool{}, counted: map[string]counted{}}
	defer l.rules.Close()
	top, err := guard.Open(w.TopGuard().RootPath(), guard.Options{AllowProtected: []string{".git", ".git/**"}})
	if err != nil {
		return err
	}
	defer top.Close()
	l.git = top.NewBatch()
	defer l.git.Close()
	if l.leftOut, err = newLeftOut(w, layer); err != nil {
		return err
	}
	defer l.leftOut.close()
	if l.changes, err = layer.ChangesWhole(l.leftOut.oneChange()); err != nil {
		return workspace.StoreError(err)
	}
	if err := l.judge(ctx); err != nil {
		return err
	}
	if dry || len(l.tx.Changes) == 0 && len(l.tx.RemoveDirs) == 0 && len(l.newDirs) == 0 {
		return nil
	}
	asked, err := consent.Ask(ctx, w, l.asked.List(), l.diff.String(), consent.NewDigest(nil))
	if err != nil {
		return err
	}
	return l.commit(ctx, asked)
}

// judge makes the transaction of the layer, and refuses all of it if one path is refused.
func (l *landing) judge(ctx context.Context) error {
	if err := l.moved(); err != nil {
		return err
	}
	for _, c := range l.changes {
		if c.Kind == overlay.Deleted {
			l.emptied[path.Dir(c.Path)] = true
			continue
		}
		for p := path.Dir(c.Path); p != "."; p = path.Dir(p) {
			l.filled[p] = true
			l.withFile[p] = l.withFile[p] || c.Kind != overlay.Dir || c.Inside != nil
		}
	}
	for _, c := range l.changes {
		if ctx.Err() != nil {
			return caller.Cancelled(ctx)
		}
		if err := l.add(c); err != nil {
			l.refused = append(l.refused, fail.All(err)...)
		}
	}
	if len(l.refused) == 0 {
		l.refused = fail.All(l.repositories())
	}
	return refusals(l.refused)
}

// repositories refuses a layer that makes a directory a repository, since git would run what its settings name.
func (l *landing) repositories() error {
	return l.w.Guard.CheckRepositories(slices.Values(l.written))
}

// moved refuses a layer if somebody else changed what it changes. It is asked again when the commit holds the lock and no writer has
// a file open: a save that was under way before may have cut a file off without a new time of change.
func (l *landing) moved() error {
	moved, err := l.layer.Moved(l.changes)
	if err != nil {
		return workspace.StoreError(err)
	}
	var all fail.List
	for _, m := range moved {
		all = append(all, stale(m.Path, m.Why))
	}
	return refusals(append(all, l.gitLocks()...))
}

// gitLocks refuses changes of .git that a git of somebody else is about to make too: it has a lock file beside each file that it writes.
func (l *landing) gitLocks() (all fail.List) {
	for _, c := range l.changes {
		if !isGit(c.Path) || c.Kind == overlay.Dir || strings.HasSuffix(c.Path, ".lock") || strings.HasPrefix(c.Path, ".git/objects/") {
			continue
		}
		dir, err := l.w.TopGuard().OpenDir(path.Dir(c.Path))
		if err != nil {
			continue // it is made with the file
		}
		if _, err := dir.Stat(path.Base(c.Path) + ".lock"); err == nil {
			all = append(all, &fail.Error{Kind: fail.Stale, Path: c.Path, Msg: "somebody else's git has it locked: there is " + c.Path + ".lock",
				Hint: "Nothing landed. When that git has ended, ‹run run --land›. If none runs, remove the lock file first."})
		}
		dir.Close()
	}
	return all
}

// add adds one change to the transaction.
func (l *landing) add(c overlay.Change) error {
	inGit := isGit(c.Path)
	e, err := l.resolve(c.Path, inGit)
	if err != nil {
		return err
	}
	if !inGit && c.Kind != overlay.Deleted {
		l.written = append(l.written, e)
	}
	switch {
	case c.Inside != nil || c.OldInside != nil:
		return l.addWholeDir(c, e)
	case c.Kind == overlay.Special || c.Old != nil && c.Old.Mode.Type()&^(fs.ModeDir|fs.ModeSymlink) != 0 && c.Kind != overlay.Dir:
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: c.Path, Msg: "is a FIFO, a socket or a device, which cannot land",
			Hint: "To have it all the same, ‹run run --mode witness›."}
	case c.Kind == overlay.Dir && c.Old == nil:
		l.newDirs = append(l.newDirs, c)
		if !inGit && !l.filled[c.Path] {
			l.note(audit.OpMkdir, c, "")
		}
		return nil
	case c.Kind == overlay.Dir && c.Old != nil && !c.Old.Mode.IsDir():
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: c.Path, Msg: "a directory takes the place of a file, which cannot land at once",
			Hint: "To have it all the same, ‹run run --mode witness›."}
	case c.Kind == overlay.Dir:
		if c.Old.Mode != c.New.Mode {
			l.rep.Notes = append(l.rep.Notes, fmt.Sprintf("%s: the permissions of a directory that was there do not land: %v instead of %v.", report.OneLine(c.Path), c.Old.Mode.Perm(), c.New.Mode.Perm()))
		}
		return nil
	case c.Kind == overlay.Deleted && c.Old != nil && c.Old.Mode.IsDir():
		l.tx.RemoveDirs = append(l.tx.RemoveDirs, c.Path)
		if !inGit && !l.emptied[c.Path] {
			l.note(audit.OpRmdir, c, "")
		}
		return nil
	case c.Old != nil && c.Old.Mode.IsDir():
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.SpecialFile, Path: c.Path, Msg: "a file takes the place of a directory, which cannot land at once",
			Hint: "To have it all the same, ‹run run --mode witness›."}
	}
	out := commit.Change{Path: c.Path, Missing: strings.Count(e.Place.Name, "/"), Parent: vfs.ID{Dev: e.Place.Dev, Ino: e.Place.Ino}}
	if c.Old != nil {
		out.Old = &commit.Old{Info: *c.Old, Link: e.Target}
		if c.Old.Mode.IsRegular() {
			if out.Old.Sum, err = l.layer.OldSum(c); err != nil {
				return stale(c.Path, err.Error())
			}
		}
		out.Discard = l.isLeftOut(c.Path)
		if c.Old.Links > 1 && c.Kind != overlay.Deleted && !out.Discard {
			l.rep.Notes = append(l.rep.Notes, fmt.Sprintf("%s: it was one of %d hard links; the others keep the old content.", report.OneLine(c.Path), c.Old.Links))
		}
	}
	sum := ""
	if c.Kind != overlay.Deleted {
		info := c.New
		out.New = &commit.New{From: -1, File: c.Path, FileInfo: &info}
		if c.Kind == overlay.File {
			if sum, err = l.layer.NewSum(c); errors.Is(err, fs.ErrPermission) {
				return &fail.Error{Kind: fail.CommandFailed, Path: c.Path, Msg: "its owner may not read it, so nobody can say what would land", Cause: err,
					Hint: "Nothing landed. Let the command leave it readable."}
			} else if err != nil {
				return workspace.StoreError(err)
			}
			out.New.Sum = sum
		} else {
			sum = text.Sum(c.Target)
		}
	}
	l.tx.Changes = append(l.tx.Changes, out)
	if inGit {
		l.rep.Inside++
		return nil
	}
	l.note(operation(c), c, sum)
	return nil
}

// resolve judges a path by the rules, and says where it leads.
func (l *landing) resolve(p string, inGit bool) (guard.Entry, error) {
	if inGit {
		if why := gitPartProtected(p); why != "" {
			return guard.Entry{}, &fail.Error{Kind: fail.PermissionDenied, Path: p, Msg: "the command changed it, and it is protected: " + why,
				Hint: "Nothing landed. A person can change it without emend, or ‹run run --mode witness›."}
		}
		return l.git.Resolve(p, guard.Request{Known: true, Write: true})
	}
	rel, ok := l.w.Paths().FromTop(p)
	if !ok {
		return guard.Entry{}, &fail.Error{Kind: fail.OutsideWorkspace, Path: p, Msg: "the command changed it, and it is outside of the workspace",
			Hint: "Run the command from a workspace that has the path inside."}
	}
	return l.rules.Resolve(rel, guard.Request{Known: true, Write: true, Asked: l.asked, Generated: l.generated(p)})
}

// isGit reports whether a path is in the repository of the tree.
func isGit(p string) bool { return strings.HasPrefix(p, ".git/") }

// gitPartProtected says why a part of .git does not land; "" for what git's commands write all the time.
func gitPartProtected(p string) string {
	first, rest, _ := strings.Cut(strings.TrimPrefix(p, ".git/"), "/")
	switch first {
	case "hooks":
		return "git runs what is in hooks"
	case "config", "config.worktree":
		return "git runs programs that its configuration names"
	case "info":
		if rest == "refs" || strings.HasPrefix(rest, "refs_") { // lists branches for servers of files; gc writes it
			return ""
		}
		return "it decides what git takes for the repository"
	case "commondir", "gitdir", "modules", "worktrees", "emend":
		return "it decides what git takes for the repository"
	}
	return ""
}

func operation(c overlay.Change) string {
	switch {
	case c.Kind == overlay.Deleted:
		return patch.Delete.String()
	case c.Old == nil:
		return patch.Add.String()
	}
	return patch.Update.String()
}

// note notes a change for the log and the report, with its diff.
func (l *landing) note(operation string, c overlay.Change, sum string) {
	if l.count(operation, c) {
		return
	}
	op := audit.Op{Operation: operation, Path: c.Path, After: sum, Mode: c.New.Mode, Size: c.New.Size}
	isDir := operation == audit.OpMkdir || operation == audit.OpRmdir
	if n := len(l.tx.Changes); n > 0 && !isDir && l.tx.Changes[n-1].Old != nil {
		op.Before = l.tx.Changes[n-1].Old.Sum
	}
	l.tx.Record.Ops = append(l.tx.Record.Ops, op)
	f := api.RanFile{Operation: operation, Path: c.Path}
	if f.Diff = l.diffOf(operation, c); l.diff.Len()+len(f.Diff) > maxDiffTotal {
		f.Diff = ""
	}
	l.diff.WriteString(f.Diff)
	l.rep.Files = append(l.rep.Files, f)
}

// diffOf returns the diff of a file, "" if it is not shown.
func (l *landing) diffOf(operation string, c overlay.Change) string {
	before, after := "", ""
	if c.Old != nil {
		if !c.Old.Mode.IsRegular() || c.Old.Size > maxDiffFile {
			return ""
		}
		dir, err := l.w.TopGuard().OpenDir(path.Dir(c.Path))
		if err != nil {
			return ""
		}
		defer dir.Close()
		f, err := dir.Open(path.Base(c.Path))
		if err != nil {
			return ""
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, maxDiffFile))
		if err != nil {
			return ""
		}
		before = string(b)
	}
	if c.Kind == overlay.File {
		if c.New.Size > maxDiffFile {
			return ""
		}
		b, err := os.ReadFile(l.layer.Path(c))
		if err != nil {
			return ""
		}
		after = string(b)
	} else if c.Kind != overlay.Deleted {
		return ""
	}
	return report.DiffOfTexts(operation, c.Path, before, after)
}

// layerTree opens directories of the layer.
type layerTree struct{ g *guard.Guard }

func (t layerTree) OpenDir(p string) (vfs.Dir, error) { return t.g.OpenDir(p) }

// commit lands the transaction.
func (l *landing) commit(ctx context.Context, asked *consent.Result) error {
	store, err := l.w.OpenOrMakeStore()
	if err != nil {
		return err
	}
	if err := l.layer.Unmark(l.changes); err != nil {
		return workspace.StoreError(err)
	}
	upper, err := guard.Open(l.layer.Path(overlay.Change{}), guard.Options{})
	if err != nil {
		return err
	}
	defer upper.Close()
	slices.Reverse(l.tx.RemoveDirs) // the deepest first
	l.tx.Files = layerTree{upper}
	l.tx.Check = func() error {
		if !store.LinksOldFiles() { // which is a change of their own
			if err := l.moved(); err != nil {
				return err
			}
		}
		return l.repositories()
	}
	l.tx.Record.Kind, l.tx.Record.Actor, l.tx.Record.PolicyHash = audit.Commit, l.w.Actor(ctx), l.w.Guard.PolicyHash()
	l.tx.Record.Idem = keyOf(l.layer)
	l.tx.Record.Message = caller.ForLog(fmt.Sprintf("ran: %s (exit code %d, %s)", strings.Join(l.layer.Args, " "), l.rep.Exit, l.rep.Duration))
	if asked != nil {
		l.tx.Record.Asked = asked.Asked
		l.markUnasked(asked.Unasked)
	}
	l.tx.Texts = func(*commit.Done) (diff, answer string) { return l.diff.String(), "" }
	l.tx.Progress = func(done, total int) {
		if tell := caller.Progress(ctx); tell != nil {
			tell(done, total, "landing")
		}
	}
	l.planDirs()
	d, err := store.Run(ctx, l.tx)
	if e, ok := err.(*fail.Error); ok && e.Kind == fail.Stale && e.Hint != staleHint { // worded for a patch
		return stale(e.Path, "somebody changed it while the command ran")
	}
	if err != nil {
		return err
	}
	l.rep.Entry = d.Tx
	l.rep.Notes = append(l.rep.Notes, d.Notes...)
	l.closeDirs()
	if l.rep.Inside > 0 {
		l.rep.Notes = append(l.rep.Notes, fmt.Sprintf("%d files of .git landed with it; undo restores files of the work tree, not commits.", l.rep.Inside))
	}
	return nil
}

// markUnasked notes in the log which paths a person would have been asked about, had there been one.
func (l *landing) markUnasked(about []api.AskedPath) {
	for _, a := range about {
		p := l.w.Paths().ToTop(a.Path)
		if i := slices.IndexFunc(l.tx.Record.Ops, func(op audit.Op) bool {
			_, counts := l.counted[op.Path]
			return op.Path == p || counts && strings.HasPrefix(p, op.Path+"/")
		}); i >= 0 {
			l.tx.Record.Ops[i].Unasked = a.Rule
		}
	}
}

// planDirs has the transaction make the new directories, with the permissions that they have in the layer. While files come into one, its
// owner can do so.
func (l *landing) planDirs() {
	l.tx.DirModes = map[string]fs.FileMode{}
	for _, c := range l.newDirs {
		if !l.withFile[c.Path] {
			l.tx.MakeDirs = append(l.tx.MakeDirs, c.Path)
		}
		l.tx.DirModes[c.Path] = c.New.Mode&^fs.ModeType | ownerEnters
	}
}

const ownerEnters = 0o700

// closeDirs takes from the owner of new directories what the layer does not give them. It is not part of the transaction.
func (l *landing) closeDirs() {
	for _, c := range slices.Backward(l.newDirs) { // the deepest first
		if c.New.Mode&ownerEnters == ownerEnters {
			continue
		}
		if err := l.chmod(c); err != nil {
			l.rep.Notes = append(l.rep.Notes, fmt.Sprintf("%s: the directory did not get the permissions %v: %v.", report.OneLine(c.Path), c.New.Mode.Perm(), err))
		}
	}
}

// chmod gives a new directory the permissions that it has in the layer.
func (l *landing) chmod(c overlay.Change) error {
	dir, err := l.w.TopGuard().OpenDir(c.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if is, err := dir.Stat("."); err != nil || is.Mode == c.New.Mode {
		return err
	}
	return dir.Chmod(c.New.Mode &^ fs.ModeType)
}
