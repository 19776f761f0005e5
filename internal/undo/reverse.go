package undo

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/workspace"
)

// reversal works out the tree without the changes that are undone. It takes them back one by one, the newest first, in
// goals; plan then makes the steps that lead from the present files there.
type reversal struct {
	w        *workspace.Workspace
	src      *source.Reader
	chooser  *chooser // nil when a version is put back
	hist     *history.History
	base     string                  // the directory that the caller's paths are relative to
	pieces   []api.UndoPiece         // what to take back of the changes; nil for all
	skip     bool                    // what conflicts stays, and is no refusal
	undoes   []string                // the transactions that are undone, with which nothing of them stays in effect
	parts    []audit.Part            // what is undone of others
	stays    fail.List               // what conflicts, with skip
	dirs     map[string]bool         // by path from the top, the directories that they removed (true) or made (false)
	dirModes map[string]fs.FileMode  // the permissions of directories that they removed
	above    map[string]*guard.Entry // by directory, see blocks
	whole    []wholeDir              // the directories that they put there with all that is in them, to be taken away
	refusals fail.List
	notes    []string // what is not taken back, and why

	paths    []string             // in the order in which they were met
	present  map[string]plan.File // by path: the file now
	goals    map[string]fileState // by path: the file afterwards
	returned map[string]fileState // by slot: the file that an undone change had brought back from that slot

	files   map[string]map[string]*changedFile // by transaction that this call takes back, and by path
	diffsOf string                             // the transaction whose diffs were read last
	diffs   []string
}

// fileState describes the file that a path has afterwards.
type fileState struct {
	exists bool
	at     string // the path that has this file now; "" when it comes from the history
	slot   string // the slot that keeps it
	sum    string
	mode   fs.FileMode
	size   int64
	link   string
	ino    uint64
	copy   bool // the slot keeps it for another path: it is copied, and the slot stays
	edited bool // it gets text, because only a part of it is taken back or only its text is
	text   string
}

// matches reports whether s has the content that a change found, or left, at a path.
func (s fileState) matches(i *audit.Ident) bool {
	return i != nil && s.exists && s.sum == i.Sum && (s.link != "") == i.Link
}

// maxMerge limits the size of files in which an undo keeps later edits.
const maxMerge = 64 << 20

func newReversal(w *workspace.Workspace, src *source.Reader, chooser *chooser, hist *history.History) *reversal {
	return &reversal{w: w, src: src, chooser: chooser, hist: hist,
		present: map[string]plan.File{}, above: map[string]*guard.Entry{}, dirs: map[string]bool{}, dirModes: map[string]fs.FileMode{}, goals: map[string]fileState{}, returned: map[string]fileState{},
		files: map[string]map[string]*changedFile{}}
}

// fromTop turns a path of the log into one below the workspace's root.
func (u *reversal) fromTop(p string) (string, error) {
	rel, ok := u.w.Paths().FromTop(p)
	if !ok {
		return "", &fail.Error{Kind: fail.OutsideWorkspace, Path: p, Msg: "the change also touched this path, which is outside of the workspace",
			Hint: "Undo it from a workspace that has the path inside."}
	}
	return rel, nil
}

// goalOf returns the goal of a path of the log: the present file, until a change that touched the path is taken back.
func (u *reversal) goalOf(ctx context.Context, p string) (fileState, error) {
	if o, ok := u.goals[p]; ok {
		return o, nil
	}
	rel, err := u.fromTop(p)
	if err != nil {
		return fileState{}, err
	}
	if err := u.w.Guard.CheckReadAsking(rel, u.src.Asked); err != nil {
		return fileState{}, err
	}
	f, err := u.src.Look(ctx, rel, false)
	if err != nil {
		return fileState{}, err
	}
	o := fileState{exists: f.Kind != plan.Missing, at: p, mode: source.ModeOf(f), size: f.Size, link: f.Target, ino: f.Handle.(guard.Entry).File.Ino}
	switch f.Kind {
	case plan.Regular, plan.Link:
		o.sum, err = u.src.Sum(ctx, f)
	case plan.Directory, plan.Special:
		o.sum = "" // matches nothing that a change left
	}
	u.paths = append(u.paths, p)
	u.present[p], u.goals[p] = f, o
	return o, err
}

