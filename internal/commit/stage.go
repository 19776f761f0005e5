package commit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path"
	"strings"
	"sync"
	"syscall"

	"github.com/emend-dev/emend/fail"
	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/plant"
	"github.com/emend-dev/emend/internal/vfs"
)

const (
	// maxHeld is how many old files are kept open from verification on. Beyond it an inode number could be used
	// again, so there the content of what came out is read instead.
	maxHeld = 1024
)

// transaction is one run of the protocol.
type transaction struct {
	s     *Store
	tx    Tx
	id    string
	dirs  *dirs
	mark  *history.Stage
	acts  []*act
	notes []string
	// conflicts are what somebody did meanwhile, and where their files and ours are kept.
	conflicts []string
	back      bool // it is taken back, or recovered: directories may be missing

	held   int
	logged bool // the commit point has been passed
	found  *Outcome
	undone int          // how many steps were taken back
	kept   map[int]bool // slots that must stay although the transaction failed
}

func (s *Store) begin(tx Tx) *transaction {
	return &transaction{s: s, tx: tx, id: history.NewID(s.opts.now()), dirs: newDirs(s.tree), kept: map[int]bool{}}
}

// close lets go of everything that is held.
func (t *transaction) close() {
	for _, a := range t.acts {
		a.release()
		t.s.unhold(a)
	}
	t.dirs.close()
	if t.mark != nil {
		t.mark.End()
	}
}

// release ends the lease and reports whether somebody wanted to write meanwhile.
func (a *act) release() (asked bool) {
	if a.lease != nil {
		asked = a.lease()
		a.lease = nil
	}
	return asked
}

// stage prepares everything that can be prepared without the lock. If it fails, only slots have been made.
func (t *transaction) stage(ctx context.Context) error {
	if err := t.plan(); err != nil {
		return err
	}
	if err := t.begin(); err != nil {
		return unwritable(err)
	}
	if err := t.fill(ctx); err != nil {
		return err
	}
	if plant.Is(plant.NoDirSync) || t.s.opts.NoSync {
		return nil
	}
	return unwritable(t.s.hist.Slots().Sync())
}

// begin marks the transaction as alive.
func (t *transaction) begin() (err error) {
	for range 100 {
		t.mark, err = t.s.hist.Begin(t.id, len(t.tx.Changes))
		if !errors.Is(err, history.ErrTaken) {
			return err
		}
		t.id = history.NewID(t.s.opts.now())
	}
	return err
}

// plan turns the changes into steps and opens the directories that they need.
func (t *transaction) plan() error {
	if err := t.sources(); err != nil {
		return err
	}
	moved := t.moved()
	making := map[string]bool{}
	for i := range t.tx.Changes {
		c := &t.tx.Changes[i]
		if err := t.parents(c, making); err != nil {
			return err
		}
		if a := t.act(i, c, moved); a != nil {
			a.change, a.Slot = i, i
			t.acts = append(t.acts, a)
		}
	}
	t.prunes()
	sortActs(t.acts)
	return nil
}

// moved says which changes lend their file as it is, and to which.
func (t *transaction) moved() map[int]int {
	out := map[int]int{}
	for i, c := range t.tx.Changes {
		if c.New != nil && c.New.Whole {
			out[c.New.From] = i
		}
	}
	return out
}

func (t *transaction) act(i int, c *Change, moved map[int]int) *act {
	a := &act{Act: audit.Act{Path: c.Path}}
	if c.Old != nil {
		a.Old = ident(c.Old.Info, c.Old.sum())
	}
	to, whole := moved[i]
	switch {
	case whole:
		a.Do, a.To = audit.DoMove, t.tx.Changes[to].Path
	case c.New != nil && c.New.Whole:
		return nil // the other end of a move
	case c.Old == nil && c.New == nil:
		return nil
	case c.Old == nil:
		a.Do = audit.DoPut
	case c.New == nil:
		a.Do = audit.DoTake
	default:
		a.Do = audit.DoSwap
	}
	a.Gone = c.Gone && a.Displaces()
	if a.Places() {
		a.From = c.New.Back
	}
	return a
}

// sum is the sha256 of what the file says: its content, or where a link leads.
func (o *Old) sum() string {
	if isLink(o.Mode) {
		return textSum(o.Link)
	}
	return o.Sum
}

