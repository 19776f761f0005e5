package undo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/dialect"
	"github.com/emend-dev/emend/internal/draft"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/kept"
	"github.com/emend-dev/emend/internal/plan"
	"github.com/emend-dev/emend/internal/source"
	"github.com/emend-dev/emend/internal/text"
	"github.com/emend-dev/emend/internal/workspace"
)

// undoing works out the tree that taking changes back leads to, change by change, the newest first, and then what has
// to be done for it.
type undoing struct {
	w      *workspace.Workspace
	src    *source.Reader
	trail  *trail
	hist   *history.History
	Undoes []string
	Prune  []string
	errs   fail.List

	order []string             // the paths, in the order in which they were met
	files map[string]plan.File // what stands there
	given map[string]origin    // by slot: what a change that is taken back had brought back from there
	now   map[string]origin    // what is to stand there
}

// origin is what comes to stand at a path.
type origin struct {
	there  bool
	at     string // the path whose file it is; "" when it comes from the history
	slot   string // the kept file that it is
	sum    string
	mode   fs.FileMode
	size   int64
	link   string
	ino    uint64
	copy   bool   // it belongs to something else in the history: a copy of it does
	edited bool   // only part of it was taken back: its text is what counts
	text   string //
}

// maxMerge is how large a file may be for an undo to keep a later edit in it.
const maxMerge = 64 << 20

func newUndoing(w *workspace.Workspace, src *source.Reader, trail *trail, hist *history.History) *undoing {
	return &undoing{w: w, src: src, trail: trail, hist: hist, files: map[string]plan.File{}, now: map[string]origin{}, given: map[string]origin{}}
}

// rel is a path of the log from the workspace's root.
func (u *undoing) rel(p string) (string, error) {
	rel, ok := u.w.Paths().FromTop(p)
	if !ok {
		return "", &fail.Error{Kind: fail.OutsideWorkspace, Path: p, Msg: "the change also touched this path, which is outside of the workspace",
			Hint: "Undo it from a workspace that has the path inside."}
	}
	return rel, nil
}

// look is what is to stand at a path of the log.
func (u *undoing) look(ctx context.Context, p string) (origin, error) {
	if o, ok := u.now[p]; ok {
		return o, nil
	}
	rel, err := u.rel(p)
	if err != nil {
		return origin{}, err
	}
	if err := u.w.Guard.CheckReadAsking(rel, u.src.Asked); err != nil {
		return origin{}, err
	}
	f, err := u.src.Look(ctx, rel, false)
	if err != nil {
		return origin{}, err
	}
	o := origin{there: f.Kind != plan.Missing, at: p, mode: source.ModeOf(f), size: f.Size, link: f.Target, ino: f.Handle.(guard.Entry).File.Ino}
	switch f.Kind {
	case plan.Regular, plan.Link:
		o.sum, err = u.src.Sum(ctx, f)
	case plan.Directory, plan.Special:
		o.sum = "" // like nothing that a change left
	}
	u.order = append(u.order, p)
	u.files[p], u.now[p] = f, o
	return o, err
}

// back takes one change back. What is in the way is collected.
func (u *undoing) back(ctx context.Context, r *audit.Record) error {
	for _, a := range slices.Backward(r.Acts) {
		if a.Gone {
			u.refuse(fail.NotFound, a.Path, "it was deleted for good", "It cannot be taken back. Name another entry; emend log lists them.")
			continue
		}
		if err := u.one(ctx, r, &a); err != nil {
			list := fail.All(err)
			if list[0].Reason == fail.Cancelled || list[0].Kind == fail.Timeout {
				return err
			}
			u.errs = append(u.errs, list...)
		}
	}
	return nil
}