// reverseRecord takes one change back, or the pieces of it that are asked for. It collects refusals and goes on; it returns only the
// errors that end the call. only says that the call takes back no other change: the pieces must be of this one.
func (u *reversal) reverseRecord(ctx context.Context, r *audit.Record, only bool) error {
	files, byPath := filesOf(r)
	if any, err := u.chooseFiles(r, files, byPath, only); err != nil || !any {
		return err
	}
	u.files[r.Tx] = byPath
	inGit := false
	for _, op := range r.Ops {
		if op.NoUndo != "" && op.Operation != audit.OpRmdir && byPath[op.Path].chosen { // older entries say so of empty directories
			u.notes = append(u.notes, report.OneLine(u.displayPath(op.Path))+": "+op.NoUndo+".")
		}
	}
	done := map[*changedFile]bool{}
	for _, a := range slices.Backward(r.Acts) {
		f := fileOf(byPath, &a)
		var err error
		switch {
		case strings.HasPrefix(a.Path, ".git/"): // a command that landed changed it
			if !inGit && len(u.pieces) == 0 {
				u.notes = append(u.notes, "What "+r.Tx+" did in .git stays: undo restores files of the work tree, not commits.")
			}
			inGit = true
		case f == nil && u.concerns(files, &a):
			err = u.reverseStep(ctx, r, &a, &changedFile{})
		case f != nil && f.chosen && !done[f]:
			done[f] = true
			err = u.reverseFile(ctx, r, f)
		}
		if err != nil {
			return err
		}
	}
	u.note(r, files)
	return nil
}

// concerns reports whether a step that is about no file has to be taken back: always, unless only pieces are asked for and the step made or
// removed a directory that is above none of them.
func (u *reversal) concerns(files []*changedFile, a *audit.Act) bool {
	return len(u.pieces) == 0 || slices.ContainsFunc(files, func(f *changedFile) bool { return f.chosen && f.within(a.Path) })
}

// reverseStep takes one step back, as reverseAct does, unless nothing can be done about it. It collects refusals; it returns only the
// errors that end the call.
func (u *reversal) reverseStep(ctx context.Context, r *audit.Record, a *audit.Act, f *changedFile) error {
	switch {
	case a.Gone && r.Seen != nil || inLeftOut(r, a.Path):
		return nil
	case r.Seen != nil && a.New != nil && a.New.Sum == "": // nobody can say whether it is as the change left it
		return nil
	case a.Gone:
		u.refuse(fail.NotFound, a.Path, "it was deleted permanently", "It cannot be undone. Name another entry; ‹history› lists them.")
		return nil
	}
	err := u.reverseAct(ctx, r, a, f)
	if err == nil {
		return nil
	}
	list := fail.All(err)
	if list[0].Reason == fail.Cancelled || list[0].Kind == fail.Timeout {
		return err
	}
	u.refusals = append(u.refusals, list...)
	return nil
}

// reverseAct takes one step of a change back.
func (u *reversal) reverseAct(ctx context.Context, r *audit.Record, a *audit.Act, f *changedFile) error {
	if a.Do == audit.DoMkdir {
		if u.w.Paths().Inside(a.Path) { // never the root itself, nor what is above it
			u.dirs[a.Path] = false
		}
		return nil
	}
	if a.Do == audit.DoRmdir {
		return u.reverseRmdir(ctx, a)
	}
	if a.Do == audit.DoPutDir {
		return u.reversePutDir(a)
	}
	if u.refuseTurned(r, a) {
		return nil
	}
	if by := u.blocks(u.displayPath(a.Path)); by != nil {
		return u.reverseBlocked(ctx, r, a, by, f)
	}
	return u.reverseFound(ctx, r, a, f)
}