func textSum(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

func ident(is vfs.Info, sum string) *audit.Ident {
	return &audit.Ident{Ino: is.ID.Ino, Size: is.Size, Sum: sum, Link: isLink(is.Mode), Mode: is.Mode}
}

// parents opens the deepest directory above c that exists, which must be the one that was judged, and plans to make
// those that are missing.
func (t *transaction) parents(c *Change, making map[string]bool) error {
	up := path.Dir(c.Path)
	var missing []string
	for range c.Missing {
		missing = append(missing, up)
		up = path.Dir(up)
	}
	if _, err := t.dirs.at(up); err != nil {
		return moved(c.Path, err)
	}
	id, err := t.dirs.id(up)
	if err != nil {
		return moved(c.Path, err)
	}
	if id != c.Parent {
		return stale(c.Path, "its directory was replaced since the file was read", "", "")
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if p := missing[i]; !making[p] {
			making[p] = true
			t.acts = append(t.acts, &act{Act: audit.Act{Do: audit.DoMkdir, Path: p}, change: -1})
		}
	}
	return nil
}

// slot prepares the slot of one step and returns the file to be synced, if it has content.
func (t *transaction) slot(a *act) (vfs.File, error) {
	slots, name := t.s.hist.Slots(), history.Slot(t.id, a.Slot)
	var f vfs.File
	var err error
	switch a.Do {
	case audit.DoPut, audit.DoSwap:
		if f, err = t.content(a, slots, name); err != nil {
			return f, err
		}
	case audit.DoTake:
		// Reserved, so that deleting needs no space.
		r, err := slots.Create(name, 0o600)
		if err != nil {
			return nil, unwritable(err)
		}
		is, err := r.Stat()
		r.Close()
		if err != nil {
			return nil, unwritable(err)
		}
		a.New = ident(is, emptySum)
	}
	return f, t.links(a, slots, name)
}

// links makes the second names, where the file system can lose both names of a rename.
func (t *transaction) links(a *act, slots vfs.Dir, name string) error {
	if !t.s.opts.links() || plant.Is(plant.NoLink) || a.onDirectory() {
		return nil
	}
	if a.Places() {
		if err := cannotLink(slots.Link(name, slots, history.NewLink(name))); err != nil {
			return unwritable(err)
		}
	}
	if a.Old == nil {
		return nil
	}
	dir, last, err := t.dirs.parent(a.Path)
	if err != nil {
		return moved(a.Path, err)
	}
	return moved(a.Path, cannotLink(dir.Link(last, slots, history.OldLink(name))))
}

// cannotLink lets pass that a file may not have, or may not be given, a second name: some file systems have none, and
// a kernel may deny them for files of others. There a power cut can lose a name.
func cannotLink(err error) error {
	for _, no := range []error{vfs.ErrUnsupported, fs.ErrPermission, syscall.EMLINK} {
		if errors.Is(err, no) {
			return nil
		}
	}
	return err
}

// content makes the new file of a step, with everything but its place.
func (t *transaction) content(a *act, slots vfs.Dir, name string) (vfs.File, error) {
	n := t.tx.Changes[a.change].New
	if a.From != "" {
		return t.fetch(a, n, slots, name)
	}
	f, err := slots.Create(name, t.mode(n))
	if err != nil {
		return nil, unwritable(err)
	}
	if err := write(f, n.Content); err != nil {
		return f, unwritable(err)
	}
	if err := t.attributes(a, n, f); err != nil {
		return f, err
	}
	if a.staged, err = f.Stat(); err != nil {
		return f, unwritable(err)
	}
	a.New = ident(a.staged, n.Sum)
	return f, nil
}

// mode is what a new content is made with: what it is going to have in the end, as far as that is known, since another
// change of it would be another write. Nobody else gets into the directory of the slots. Its owner may write to it until
// it has its attributes.
func (t *transaction) mode(n *New) fs.FileMode {
	if n.From < 0 {
		return 0o600
	}
	return t.tx.Changes[n.From].Old.Mode.Perm() | 0o600
}

// pages are for writing strings, piece by piece.
var pages = sync.Pool{New: func() any { return new([128 << 10]byte) }}

// write writes text without a second copy of all of it.
func write(f vfs.File, text string) error {
	page := pages.Get().(*[128 << 10]byte)
	defer pages.Put(page)
	buf := page[:]
	for len(text) > 0 {
		n := copy(buf, text)
		if _, err := f.Write(buf[:n]); err != nil {
			return err
		}
		text = text[n:]
	}
	return nil
}

// attributes gives the new file owner, mode and attributes: those of the file that it comes from, or what a file made
// in its directory would have.
func (t *transaction) attributes(a *act, n *New, f vfs.File) error {
	switch {
	case n.From < 0 && n.Like != "":
		return t.alike(a, n, f)
	case n.From < 0:
		return t.fresh(a, n, f)
	}
	from := &t.tx.Changes[n.From]
	dir, name, err := t.dirs.parent(from.Path)
	if err != nil {
		return moved(from.Path, err)
	}
	old, err := dir.Open(name)
	if err != nil {
		return moved(from.Path, err)
	}
	if n.From != a.change || !t.s.keeps(a, old) {
		defer old.Close()
	}
	if is, err := old.Stat(); err != nil || is.ID != from.Old.ID {
		return stale(from.Path, "the file was replaced since it was read", from.Old.Sum, "")
	}
	return t.adopt(a, from.Path, f, old)
}

// alike gives the new file what a kept one has.
func (t *transaction) alike(a *act, n *New, f vfs.File) error {
	name, _, err := t.s.hist.Find(n.Like)
	if errors.Is(err, fs.ErrNotExist) {
		return t.fresh(a, n, f)
	}
	if err != nil {
		return unwritable(err)
	}
	old, err := t.s.hist.Slots().Open(name)
	if err != nil {
		return unwritable(err)
	}
	defer old.Close()
	return t.adopt(a, a.Path, f, old)
}

func (t *transaction) adopt(a *act, from string, f, old vfs.File) error {
	lost, err := f.Adopt(old)
	if err != nil {
		return cannotKeep(from, err)
	}
	a.lost = lost
	return nil
}

func (t *transaction) fresh(a *act, n *New, f vfs.File) error {
	perm := fs.FileMode(0o666)
	if n.Exec {
		perm = 0o777
	}
	dir, err := t.dirs.at(t.existing(a))
	if err != nil {
		return moved(a.Path, err)
	}
	return unwritable(f.Inherit(dir, perm))
}

// existing is the deepest directory above a step's path that exists before the transaction.
func (t *transaction) existing(a *act) string {
	up := path.Dir(a.Path)
	for range t.tx.Changes[a.change].Missing {
		up = path.Dir(up)
	}
	return up
}

// emptySum is the sha256 of no bytes.
const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func cancelled(ctx context.Context) error {
	e := &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: context.Cause(ctx),
		Msg: "cancelled before anything was changed", Hint: "Nothing was changed; send the patch again."}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		e.Kind, e.Reason, e.Msg = fail.Timeout, "", "the time ran out before anything was changed"
	}
	return e
}

// depth counts the names of a path.
func depth(p string) int { return strings.Count(p, "/") }
