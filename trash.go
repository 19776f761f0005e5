package emend

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/emend-dev/emend/internal/audit"
	"github.com/emend-dev/emend/internal/commit"
	"github.com/emend-dev/emend/internal/fail"
	"github.com/emend-dev/emend/internal/history"
	"github.com/emend-dev/emend/internal/vfs"
)

// Trashed is a file in the trash: what a deletion, or a move or an addition onto it, took from its path. It is there
// until a person clears it.
type Trashed struct {
	ID        string    `json:"id"` // by which it is asked for
	Path      string    `json:"path"`
	DeletedAt time.Time `json:"deletedAt"`
	SizeBytes int64     `json:"sizeBytes"`
	Mode      string    `json:"mode"` // its permissions, in octal digits
	MTime     time.Time `json:"mtime"`
	Link      string    `json:"link,omitempty"`   // where it leads, of a symbolic link
	Sha256    string    `json:"sha256,omitempty"` // as the log has it; of a link, that of where it leads
	SessionID string    `json:"sessionId,omitempty"`
	AgentName string    `json:"agentName,omitempty"`
	ToolName  string    `json:"toolName,omitempty"`
	Operation string    `json:"operation"` // what was done to the path: delete, move, add

	name string // under which the history has it
	is   vfs.Info
}

// Trash lists what is in the trash, the newest first. What lies outside of the root is left out.
func (w *Workspace) Trash(ctx context.Context) ([]Trashed, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	out, err := w.trash(ctx)
	return out, cannot(err)
}

func (w *Workspace) trash(ctx context.Context) ([]Trashed, error) {
	p, err := w.past()
	if p == nil || err != nil {
		return []Trashed{}, err
	}
	out := []Trashed{}
	for r := range p.each(ctx) {
		if r.takenBack {
			continue
		}
		for _, t := range p.trashOf(r.Record) {
			if t.Path != "" {
				out = append(out, t)
			}
		}
	}
	return out, p.err
}

// past is the transactions of which the history has something, and what it has.
type past struct {
	store   *commit.Store
	prefix  string
	pending string
	names   map[string]bool // of all that is kept
	txs     map[string]bool // whose they are
	err     error
}

// past looks what the history has; nil when there is no store.
func (w *Workspace) past() (*past, error) {
	store, err := w.keeper.find()
	if err != nil || store == nil {
		return nil, err
	}
	p := &past{store: store, prefix: w.keeper.prefix, names: map[string]bool{}, txs: map[string]bool{}}
	pending, err := store.Pending()
	if err != nil {
		return nil, err
	}
	if pending != nil {
		p.pending = pending.Tx
	}
	all, err := store.History().Slots().Names()
	if err != nil {
		return nil, storeError(err)
	}
	for _, name := range all {
		if tx, _, ok := strings.Cut(name, "."); ok {
			p.names[name], p.txs[tx] = true, true
		}
	}
	return p, nil
}

// told is a transaction as the log tells of it.
type told struct {
	*audit.Record
	takenBack bool
	age       int // how many transactions are newer
}

// each goes through the transactions, the newest first, that are not pending and of which the history has something. A
// damage in the log does not stop it.
func (p *past) each(ctx context.Context) func(func(told) bool) {
	return func(yield func(told) bool) {
		back, age, left := map[string]bool{}, 0, len(p.txs)
		for r, err := range p.store.Log().Backward() {
			if _, damaged := errors.AsType[*audit.Corrupt](err); damaged {
				continue
			}
			if err == nil && ctx.Err() != nil {
				err = cancelled(ctx)
			}
			if err != nil {
				p.err = storeError(err)
				return
			}
			switch r.Kind {
			case audit.Abort:
				back[r.Tx] = true
			case audit.Recovered:
				back[r.Tx] = !r.OK
			case audit.Commit, audit.Undo:
				if p.txs[r.Tx] {
					if left--; r.Tx != p.pending && !yield(told{r, back[r.Tx], age}) || left == 0 {
						return
					}
				}
				age++
			}
		}
	}
}