// reverseFound takes a step back that is about the file at its path.
func (u *reversal) reverseFound(ctx context.Context, r *audit.Record, a *audit.Act, f *changedFile) error {
	o, err := u.goalOf(ctx, a.Path)
	if err != nil {
		return err
	}
	switch a.Do {
	case audit.DoPut:
		return u.reversePut(r, a, o)
	case audit.DoSwap:
		return u.reverseSwap(ctx, r, a, o, f)
	case audit.DoTake:
		return u.reverseTake(r, a, o)
	case audit.DoMove:
		return u.reverseMove(ctx, r, a, o)
	}
	return nil
}

// reverseRmdir makes a directory again. What was in it comes back by itself.
func (u *reversal) reverseRmdir(ctx context.Context, a *audit.Act) error {
	if !u.w.Paths().Inside(a.Path) {
		return nil
	}
	rel, err := u.fromTop(a.Path)
	if err != nil {
		return err
	}
	if by := u.blocks(path.Join(rel, "x")); by != nil { // the directory itself, or one above it
		u.refuseBlocked(a.Path, by)
		return nil
	}
	u.dirs[a.Path], u.dirModes[a.Path] = true, a.Mode
	return nil
}

// refuseTurned refuses to turn a directory, or a special file, back into a file: one commit cannot do that.
func (u *reversal) refuseTurned(r *audit.Record, a *audit.Act) bool {
	if r.Seen == nil || a.Do != audit.DoTake {
		return false
	}
	made := func(p string, kind ...audit.Do) bool {
		return slices.ContainsFunc(r.Acts, func(b audit.Act) bool {
			return slices.Contains(kind, b.Do) && (b.Path == p && b.Do != audit.DoMove || b.To == p)
		})
	}
	if present, err := u.w.Guard.Resolve(u.displayPath(a.Path), guard.Request{}); made(a.Path, audit.DoMkdir) && err == nil && present.Kind == guard.Directory {
		u.refuse(fail.Stale, a.Path, "the change put a directory in the place of the file, and one undo cannot turn that back",
			"Move the directory away, and undo the entry again.")
		return true
	}
	if slices.ContainsFunc(r.Ops, func(o audit.Op) bool { return o.Path == a.Path && o.Mode.Type()&^(fs.ModeSymlink|fs.ModeDir) != 0 }) {
		if present, err := u.w.Guard.Resolve(u.displayPath(a.Path), guard.Request{}); err == nil && present.Kind == guard.Special {
			u.refuse(fail.Stale, a.Path, "the change put a special file in the place of the file, and an undo does not touch that", "Move it away, and undo the entry again.")
			return true
		}
	}
	return false
}

// blocks returns what stands in the place of a directory above a path of the workspace: a file, a link, a special file. The log names
// paths without links, so it was put there since.
func (u *reversal) blocks(rel string) *guard.Entry {
	dir := path.Dir(rel)
	if dir == "." {
		return nil
	}
	if known, ok := u.above[dir]; ok {
		return known
	}
	found := u.blocks(dir)
	if found == nil {
		if e, err := u.w.Guard.Resolve(dir, guard.Request{}); err == nil && e.Kind != guard.Missing && e.Kind != guard.Directory {
			found = &e
		}
	}
	u.above[dir] = found
	return found
}

// reverseBlocked takes a step back whose path leads through what blocks returned. What it made there is gone, unless its directory was moved and
// a link put in its place: then it is the same file.
func (u *reversal) reverseBlocked(ctx context.Context, r *audit.Record, a *audit.Act, by *guard.Entry, f *changedFile) error {
	if by.Kind == guard.Symlink && (a.Do == audit.DoPut || a.Do == audit.DoSwap) {
		if e, err := u.w.Guard.Resolve(u.displayPath(a.Path), guard.Request{}); err == nil && e.Kind != guard.Missing && e.File.Ino == a.New.Ino {
			return u.reverseFound(ctx, r, a, f)
		}
	}
	if a.Do != audit.DoPut {
		u.refuseBlocked(a.Path, by)
	}
	return nil
}