func (u *undoing) one(ctx context.Context, r *audit.Record, a *audit.Act) error {
	if a.Do == audit.DoMkdir {
		if u.w.Paths().Inside(a.Path) { // the root itself is somebody's, as is what is above it
			u.Prune = append(u.Prune, a.Path)
		}
		return nil
	}
	if a.Do == audit.DoRmdir {
		return nil // what comes back below it makes it again
	}
	o, err := u.look(ctx, a.Path)
	if err != nil {
		return err
	}
	switch a.Do {
	case audit.DoPut:
		return u.unput(r, a, o)
	case audit.DoSwap:
		return u.unswap(ctx, r, a, o)
	case audit.DoTake:
		return u.untake(r, a, o)
	case audit.DoMove:
		return u.unmove(ctx, r, a, o)
	}
	return nil
}

func (u *undoing) unput(r *audit.Record, a *audit.Act, o origin) error {
	switch {
	case !o.there && u.later(r, a.Path, audit.DoMove):
		u.inTheWay(r, a.Path, "it was moved since")
	case !o.there: // gone already
	case !o.is(a.New):
		u.inTheWay(r, a.Path, "it was changed since")
	case u.later(r, a.Path, audit.DoPut, audit.DoTake, audit.DoMove):
		u.inTheWay(r, a.Path, "somebody made it anew since")
	default:
		u.give(a, o)
		u.now[a.Path] = origin{}
	}
	return nil
}

// give notes where the file is that a change had brought back, and that is to be kept again.
func (u *undoing) give(a *audit.Act, o origin) {
	if a.From != "" {
		u.given[a.From] = o
	}
}

func (u *undoing) unswap(ctx context.Context, r *audit.Record, a *audit.Act, o origin) error {
	switch {
	case !o.there:
		u.inTheWay(r, a.Path, "it was deleted or moved since")
		return nil
	case o.is(a.Old) && (!o.is(a.New) || o.ino == a.Old.Ino):
		return nil // it is again what it was; of two files with one text, that one
	case !o.is(a.New):
		return u.merge(ctx, r, a, o)
	}
	old, ok := u.keptOf(r, a)
	if !ok {
		u.notKept(r, a)
		return nil
	}
	left := cmp.Or(a.New.Mode, old.mode)
	if o.mode.IsRegular() && old.mode.IsRegular() && o.mode != left {
		// Somebody changed its permissions since, which stay.
		return u.retext(ctx, a, o, old)
	}
	u.give(a, o)
	u.now[a.Path] = old
	return nil
}

// retext gives the file at a path the text that another has.
func (u *undoing) retext(ctx context.Context, a *audit.Act, o, old origin) error {
	content, err := u.content(ctx, a.Path, old)
	if err != nil {
		return err
	}
	o.edited, o.text, o.sum = true, content, a.Old.Sum
	u.now[a.Path] = o
	return nil
}

func (u *undoing) untake(r *audit.Record, a *audit.Act, o origin) error {
	if o.there {
		if !o.is(a.Old) {
			u.inTheWay(r, a.Path, "something else is there since")
		}
		return nil
	}
	old, ok := u.keptOf(r, a)
	if !ok {
		u.notKept(r, a)
		return nil
	}
	u.now[a.Path] = old
	return nil
}

func (u *undoing) unmove(ctx context.Context, r *audit.Record, a *audit.Act, from origin) error {
	to, err := u.look(ctx, a.To)
	if err != nil {
		return err
	}
	switch {
	case !to.there && from.is(a.Old): // moved back already
	case !to.there:
		u.inTheWay(r, a.To, "it was deleted or moved on since")
	case from.there:
		u.inTheWay(r, a.Path, "something else is there since")
	case u.later(r, a.To, audit.DoPut, audit.DoTake, audit.DoMove) || !u.descends(r, a, to):
		u.inTheWay(r, a.To, "something else is there since")
	default:
		u.now[a.Path], u.now[a.To] = to, origin{} // with whatever was edited in it since
	}
	return nil
}

