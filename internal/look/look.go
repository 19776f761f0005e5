package look

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/emend-dev/emend/api"
	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/caller"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/guard"
	"github.com/emend-dev/emend/internal/vfs"
	"github.com/emend-dev/emend/internal/workspace"
)

// look is one look at the tree.
type look struct {
	w     *workspace.Workspace
	store *commit.Store
	top   *guard.Guard
	dir   vfs.Dir // of what looks leave for the next one
	repo  *repository
	at    time.Time
	req   api.LookRequest
	actor api.Actor
	calls *calls
	with  *Looker
	was   *index // nil at the first look
	tree  *tree  // as it is now
	next  uint64 // the number of the next copy
	out   api.Look
}

// Look compares the tree with the last look and records what changed without emend.
func Look(ctx context.Context, w *workspace.Workspace, req api.LookRequest) (*api.Look, error) {
	return lookWith(ctx, w, req, &Looker{})
}

func lookWith(ctx context.Context, w *workspace.Workspace, req api.LookRequest, with *Looker) (*api.Look, error) {
	store, err := w.OpenOrMakeStore()
	if err != nil {
		return nil, err
	}
	dir, err := workspace.OpenLooks(store, true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &fail.Error{Kind: fail.CommandFailed, Reason: fail.StoreUnwritable, Cause: err,
			Msg:  fmt.Sprintf("the store %q was removed while it was in use, and with it the log and what an undo needs", w.StorePlace().Dir),
			Hint: "The next call makes a new one. With ‹option store› it can be where no command that removes .git reaches it."}
	}
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	defer dir.Close()
	unlock, err := lock(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	l := &look{w: w, store: store, top: w.TopGuard(), dir: dir, req: req, actor: w.Actor(ctx), with: with}
	l.out.Entries = []api.SeenEntry{}
	l.repo = openRepository(l.top.RootPath())
	defer l.repo.close()
	if err := l.run(ctx); err != nil {
		with.watch.Deafen() // what was heard is not recorded
		return nil, err
	}
	return &l.out, nil
}

func (l *look) run(ctx context.Context) (err error) {
	if l.at, err = l.clock(); err != nil {
		return workspace.StoreError(err)
	}
	if l.calls, err = loadCalls(l.dir, l.at); err != nil {
		return workspace.StoreError(err)
	}
	if err := l.store.Log().Refresh(); err != nil {
		return workspace.StoreError(err)
	}
	l.was, err = loadIndex(l.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errIndex) {
		return workspace.StoreError(err)
	}
	if l.was != nil {
		l.calls.Same.correct(l.was)
		l.next = l.was.next
	}
	head := l.store.Head()
	if l.tree, err = l.with.describe(ctx, l); err != nil {
		return err
	}
	if l.tree.shut > 0 {
		l.out.Notes = append(l.out.Notes, fmt.Sprintf("%d directories or files cannot be read; what is done there is not seen.", l.tree.shut))
	}
	copies, err := l.copies()
	if err != nil {
		return workspace.StoreError(err)
	}
	defer copies.Close()
	was, now := l.tree.unsettled(l.was)
	unread, err := l.compare(ctx, copies, was, now)
	if err != nil {
		return err
	}
	if err := l.recordMissed(ctx); err != nil {
		return err
	}
	l.noteCalls()
	// Whatever is not read or copied in time is so at the next look. What is known by then must be saved.
	now = l.tree.leaveOut(now)
	spare, cancel := partOfTime(ctx, 3, 4)
	defer cancel()
	if readAllOf(spare, l.top, l.repo, unread) != nil && ctx.Err() != nil {
		return caller.Cancelled(ctx)
	}
	l.next, l.out.NotKept = keepAll(spare, l.top, copies, l.tree, now, l.next)
	if err := l.save(copies, head); err != nil {
		return workspace.StoreError(err)
	}
	l.with.note(l)
	return nil
}

// save saves what the next look needs. An index that would say the same again is not written.
func (l *look) save(copies vfs.Dir, head audit.Head) error {
	x := &index{at: l.at, head: head, next: l.next, dirs: l.tree.index()}
	for _, d := range x.dirs {
		l.out.Files += d.files
	}
	if l.was != nil && x.saysTheSame(l.was) {
		l.calls.Same = &sameIndex{Sum: l.was.sum, At: l.at, Head: head}
		return l.calls.save(l.dir)
	}
	l.calls.Same = nil
	if err := errors.Join(x.save(l.dir), l.calls.save(l.dir)); err != nil {
		return err // the index that is there needs its copies
	}
	return dropCopies(copies, x)
}

// clock returns the time by the clock of the file system that has the store.
func (l *look) clock() (time.Time, error) {
	f, err := l.dir.Append("clock", 0o600)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	now := time.Now()
	if err := f.Touch(now); err != nil {
		return now, err
	}
	is, err := f.Stat()
	if is.ChangeTime.IsZero() {
		return now, err
	}
	return is.ChangeTime, err
}

func (l *look) copies() (vfs.Dir, error) {
	dir, err := l.dir.Dir(copiesName)
	if !errors.Is(err, fs.ErrNotExist) {
		return dir, err
	}
	if err := l.dir.Mkdir(copiesName, 0o700); err != nil {
		return nil, err
	}
	return l.dir.Dir(copiesName)
}

// partOfTime returns a context that ends when a part of the time that is left to ctx is over, n of d.
func partOfTime(ctx context.Context, n, d time.Duration) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)*n/d)
}

