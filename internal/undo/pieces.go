package undo

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/report"
	"github.com/emend-dev/emend/internal/text"
)

// changedFile is a file of a change: all paths that belong together because the change moved something between them. It is taken
// back as a whole, or by hunks of its diff if the change edited it in place.
type changedFile struct {
	path  string          // in the log: the first path that the change names of it
	paths map[string]bool // in the log
	ops   []int           // indexes of its operations
	acts  []*audit.Act    // the newest first

	diff  string         // of an edit, once it is needed
	count int            // how many hunks that has; 0 until it is needed, and for what is taken back as a whole
	by    map[int]string // by hunk, 0 for the whole file: the undo in effect that took it back

	chosen bool
	ask    []int // the hunks to take back; nil for all that are in effect
	took   []int // those of them that do not conflict, if others do
	stays  bool  // nothing of it can be taken back
}

// filesOf returns the files of a change. Its other steps make and remove directories.
func filesOf(r *audit.Record) (files []*changedFile, byPath map[string]*changedFile) {
	byPath = map[string]*changedFile{}
	for i := range r.Ops {
		op := &r.Ops[i]
		f := byPath[op.Path]
		if f == nil {
			f = &changedFile{path: op.Path, paths: map[string]bool{op.Path: true}, by: map[int]string{}}
			byPath[op.Path], files = f, append(files, f)
		}
		f.ops = append(f.ops, i)
		if to := byPath[op.ToPath]; op.ToPath != "" && to != f {
			if f.paths[op.ToPath] = true; to != nil {
				maps.Copy(f.paths, to.paths)
				f.ops = append(f.ops, to.ops...)
				files = slices.DeleteFunc(files, func(g *changedFile) bool { return g == to })
			}
			for p := range f.paths {
				byPath[p] = f
			}
		}
	}
	for _, a := range slices.Backward(r.Acts) {
		if f := fileOf(byPath, &a); f != nil {
			f.acts = append(f.acts, &a)
		}
	}
	return files, byPath
}

// fileOf returns the file that a step is about, nil for none.
func fileOf(byPath map[string]*changedFile, a *audit.Act) *changedFile {
	if f := byPath[a.Path]; f != nil {
		return f
	}
	return byPath[a.To]
}

// within reports whether a path of the file is p, or below it.
func (f *changedFile) within(p string) bool {
	for have := range f.paths {
		if p == "." || have == p || strings.HasPrefix(have, p+"/") {
			return true
		}
	}
	return false
}

// rest returns the hunks that no undo took back.
func (f *changedFile) rest() (out []int) {
	for n := 1; n <= f.count; n++ {
		if f.by[n] == "" {
			out = append(out, n)
		}
	}
	return out
}

// wanted returns the hunks to take back.
func (f *changedFile) wanted() []int {
	if f.ask != nil {
		return f.ask
	}
	return f.rest()
}

// partly reports whether the undo, with what was taken back before, is about hunks and not about all that was done to the file.
func (f *changedFile) partly() bool { return f.ask != nil || len(f.by) > 0 }

// with returns the text that a file has with these hunks of the change, ok false if the diff does not fit.
func (f *changedFile) with(before string, hunks []int) (out string, ok bool) {
	in := map[int]bool{}
	for _, n := range hunks {
		in[n] = true
	}
	return kept.ApplyHunks(before, f.diff, func(n int) bool { return in[n] })
}

// without returns list without what is in other.
func without(list []int, other ...int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(n int) bool { return slices.Contains(other, n) })
}

// loadHunks reads the diff of a file, and reports whether it can be taken back by hunks.
func (u *reversal) loadHunks(r *audit.Record, f *changedFile) bool {
	if f.count > 0 || len(f.ops) != 1 || len(f.acts) != 1 || f.acts[0].Do != audit.DoSwap {
		return f.count > 0
	}
	if u.diffsOf != r.Tx {
		diff, _ := u.hist.ReadText(history.DiffName(r.Tx)) // none is like one that has no hunks
		u.diffsOf, u.diffs = r.Tx, report.SplitDiff(diff)
	}
	op := &r.Ops[f.ops[0]]
	f.diff = report.DiffOf(u.diffs, f.ops[0], op.Path, op.ToPath)
	f.count = report.HunksOf(op.Operation, f.diff)
	return f.count > 0
}