// later reports whether a later change in effect, which this call does not take back, did one of these to a path.
func (u *undoing) later(r *audit.Record, p string, does ...audit.Do) bool {
	return slices.ContainsFunc(u.trail.since(r, p), func(later *audit.Record) bool {
		return !slices.Contains(u.Undoes, later.Tx) && slices.ContainsFunc(later.Acts, func(a audit.Act) bool {
			return (a.Path == p || a.To == p) && slices.Contains(does, a.Do)
		})
	})
}

// descends reports whether what stands where a file was moved to is still that file, or what edits made of it: by its
// content, or by its inode if somebody wrote into it.
func (u *undoing) descends(r *audit.Record, a *audit.Act, to origin) bool {
	if to.is(a.Old) || !a.Old.Link && u.wrote(r, a.Old, to) {
		return true
	}
	for _, later := range u.trail.since(r, a.To) {
		for _, b := range later.Acts {
			if b.Do == audit.DoSwap && b.Path == a.To && (to.is(b.New) || u.wrote(later, b.New, to)) {
				return true
			}
		}
	}
	return false
}

// wrote reports whether o is the very file that r had, by its inode, whatever it says by now. The inode of a file that is
// gone may be that of another, which was made later.
func (u *undoing) wrote(r *audit.Record, i *audit.Ident, o origin) bool {
	if o.ino != i.Ino || !o.mode.IsRegular() || o.at == "" {
		return false
	}
	at, ok := u.w.Guard.BirthTime(u.files[o.at].Handle.(guard.Entry))
	return ok && !at.After(r.TS)
}

// keptOf finds the file that a change displaced: in its own slot, or wherever it went since. Another one with the same
// content does as well where that very file is not kept, best one with its permissions.
func (u *undoing) keptOf(r *audit.Record, a *audit.Act) (best origin, ok bool) {
	if o, ok := u.given[history.Slot(r.Tx, a.Slot)]; ok && o.is(a.Old) {
		return o, true
	}
	for i, slot := range append([]string{history.Slot(r.Tx, a.Slot)}, u.trail.kept[a.Old.Sum]...) {
		name, is, err := u.hist.Find(slot)
		if err != nil || is.Mode.IsDir() || (is.Mode&fs.ModeSymlink != 0) != a.Old.Link || !a.Old.Link && is.Size != a.Old.Size {
			continue
		}
		o := origin{there: true, slot: slot, sum: a.Old.Sum, mode: is.Mode, size: is.Size, ino: is.ID.Ino,
			copy: i > 0 && is.ID.Ino != a.Old.Ino && !a.Old.Link}
		if a.Old.Link {
			if o.link, err = u.hist.Slots().Readlink(name); err != nil || text.Sum(o.link) != a.Old.Sum {
				continue
			}
		}
		if is.ID.Ino == a.Old.Ino {
			return o, true
		}
		if !ok || best.mode != a.Old.Mode && o.mode == a.Old.Mode {
			best, ok = o, true
		}
	}
	return best, ok
}

func (u *undoing) notKept(r *audit.Record, a *audit.Act) {
	slot := history.Slot(r.Tx, a.Slot)
	if _, is, err := u.hist.Find(slot); err == nil && is.ID.Ino == a.Old.Ino {
		u.errs = append(u.errs, u.written(a.Path, slot))
		return
	}
	u.refuse(fail.NotFound, a.Path, "what it was before is no longer kept: it was purged, pruned, or restored elsewhere",
		"emend log --path shows what became of it; emend trash list what is kept.")
}

// written refuses what is kept and is not any more what was kept.
func (u *undoing) written(p, slot string) *fail.Error {
	tx, _, _ := strings.Cut(slot, ".")
	return &fail.Error{Kind: fail.Stale, Path: u.shown(p),
		Msg:  "what is kept of it was written to since, through another hard link or by a program that had it open",
		Hint: "Look at what is kept with emend show " + tx + ", and take the change back by hand."}
}