func (u *reversal) refuseBlocked(p string, by *guard.Entry) {
	what := map[guard.Kind]string{guard.Regular: "a file", guard.Symlink: "a link", guard.Special: "a special file"}[by.Kind]
	where := "the directory"
	if by.Rel != u.displayPath(p) {
		where += " " + fail.Quote(by.Rel)
	}
	u.refuse(fail.Stale, p, what+" is in the place of "+where+", and an undo does not turn that back", "Move "+by.Rel+" away, and undo the entry again.")
}

func (u *reversal) reversePut(r *audit.Record, a *audit.Act, o fileState) error {
	switch {
	case !o.exists && u.didLater(r, a.Path, audit.DoMove):
		u.conflict(r, a.Path, "it was moved since")
	case !o.exists: // deleted already
	case !o.matches(a.New):
		u.conflict(r, a.Path, u.since(a.Path, a.New, "it was changed since"))
	case u.didLater(r, a.Path, audit.DoPut, audit.DoTake, audit.DoMove):
		u.conflict(r, a.Path, "somebody made it anew since")
	default:
		u.noteReturned(a, o)
		u.goals[a.Path] = fileState{}
	}
	return nil
}

// noteReturned notes that o goes back to the slot from which the change had brought it.
func (u *reversal) noteReturned(a *audit.Act, o fileState) {
	if a.From != "" {
		u.returned[a.From] = o
	}
}

func (u *reversal) reverseSwap(ctx context.Context, r *audit.Record, a *audit.Act, o fileState, f *changedFile) error {
	switch {
	case !o.exists:
		u.conflict(r, a.Path, "it was deleted or moved since")
		return nil
	case o.matches(a.Old) && (!o.matches(a.New) || o.ino == a.Old.Ino):
		return nil // restored already; if both versions have the same text, the inode tells
	case !o.matches(a.New) || f.partly():
		return u.reverseWithin(ctx, r, a, o, f)
	}
	old, ok := u.findKept(r, a)
	if !ok {
		u.refuseNotKept(r, a)
		return nil
	}
	leftMode := cmp.Or(a.New.Mode, old.mode)
	if o.mode.IsRegular() && old.mode.IsRegular() && o.mode != leftMode && o.mode != a.New.Mode { // 0 may be what older versions did not note, or what the file has
		// Its permissions were changed since: they stay.
		return u.restoreText(ctx, a, o, old)
	}
	u.noteReturned(a, o)
	u.goals[a.Path] = old
	return nil
}

// restoreText gives the file at a path the text of old, and keeps its permissions.
func (u *reversal) restoreText(ctx context.Context, a *audit.Act, o, old fileState) error {
	content, err := u.text(ctx, a.Path, old)
	if err != nil {
		return err
	}
	o.edited, o.text, o.sum = true, content, a.Old.Sum
	u.goals[a.Path] = o
	return nil
}

func (u *reversal) reverseTake(r *audit.Record, a *audit.Act, o fileState) error {
	if o.exists {
		if !o.matches(a.Old) {
			u.conflict(r, a.Path, u.since(a.Path, a.Old, "something else is there since"))
		}
		return nil
	}
	old, ok := u.findKept(r, a)
	if !ok {
		u.refuseNotKept(r, a)
		return nil
	}
	u.goals[a.Path] = old
	return nil
}