// compare finds what changed since the last look, and records it. It returns the files that are still to be read: those that no
// look had the time to read, which at the first look are all.
func (l *look) compare(ctx context.Context, copies vfs.Dir, was, now []*file) (unread []*file, err error) {
	changed, unread := carry(was, now)
	if l.was == nil {
		return changed, nil
	}
	for _, f := range changed {
		f.changed = true
	}
	if err := l.readChanged(ctx, changed); err != nil {
		return nil, err
	}
	changes := compare(was, now)
	if len(changes) == 0 {
		return unread, nil
	}
	made, err := l.madeByEmend()
	if err != nil {
		return nil, err
	}
	changes = slices.DeleteFunc(changes, made.has)
	for i := range changes {
		made.correct(&changes[i])
	}
	return unread, l.record(ctx, copies, changes)
}

// readChanged reads the files that changed, the small ones first. If there is no time for all of them, the others are on record without
// their contents: the rest of the time is needed to write that down.
func (l *look) readChanged(ctx context.Context, changed []*file) error {
	some, cancel := partOfTime(ctx, 1, 2)
	defer cancel()
	bySize := slices.Clone(changed)
	slices.SortStableFunc(bySize, func(a, b *file) int { return cmp.Compare(a.size, b.size) })
	if err := readAllOf(some, l.top, l.repo, bySize); err != nil && ctx.Err() != nil {
		return err
	}
	return nil
}

// noteCalls notes which call begins or ends with this look.
func (l *look) noteCalls() {
	session := l.actor.Session
	s := l.calls.sessions[session]
	s.Client, s.At = cmp.Or(l.actor.Client, s.Client), time.Now().UTC()
	switch l.req.Moment {
	case api.BeforeCall:
		a := l.actor
		a.Turn = l.turn()
		l.calls.begin(openCall{Actor: a, Command: l.req.Command, Paths: l.fromTop(l.req.Paths), Since: l.at})
	case api.AfterCall:
		if o := l.calls.find(l.actor); l.req.StillRuns && o != nil {
			o.Stays = true
		} else if !l.req.StillRuns {
			l.calls.end(l.actor)
		}
	case api.AtPrompt:
		l.calls.endTurn(session)
		s.Turn, s.Also = cmp.Or(l.actor.Turn, l.at.UTC().Format("20060102-150405.000")), ""
	case api.AtTaskEnd:
		l.calls.endTurn(session)
		if s.Also = l.actor.Turn; s.Turn == "" { // the hooks came later than the prompt
			s.Turn = l.actor.Turn
		}
	case api.AtTurnEnd:
		l.calls.endTurn(session)
	case api.AtStart:
		l.calls.endTurn(session)
	case api.AtSessionEnd:
		l.calls.endSession(session)
		return
	}
	if session != "" && s.Client != "cli" {
		l.calls.sessions[session] = s
	}
}

