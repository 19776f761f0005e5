package landing

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/find"
	"github.com/emend-dev/emend/internal/gitobjects"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/overlay"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
	"github.com/emend-dev/emend/patch"
)

// What ignore rules leave out, such as node_modules and build outputs, is made by programs and can be made again. It lands like everything
// else, judged path by path, but it is counted in the log and not listed, and what it displaces is not kept. A directory that is new,
// replaced or gone is one change.
//
// The rules are those of the tree, from before the command: a command cannot hide what it did by ignoring it. A directory with a file
// that git tracks is not left out.

// leftOut finds the directories that ignore rules leave out.
type leftOut struct {
	rules *find.Rules
	whole bool // directories can be one change here
	root  string
	repo  *gitobjects.Repo
	index *gitobjects.Index
	asked bool // whether the index was read
	known map[string]string
}

func newLeftOut(w *workspace.Workspace, layer *overlay.Layer) (*leftOut, error) {
	if _, err := os.Stat(filepath.Join(layer.Dir, keepIgnoredName)); err == nil {
		return &leftOut{known: map[string]string{}}, nil
	}
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	return &leftOut{rules: find.NewRules(w.TopGuard(), find.Options{Excludes: find.GlobalExcludes()}), whole: store.MovesDirs(),
		root: w.TopGuard().RootPath(), known: map[string]string{}}, nil
}

func (o *leftOut) close() {
	if o.repo != nil {
		o.repo.Close()
	}
}

// oneChange returns which directories are one change with all that is in them, nil for none.
func (o *leftOut) oneChange() func(p string) bool {
	if !o.whole {
		return nil
	}
	return func(p string) bool { return o.top(p) != "" }
}

// top returns the directory that is left out and has p, or is p; "" if there is none. p is a directory.
func (o *leftOut) top(p string) string {
	if p == "." || isGit(p) || o.rules == nil {
		return ""
	}
	if top, ok := o.known[p]; ok {
		return top
	}
	top := o.top(path.Dir(p))
	if name := path.Base(p); top == "" && name != ".git" && name != ".emend" && o.rules.LeavesOut(p) && !o.tracks(p) {
		top = p
	}
	o.known[p] = top
	return top
}

// tracks reports whether git tracks a file in a directory.
func (o *leftOut) tracks(dir string) bool {
	if !o.asked {
		o.asked = true
		if repo, err := gitobjects.Open(o.root); err == nil {
			o.repo = repo
			o.index, _ = repo.Index()
		}
	}
	if o.index == nil {
		return o.repo != nil // nobody can say
	}
	i, _ := slices.BinarySearchFunc(o.index.Entries, dir+"/", func(e gitobjects.Entry, p string) int { return strings.Compare(e.Path, p) })
	return i < len(o.index.Entries) && strings.HasPrefix(o.index.Entries[i].Path, dir+"/")
}

// counted says where a directory that is left out is counted.
type counted struct{ op, file int }

// isLeftOut reports whether a file is in a directory that is left out.
func (l *landing) isLeftOut(p string) bool { return l.leftOut.top(path.Dir(p)) != "" }

// generated returns the directory that is left out and has p, from the workspace; "" if there is none.
func (l *landing) generated(p string) string {
	rel, _ := l.w.Paths().FromTop(l.leftOut.top(path.Dir(p)))
	return rel
}

// count counts a change in a directory that is left out, and reports whether it is in one.
func (l *landing) count(operation string, c overlay.Change) bool {
	top := l.leftOut.top(path.Dir(c.Path))
	if top == "" {
		return false
	}
	n := 1
	if operation == audit.OpMkdir || operation == audit.OpRmdir {
		n = 0
	}
	l.addCount(top, patch.Update.String(), n, c.New.Size)
	return true
}

// changedInPlace says what an undo leaves of a directory that is left out and that was there before.
const changedInPlace = "ignore rules leave it out, so what it was before is not kept, and an undo leaves it as it is"

// addCount adds to the operation of a directory that is left out.
func (l *landing) addCount(top, operation string, files int, bytes int64) *audit.Op {
	at, ok := l.counted[top]
	if !ok {
		at = counted{len(l.tx.Record.Ops), len(l.rep.Files)}
		l.counted[top] = at
		l.tx.Record.Ops = append(l.tx.Record.Ops, audit.Op{Operation: operation, Path: top, Mode: fs.ModeDir})
		l.rep.Files = append(l.rep.Files, api.RanFile{Operation: operation, Path: top})
		if operation != patch.Add.String() {
			l.tx.Record.Ops[at.op].NoUndo = changedInPlace
		}
	}
	op, f := &l.tx.Record.Ops[at.op], &l.rep.Files[at.file]
	op.Files, op.Size = op.Files+files, op.Size+bytes
	f.Files, f.Bytes = op.Files, op.Size
	return op
}

// addWholeDir adds a directory that is one change.
func (l *landing) addWholeDir(c overlay.Change, e guard.Entry) error {
	var refused fail.List
	refused = append(refused, l.judgeInside(c.Inside, true)...)
	refused = append(refused, l.judgeInside(c.OldInside, false)...)
	if len(refused) > 0 {
		return refused
	}
	out := commit.Change{Path: c.Path, Missing: strings.Count(e.Place.Name, "/"), Parent: vfs.ID{Dev: e.Place.Dev, Ino: e.Place.Ino}}
	operation, in := patch.Update.String(), c.Inside
	if c.OldInside != nil {
		out.Old = &commit.Old{Info: *c.Old, Sum: c.OldInside.Sum}
	} else {
		operation = patch.Add.String()
	}
	if c.Inside != nil {
		info := c.New
		at := path.Join(runsName, path.Base(l.layer.Dir), strings.TrimPrefix(l.layer.Path(c), l.layer.Dir))
		out.New = &commit.New{From: -1, Dir: at, Sum: c.Inside.Sum, FileInfo: &info}
	} else {
		operation, in = patch.Delete.String(), c.OldInside
	}
	l.tx.Changes = append(l.tx.Changes, out)
	top := l.leftOut.top(c.Path)
	if top != c.Path {
		operation = patch.Update.String()
	}
	if op := l.addCount(top, operation, in.Files, in.Bytes); top == c.Path {
		if out.Old != nil {
			op.Before = out.Old.Sum
		}
		if out.New != nil {
			op.After = out.New.Sum
		}
	}
	return nil
}

// judgeInside judges every path in a directory that comes, or goes, whole.
func (l *landing) judgeInside(in *overlay.Inside, comes bool) (refused fail.List) {
	if in == nil {
		return nil
	}
	entries := make([]guard.Entry, 0, len(in.Paths))
	for _, p := range in.Paths {
		rel, ok := l.w.Paths().FromTop(p)
		if !ok {
			continue // the directory was refused
		}
		if err := l.w.Guard.CheckGenerated(rel, guard.Request{Asked: l.asked, Generated: l.generated(p)}); err != nil {
			refused = append(refused, fail.All(err)...)
		}
		entries = append(entries, guard.Entry{Rel: rel})
	}
	if comes {
		l.written = append(l.written, entries...)
		return refused
	}
	if err := l.w.Guard.CheckRepositories(slices.Values(entries)); err != nil {
		all := fail.All(err)
		refused = append(refused, &fail.Error{Kind: fail.PermissionDenied, Path: all[0].Path, Msg: "a repository would go with the directory",
			Hint: "Nothing landed. A person can remove it without emend."})
	}
	return refused
}