// chooseFiles chooses what to take back of the files of a change, by what was taken back before and by the pieces that are asked
// for. It reports whether there is anything.
func (u *reversal) chooseFiles(r *audit.Record, files []*changedFile, byPath map[string]*changedFile, only bool) (bool, error) {
	for _, p := range u.chooser.parts[r.Tx] {
		f := byPath[p.Path]
		if f == nil || p.Blurs || u.files[p.By] != nil {
			continue // what this call takes back is in effect no more
		}
		for _, n := range p.Hunks {
			f.by[n] = p.By
		}
		if len(p.Hunks) == 0 || len(f.by) == p.Of {
			f.by[0] = p.By
		}
	}
	for _, f := range files {
		f.chosen = len(u.pieces) == 0 && f.by[0] == ""
	}
	for _, p := range u.pieces {
		if err := u.choosePiece(r, files, p); err != nil && (only || len(p.Hunks) > 0) {
			return false, err
		}
	}
	return len(u.pieces) == 0 || slices.ContainsFunc(files, func(f *changedFile) bool { return f.chosen }), nil
}

// choosePiece chooses the files, or the hunks, that a piece names. It refuses a piece of which nothing can be chosen.
func (u *reversal) choosePiece(r *audit.Record, files []*changedFile, p api.UndoPiece) error {
	var none error = &fail.Error{Kind: fail.NotFound, Path: p.Path, Msg: "the entry " + r.Tx + " did not change it",
		Hint: fmt.Sprintf("To see which files it changed, ‹run show %s›. Or name another entry.", r.Tx)}
	found := false
	for _, f := range files {
		switch {
		case !slices.ContainsFunc(u.spellings(p.Path), f.within):
		case f.by[0] != "":
			none = takenAlready("what it did to "+fail.Quote(u.displayPath(f.path)), f.by[0])
		case len(p.Hunks) > 0:
			if err := u.chooseHunks(r, f, p); err != nil {
				return err
			}
			found = true
		default:
			f.chosen, f.ask, found = true, nil, true
		}
	}
	if found {
		return nil
	}
	return none
}

// spellings returns the paths of the log that a caller may mean.
func (u *reversal) spellings(p string) []string {
	return []string{u.w.Paths().ToTop(path.Clean(p)), u.w.Paths().ToTop(path.Join(u.base, p))}
}

// chooseHunks chooses hunks of a file.
func (u *reversal) chooseHunks(r *audit.Record, f *changedFile, p api.UndoPiece) error {
	name := u.displayPath(f.path)
	if !u.loadHunks(r, f) {
		return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: name, Msg: "its change has no hunks that can be undone one by one",
			Hint: "Undo the whole file: it was added, deleted or moved, changed its permissions, is binary, or its diff is not kept."}
	}
	for _, n := range p.Hunks {
		if n < 1 || n > f.count {
			return &fail.Error{Kind: fail.CommandFailed, Reason: fail.BadArguments, Path: name, Msg: fmt.Sprintf("there is no hunk %d: the entry has %d", n, f.count),
				Hint: fmt.Sprintf("To see the hunks and their numbers, ‹run show %s›.", r.Tx)}
		}
		if by := f.by[n]; by != "" {
			e := takenAlready(fmt.Sprintf("hunk %d", n), by)
			e.Path = name
			return e
		}
		if !slices.Contains(f.ask, n) {
			f.ask = append(f.ask, n)
		}
	}
	f.chosen = true
	if slices.Sort(f.ask); len(f.ask) == f.count {
		f.ask = nil // all of it, as if the file had been named
	}
	return nil
}

// reverseFile takes back what was chosen of a file. What conflicts is refused, or stays if the request says so.
func (u *reversal) reverseFile(ctx context.Context, r *audit.Record, f *changedFile) error {
	goals, returned := maps.Clone(u.goals), maps.Clone(u.returned)
	paths, refused := len(u.paths), len(u.refusals)
	for _, a := range f.acts {
		if err := u.reverseStep(ctx, r, a, f); err != nil {
			return err
		}
	}
	fresh := u.refusals[refused:]
	if !u.skip || len(fresh) == 0 || slices.ContainsFunc(fresh, func(e *fail.Error) bool { return e.Kind != fail.Stale && e.Kind != fail.NotFound }) {
		return nil
	}
	u.stays = append(u.stays, fresh...)
	u.refusals = u.refusals[:refused]
	if f.took == nil {
		f.stays = true
		u.goals, u.returned, u.paths = goals, returned, u.paths[:paths]
	}
	return nil
}