// merge takes back only what a change did to a file that was edited since.
func (u *undoing) merge(ctx context.Context, r *audit.Record, a *audit.Act, o origin) error {
	in := func(why string) { u.inTheWay(r, a.Path, why) }
	if a.Old.Link || a.New.Link || !o.mode.IsRegular() || max(a.Old.Size, a.New.Size, o.size) > maxMerge {
		in("it was replaced or changed since")
		return nil
	}
	old, ok := u.keptOf(r, a)
	if !ok {
		u.notKept(r, a)
		return nil
	}
	before, err := u.content(ctx, a.Path, old)
	if err != nil {
		return err
	}
	after, ok := u.after(r, a, before)
	if !ok {
		in("it was changed since, and how this change left it is no longer kept")
		return nil
	}
	have, err := u.content(ctx, a.Path, o)
	if err != nil {
		return err
	}
	merged, err := unpatch(ctx, after, before, have)
	if err != nil {
		in("it was changed since, and what is to be taken back does not have exactly one place in it")
		return nil
	}
	o.edited, o.text, o.sum = true, merged, text.Sum(merged)
	u.now[a.Path] = o
	return nil
}

// unpatch places, in have, the changes that lead from after back to before: each exactly, in its one place.
func unpatch(ctx context.Context, after, before, have string) (string, error) {
	d, _ := dialect.Named("comma")
	p, err := draft.Between(d, []draft.Change{{Path: "file", Old: after, New: before, HasOld: true, HasNew: true}}, 3)
	if err != nil || len(p.Sections) == 0 {
		return have, err
	}
	out, err := plan.Build(ctx, p, d.Rules(dialect.Options{}), plan.Memory{"file": have}, plan.Options{})
	if err != nil {
		return "", err
	}
	return out.Steps[0].After, nil
}

// after finds how a change left a file: a later change displaced that, or its diff tells.
func (u *undoing) after(r *audit.Record, a *audit.Act, before string) (string, bool) {
	for _, slot := range u.trail.kept[a.New.Sum] {
		if out, err := u.slotText(slot); err == nil && text.Sum(out) == a.New.Sum {
			return out, true
		}
	}
	diff, err := u.hist.ReadText(history.DiffName(r.Tx))
	if err != nil {
		return "", false
	}
	return kept.ApplyDiffs(before, r, a, diff)
}

// content is the text of what comes to stand at p.
func (u *undoing) content(ctx context.Context, p string, o origin) (string, error) {
	switch {
	case o.edited:
		return o.text, nil
	case o.slot != "":
		out, err := u.slotText(o.slot)
		if err == nil && text.Sum(out) != o.sum {
			return "", u.written(p, o.slot)
		}
		if err != nil {
			return "", workspace.StoreError(fmt.Errorf("what is kept as %s cannot be read: %w", o.slot, err))
		}
		return out, nil
	}
	out, _, err := u.src.Load(ctx, u.files[o.at])
	return out, err
}

// slotText is what is kept in a slot. What is longer than any file may be is not what was kept: "".
func (u *undoing) slotText(slot string) (string, error) {
	text, _, err := kept.Of(u.hist).Text(slot, u.w.Limits().FileBytes)
	if errors.Is(err, kept.ErrTooLong) {
		return "", nil
	}
	return text, err
}

func (u *undoing) inTheWay(r *audit.Record, p, why string) {
	if all := u.trail.since(r, p); len(all) > 0 {
		later := all[0]
		u.refuse(fail.Stale, p, why+"; the newest change through emend is "+who(later),
			"Undo that one first: "+later.Tx+". Or take the change back by hand: entry "+r.Tx+" has the diff.")
		return
	}
	u.refuse(fail.Stale, p, why+"; no later change went through emend",
		"Look at the file, and take back by hand what is left to take back: entry "+r.Tx+" has the diff.")
}

func (u *undoing) refuse(kind fail.Kind, p, msg, hint string) {
	u.errs = append(u.errs, &fail.Error{Kind: kind, Path: u.shown(p), Msg: msg, Hint: hint})
}

// shown is a path of the log as a refusal has it.
func (u *undoing) shown(p string) string {
	if rel, err := u.rel(p); err == nil {
		return rel
	}
	return p
}