// turn returns the turn of the actor.
func (l *look) turn() string {
	s := l.calls.sessions[l.actor.Session]
	if l.actor.Turn == "" || l.actor.Turn == s.Also {
		return s.Turn
	}
	return l.actor.Turn
}

// fromTop returns paths of the workspace as the log has them.
func (l *look) fromTop(paths []string) []string {
	var out []string
	for _, p := range paths {
		if p = path.Clean(p); p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p) {
			out = append(out, l.w.Paths().ToTop(p))
		}
	}
	return out
}

// emendMade are the states of paths that the log has since the last look: those in which emend left them, and those that a look
// recorded which was killed before it could write its index.
type emendMade map[string]string // by path, the sha256 in hex of a file, "" for none, dirSum for a directory

const dirSum = "directory"

// madeByEmend reads the log back to the last look.
func (l *look) madeByEmend() (emendMade, error) {
	out := emendMade{}
	if err := l.store.Log().Refresh(); err != nil {
		return nil, workspace.StoreError(err)
	}
	note := func(path, sum string) {
		if _, ok := out[path]; !ok {
			out[path] = sum
		}
	}
	failed := map[string]bool{}
	for r, err := range l.store.Log().Query(audit.Query{}) {
		if err != nil {
			return nil, workspace.StoreError(err)
		}
		if r.Seq <= l.was.head.Seq {
			break
		}
		switch {
		case r.Kind == audit.Abort || r.Kind == audit.Recovered && !r.OK:
			failed[r.Tx] = true
		case (r.Kind == audit.Commit || r.Kind == audit.Undo) && !failed[r.Tx]:
			for _, a := range slices.Backward(r.Acts) {
				switch a.Do {
				case audit.DoPut, audit.DoSwap:
					note(a.Path, a.New.Sum)
				case audit.DoTake, audit.DoRmdir:
					note(a.Path, "")
				case audit.DoMove:
					note(a.To, a.Old.Sum)
					note(a.Path, "")
				case audit.DoMkdir:
					note(a.Path, dirSum)
				}
			}
		}
	}
	return out, nil
}

// has reports whether the log has what is there now.
func (m emendMade) has(c change) bool {
	left := func(path string, f *file) bool {
		sum, ok := m[path]
		switch {
		case !ok:
			return false
		case f == nil:
			return sum == ""
		case f.mode.IsDir():
			return sum == dirSum
		}
		return sum != "" && sum == f.ident().Sum
	}
	if c.moved() {
		return left(c.old.path, nil) && left(c.now.path, c.now)
	}
	return left(c.path(), c.now)
}

// correct makes what emend left at a path the old file of a change, if emend changed it since the last look. Its content is kept only
// as far as the history has it.
func (m emendMade) correct(c *change) {
	sum, ok := m[c.path()]
	if !ok || c.moved() || sum == dirSum || c.old != nil && c.old.ident().Sum == sum {
		return
	}
	if sum == "" {
		c.old = nil
		return
	}
	text, err := hex.DecodeString(sum)
	if err != nil {
		return
	}
	old := file{path: c.path(), mode: 0o644, sum: string(text)}
	if c.now != nil && c.now.mode.IsRegular() {
		old.mode = c.now.mode
	}
	c.old = &old
}

// lockName is the file that the one who looks has locked.
const lockName = "lock"

// lock waits for the turn to look.
func lock(ctx context.Context, dir vfs.Dir) (unlock func(), err error) {
	f, err := dir.Append(lockName, 0o600)
	if err != nil {
		return nil, workspace.StoreError(err)
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 20*time.Millisecond) {
		mine, err := f.TryLock()
		if mine {
			return func() { f.Close() }, nil
		}
		if err != nil {
			f.Close()
			return nil, workspace.StoreError(err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			f.Close()
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, &fail.Error{Kind: fail.Timeout, Msg: "another look at the tree takes longer than this call may wait",
					Hint: "Nothing was recorded. The next look records what this one would have."}
			}
			return nil, caller.Cancelled(ctx)
		}
	}
}