// trashOf lists what a transaction put into the trash and the history still has. Outside of the root it has no Path.
func (p *past) trashOf(r *audit.Record) []Trashed {
	acts := map[string]*audit.Act{}
	for i := range r.Acts {
		if a := &r.Acts[i]; a.Old != nil && (a.Do == "swap" || a.Do == "take") {
			acts[a.Path] = a
		}
	}
	var out []Trashed
	for i := range r.Ops {
		op := &r.Ops[i]
		if a := acts[emptied(op)]; a != nil {
			t := Trashed{ID: history.Slot(r.Tx, a.Slot), DeletedAt: r.TS, SessionID: r.Actor.Session, AgentName: r.Actor.Agent,
				ToolName: r.Actor.Tool, Operation: op.Operation, Sha256: a.Old.Sum}
			t.Path, _ = p.inside(a.Path)
			if p.find(&t, a) {
				out = append(out, t)
			}
			delete(acts, a.Path)
		}
		if op.Operation == "move" {
			delete(acts, op.Path) // moved away: what comes after does not overwrite it
		}
	}
	return out
}

// emptied is the path from which an operation took what it deleted or overwrote; "" when it did neither.
func emptied(op *audit.Op) string {
	switch {
	case op.Operation == "delete", op.Operation == "add" && op.Before != "":
		return op.Path
	case op.Operation == "move":
		return op.ToPath
	}
	return ""
}

// inside makes a path of the log, which is from the top of the tree, relative to the root; "" for one outside of it.
func (p *past) inside(top string) (rel string, ok bool) {
	if p.prefix == "." {
		return top, true
	}
	if rel, ok = strings.CutPrefix(top, p.prefix+"/"); !ok {
		rel = ""
	}
	return rel, ok
}

// find looks for the file that a step displaced, and describes it.
func (p *past) find(t *Trashed, a *audit.Act) bool {
	slots := p.store.History().Slots()
	// Where there is a second name of what was displaced that is it, whatever the slot has.
	for _, name := range []string{history.OldLink(t.ID), t.ID} {
		if !p.names[name] {
			continue
		}
		is, err := slots.Stat(name)
		// What was put there for the step itself: it was not done, since somebody's change was in the way.
		if err != nil || a.New != nil && is.ID.Ino == a.New.Ino && a.New.Ino != a.Old.Ino {
			continue
		}
		t.describe(name, is)
		if is.Mode&fs.ModeSymlink != 0 {
			t.Link, err = slots.Readlink(name)
		}
		return err == nil
	}
	return false
}

func (t *Trashed) describe(name string, is vfs.Info) {
	t.name, t.is = name, is
	t.SizeBytes, t.MTime, t.Mode = is.Size, is.ModTime, octal(is.Mode)
}

func octal(m fs.FileMode) string { return fmt.Sprintf("%04o", m.Perm()) }

// trashed finds one file of the trash by its id.
func (w *Workspace) trashed(ctx context.Context, id string) (*Trashed, *past, error) {
	p, err := w.past()
	if err != nil {
		return nil, nil, err
	}
	tx, _, _ := strings.Cut(id, ".")
	if p == nil || !p.txs[tx] {
		return nil, nil, notKept(id)
	}
	p.txs = map[string]bool{tx: true}
	for r := range p.each(ctx) {
		if r.takenBack {
			break
		}
		for _, t := range p.trashOf(r.Record) {
			if t.ID == id && t.Path != "" {
				return &t, p, p.err
			}
		}
	}
	if p.err != nil {
		return nil, nil, p.err
	}
	return nil, nil, notKept(id)
}

func notKept(id string) error {
	return &fail.Error{Kind: fail.NotFound, Msg: "the trash has nothing called " + fail.Quote(id),
		Hint: "List the trash (emend trash list): the id may be another, or it was restored or cleared since."}
}

// TrashedFile is a file of the trash and the beginning of what it says.
type TrashedFile struct {
	Trashed
	Content   string `json:"content"`   // text only
	Binary    bool   `json:"binary"`    // then there is no Content
	Truncated bool   `json:"truncated"` // there is more than Content
}

// maxPreview is how many bytes of a file in the trash are shown.
const maxPreview = 32 << 10

// TrashShow shows one file of the trash. A path that is protected from reading now is not shown.
func (w *Workspace) TrashShow(ctx context.Context, id string) (*TrashedFile, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	t, p, err := w.trashed(ctx, id)
	if err == nil {
		err = w.guard.Readable(t.Path)
	}
	if err != nil {
		return nil, cannot(err)
	}
	f := &TrashedFile{Trashed: *t}
	if t.Link == "" {
		err = f.peek(p.store.History().Slots())
	}
	return f, cannot(err)
}

// peek reads the beginning of the file.
func (f *TrashedFile) peek(slots vfs.Dir) error {
	file, err := slots.Open(f.name)
	if err != nil {
		return storeError(err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxPreview+1))
	if err != nil {
		return storeError(err)
	}
	if f.Binary = slices.Contains(b[:min(len(b), 8192)], 0); f.Binary {
		f.Truncated = len(b) > 0
		return nil
	}
	if f.Truncated = len(b) > maxPreview; f.Truncated {
		b = wholeRunes(b[:maxPreview])
	}
	f.Content = string(b)
	return nil
}