// note notes what is taken back of a change: all of it, or parts. What is left of a change of which other undos took parts back counts as
// parts too: should one of these be taken back, the change is in effect again as far as that goes.
func (u *reversal) note(r *audit.Record, files []*changedFile) {
	whole := true
	var parts []audit.Part
	for _, f := range files {
		if whole = whole && f.chosen && !f.stays && len(f.by) == 0; !f.chosen || f.stays {
			continue
		}
		if f.took == nil {
			f.took = f.wanted()
		}
		p := audit.Part{Entry: r.Tx, Path: f.path, Files: len(files)}
		if len(f.took) < f.count {
			p.Hunks, p.Of, whole = f.took, f.count, false
		}
		parts = append(parts, p)
	}
	if whole {
		u.undoes = append(u.undoes, r.Tx)
		return
	}
	u.parts = append(u.parts, parts...)
}

// entries returns the entries of which something is taken back.
func (u *reversal) entries() []string {
	return (&audit.Record{Undoes: u.undoes, Parts: u.parts}).TakesBack()
}

// partWords says which parts are taken back.
func (u *reversal) partWords() (out []string) {
	for _, p := range u.parts {
		out = append(out, u.displayPath(p.Path)+report.HunkWords(p.Hunks, p.Of))
	}
	return out
}

// maxOneByOne bounds the hunks that are tried one by one where they do not go together.
const maxOneByOne = 200

// reverseHunks takes back hunks of a file that was edited since, as far as they do not conflict: first all of them, else one by one.
func (u *reversal) reverseHunks(ctx context.Context, r *audit.Record, f *changedFile, before, have string) (string, bool) {
	rest := f.rest()
	left, ok := f.with(before, rest)
	back, fits := f.with(before, without(rest, f.wanted()...))
	if !ok || !fits {
		return "", false
	}
	if out, err := takeBack(ctx, left, back, have); err == nil {
		return out, true
	}
	wanted := f.wanted()
	if len(wanted) > maxOneByOne {
		u.conflictAt(r, f.path, 0, left, back, have)
		return have, true
	}
	took := []int{}
	for _, n := range wanted {
		if ctx.Err() != nil {
			u.refusals = append(u.refusals, fail.All(caller.Cancelled(ctx))...)
			return have, true
		}
		left, _ = f.with(before, rest)
		back, _ = f.with(before, without(rest, n))
		out, err := takeBack(ctx, left, back, have)
		if err != nil {
			u.conflictAt(r, f.path, n, left, back, have)
			continue
		}
		have, rest, took = out, without(rest, n), append(took, n)
	}
	if len(took) > 0 {
		f.took = took
	}
	return have, true
}

// conflictAt refuses to take a hunk back, 0 for all that was done to the file, and shows the three sides of the conflict.
func (u *reversal) conflictAt(r *audit.Record, p string, hunk int, left, back, have string) {
	n := len(u.refusals)
	u.conflict(r, p, "it was changed since: the lines are gone, or occur more than once")
	e := u.refusals[n]
	e.Hunk, e.Sides = hunk, sidesOf(r.Tx, left, back, have)
}

// sidesOf shows where going back from left meets a change that led from left to have: the first lines that do not merge, else the
// first that would go back.
func sidesOf(tx, left, back, have string) []fail.Side {
	base, now, then := text.Split(left), text.Split(have), text.Split(back)
	toNow, toThen := text.Between(left, have), text.Between(left, back)
	if len(toThen) == 0 {
		return nil
	}
	at := toThen[0]
	if _, conflict := text.Merge(base, now, then, toNow, toThen); conflict != nil {
		at = conflict.Theirs
	}
	ours, theirs := text.Met(at, toNow, toThen)
	return []fail.Side{
		{Name: "now", Line: ours.B0 + 1, Lines: now.Strings(ours.B0, ours.B1)},
		{Name: "as " + tx + " left it", Lines: base.Strings(ours.A0, ours.A1)},
		{Name: "before " + tx, Lines: then.Strings(theirs.B0, theirs.B1)},
	}
}