func (u *reversal) reverseMove(ctx context.Context, r *audit.Record, a *audit.Act, from fileState) error {
	if by := u.blocks(u.displayPath(a.To)); by != nil {
		u.refuseBlocked(a.To, by)
		return nil
	}
	to, err := u.goalOf(ctx, a.To)
	if err != nil {
		return err
	}
	switch {
	case !to.exists && from.matches(a.Old): // moved back already
	case !to.exists:
		u.conflict(r, a.To, "it was deleted or moved on since")
	case from.exists:
		u.conflict(r, a.Path, "something else is there since")
	case u.didLater(r, a.To, audit.DoPut, audit.DoTake, audit.DoMove) || !u.isMovedFile(r, a, to):
		u.conflict(r, a.To, "something else is there since")
	default:
		u.goals[a.Path], u.goals[a.To] = to, fileState{} // with the edits since
	}
	return nil
}

// didLater reports whether a later change in effect, which this call does not undo, did one of these to a path.
func (u *reversal) didLater(r *audit.Record, p string, does ...audit.Do) bool {
	for later := range u.chooser.changesSince(r, p) {
		if !u.reverses(later, p) && slices.ContainsFunc(later.Acts, func(a audit.Act) bool {
			return (a.Path == p || a.To == p) && slices.Contains(does, a.Do)
		}) {
			return true
		}
	}
	return false
}

// reverses reports whether this call takes back what a later change did to a path.
func (u *reversal) reverses(later *audit.Record, p string) bool {
	files, ok := u.files[later.Tx]
	f := files[p]
	return ok && (f == nil || f.chosen && !f.stays)
}

// isMovedFile reports whether the file at a.To is still the one that a moved there, edited or not. It knows it by its
// content, or by its inode when something wrote into it.
func (u *reversal) isMovedFile(r *audit.Record, a *audit.Act, to fileState) bool {
	if to.matches(a.Old) || !a.Old.Link && u.sameFile(r, a.Old, to) {
		return true
	}
	for later := range u.chooser.changesSince(r, a.To) {
		for _, b := range later.Acts {
			if b.Do == audit.DoSwap && b.Path == a.To && (to.matches(b.New) || u.sameFile(later, b.New, to)) {
				return true
			}
		}
	}
	return false
}

// sameFile reports whether o is the very file that r had, by its inode, whatever its content is now. A file made after r
// may have got the inode of a deleted one: without an older birth time the answer is false.
func (u *reversal) sameFile(r *audit.Record, i *audit.Ident, o fileState) bool {
	if o.ino != i.Ino || !o.mode.IsRegular() || o.at == "" {
		return false
	}
	at, ok := u.w.Guard.BirthTime(u.present[o.at].Handle.(guard.Entry))
	return ok && !at.After(r.TS)
}

// since says what happened to the file of a path: that something of another kind is there now, else why.
func (u *reversal) since(p string, had *audit.Ident, why string) string {
	switch kind := u.present[p].Kind; {
	case kind == plan.Directory:
		return "a directory is there now"
	case kind == plan.Special:
		return "a special file is there now"
	case kind == plan.Link && !had.Link:
		return "a link is there now"
	case kind == plan.Regular && had.Link:
		return "a file is there now, instead of a link"
	}
	return why
}

// conflict refuses a change because of what the path p has now, and names the newest later change to it.
func (u *reversal) conflict(r *audit.Record, p, why string) {
	for later := range u.chooser.changesSince(r, p) {
		u.refuse(fail.Stale, p, why+"; the newest change through emend is "+describe(later),
			"Undo that one first: "+later.Tx+". Or revert the change by hand: entry "+r.Tx+" has the diff.")
		return
	}
	u.refuse(fail.Stale, p, why+"; no later change went through emend",
		"Look at the file, and revert by hand what is left: entry "+r.Tx+" has the diff.")
}

func (u *reversal) refuse(kind fail.Kind, p, msg, hint string) {
	u.refusals = append(u.refusals, &fail.Error{Kind: kind, Path: u.displayPath(p), Msg: msg, Hint: hint})
}

// displayPath returns a path of the log as a refusal shows it: below the root if it is inside.
func (u *reversal) displayPath(p string) string {
	if rel, err := u.fromTop(p); err == nil {
		return rel
	}
	return p
}