// wholeRunes leaves out a code point that is cut off at the end.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// ClearRequest says what is to leave the trash for good.
type ClearRequest struct {
	IDs    []string  // these; none stands for all
	Before time.Time // and only what was deleted before; zero for any time
}

// Cleared is what left the trash.
type Cleared struct {
	Entries   []Trashed `json:"entries"`
	SizeBytes int64     `json:"sizeBytes"`
	Log       *Head     `json:"log,omitempty"` // the newest record of the log
}

// TrashClear removes files from the trash, for good and on record. An id that the trash does not have refuses the whole
// call. An interrupted call has removed some of them, and the log names all.
func (w *Workspace) TrashClear(ctx context.Context, r ClearRequest) (*Cleared, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	c, err := w.clear(ctx, r)
	return c, cannot(err)
}

// TrashClearable lists what [Workspace.TrashClear] would remove.
func (w *Workspace) TrashClearable(ctx context.Context, r ClearRequest) ([]Trashed, error) {
	if err := w.enter(); err != nil {
		return nil, cannot(err)
	}
	defer w.calls.Done()
	out, err := w.clearable(ctx, r)
	return out, cannot(err)
}

func (w *Workspace) clearable(ctx context.Context, r ClearRequest) ([]Trashed, error) {
	all, err := w.trash(ctx)
	if err != nil {
		return nil, err
	}
	return r.pick(all)
}

func (w *Workspace) clear(ctx context.Context, r ClearRequest) (*Cleared, error) {
	c := &Cleared{}
	var err error
	if c.Entries, err = w.clearable(ctx, r); err != nil || len(c.Entries) == 0 {
		return c, err
	}
	what := commit.Removal{}
	var ops []audit.Op
	var ids []string
	for _, t := range c.Entries {
		c.SizeBytes += t.SizeBytes
		ids = append(ids, t.ID)
		what.Names = append(what.Names, history.Names(t.ID)...)
		ops = append(ops, audit.Op{Operation: "purge", Path: path.Join(w.keeper.prefix, t.Path), Before: t.Sha256, Size: t.SizeBytes})
	}
	what.Records = w.purges(ctx, "trash_clear", fmt.Sprintf("cleared from the trash: %s", someOf(ids)), ops)
	return c, w.purge(ctx, what, &c.Log)
}

// purge removes what is to leave the history.
func (w *Workspace) purge(ctx context.Context, what commit.Removal, head **Head) error {
	store, err := w.keeper.ensure()
	if err != nil {
		return err
	}
	err = store.Purge(ctx, what)
	at := store.Head()
	*head = &at
	return err
}

// pick picks from the trash, in the order of the trash.
func (r ClearRequest) pick(all []Trashed) ([]Trashed, error) {
	wanted := map[string]bool{}
	for _, id := range r.IDs {
		wanted[id] = true
	}
	out := slices.DeleteFunc(slices.Clone(all), func(t Trashed) bool { return len(r.IDs) > 0 && !wanted[t.ID] })
	for _, t := range out {
		delete(wanted, t.ID)
	}
	for _, id := range r.IDs {
		if wanted[id] {
			return nil, notKept(id)
		}
	}
	return slices.DeleteFunc(out, func(t Trashed) bool { return !r.Before.IsZero() && !t.DeletedAt.Before(r.Before) }), nil
}

// maxPurged is how many removals one record of the log lists.
const maxPurged = 1000

// purges are the records of a removal: as many as it needs.
func (w *Workspace) purges(ctx context.Context, tool, message string, ops []audit.Op) []audit.Record {
	actor := w.actor(ctx)
	actor.Tool = tool
	r := audit.Record{Kind: audit.Purge, Actor: actor, PolicyHash: w.guard.PolicyHash(), OK: true, Message: message}
	if len(ops) == 0 {
		return []audit.Record{r}
	}
	var out []audit.Record
	for part := range slices.Chunk(ops, maxPurged) {
		r.Ops = part
		out = append(out, r)
	}
	return out
}

// someOf lists names, as many as a person reads.
func someOf(names []string) string {
	const most = 100
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}

func cancelled(ctx context.Context) error {
	return &fail.Error{Kind: fail.CommandFailed, Reason: fail.Cancelled, Cause: context.Cause(ctx), Msg: "cancelled",
		Hint: "Nothing was changed; ask again."}
}
